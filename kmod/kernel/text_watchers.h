/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Who watches the kernel's text, and what is reported to all of them.
 */
#ifndef UW_TEXT_WATCHERS_H
#define UW_TEXT_WATCHERS_H

#include <linux/irq_work.h>
#include <linux/list.h>
#include <linux/wait.h>

#include "kernel/text_ring.h"

struct uw_text_watcher {
	struct list_head node;    /* Protected by: watchers_lock */
	u32 flags;                /* UWIND_WATCH_*. Set once */
	struct uw_text_ring ring; /* written under watchers_lock */
	struct irq_work wake;     /* who writes may hold the scheduler's locks, or have stopped all CPUs */
	wait_queue_head_t readers;
};

int uw_text_watcher_init(struct uw_text_watcher *watcher, u32 flags, u32 bytes);
/* It is in no list any more. */
void uw_text_watcher_deinit(struct uw_text_watcher *watcher);

void uw_text_watcher_add(struct uw_text_watcher *watcher);
void uw_text_watcher_remove(struct uw_text_watcher *watcher);

/* Report what was lost, also if nothing else happens any more. Process context. */
void uw_text_watcher_report_lost(struct uw_text_watcher *watcher);

/* A record of now, by the current task. Any context. */
void uw_text_event_begin(struct uw_text_event *event, u16 type);

/* To all that want what flag says. Any context, also with interrupts off. */
void uw_text_emit(u32 flag, const struct uw_text_event *event);

/* The same, to those that have much room; the others do without. */
void uw_text_offer(u32 flag, const struct uw_text_event *event);

/* Of what flag says, so many records could not be made. The same. */
void uw_text_lose(u32 flag, u64 records);

/* Since the module was loaded, of all watches together. */
u64 uw_text_reported(void);
u64 uw_text_lost(void);

#endif

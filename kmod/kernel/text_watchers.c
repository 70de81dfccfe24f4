// SPDX-License-Identifier: GPL-2.0
/*
 * Records are made where nothing may wait: under the lock of what patches text, with all CPUs stopped. So the list has a
 * raw spinlock, which is held for no longer than it takes to copy one record for each of the few watches, and readers
 * are woken by an interrupt.
 */
#include <linux/kprobes.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/timekeeping.h>

#include "kernel/text_watchers.h"

static DEFINE_RAW_SPINLOCK(watchers_lock); /* Order: inside the kernel's locks for patching text */
static LIST_HEAD(watchers);                /* Protected by: watchers_lock */
static u64 nr_reported, nr_lost;           /* Protected by: watchers_lock */

static void wake_readers(struct irq_work *work)
{
	wake_up_interruptible(&container_of(work, struct uw_text_watcher, wake)->readers);
}

int uw_text_watcher_init(struct uw_text_watcher *watcher, u32 flags, u32 bytes)
{
	watcher->flags = flags;
	init_irq_work(&watcher->wake, wake_readers);
	init_waitqueue_head(&watcher->readers);
	return uw_text_ring_init(&watcher->ring, bytes);
}

void uw_text_watcher_deinit(struct uw_text_watcher *watcher)
{
	irq_work_sync(&watcher->wake);
	uw_text_ring_deinit(&watcher->ring);
}

void uw_text_watcher_add(struct uw_text_watcher *watcher)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&watchers_lock, flags);
	list_add_tail(&watcher->node, &watchers);
	raw_spin_unlock_irqrestore(&watchers_lock, flags);
}

void uw_text_watcher_remove(struct uw_text_watcher *watcher)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&watchers_lock, flags);
	list_del(&watcher->node);
	raw_spin_unlock_irqrestore(&watchers_lock, flags);
}

void uw_text_watcher_report_lost(struct uw_text_watcher *watcher)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&watchers_lock, flags);
	uw_text_ring_report_lost(&watcher->ring, ktime_get_mono_fast_ns());
	raw_spin_unlock_irqrestore(&watchers_lock, flags);
}

notrace void uw_text_event_begin(struct uw_text_event *event, u16 type)
{
	struct uwind_text_record *record = &event->record;

	memset(event, 0, sizeof(*event));
	record->type = type;
	record->before_ns = ktime_get_mono_fast_ns();
	record->after_ns = record->before_ns;
	record->pid = current->tgid;
	record->tid = current->pid;
	record->cpu = raw_smp_processor_id();
	strscpy_pad(record->comm, current->comm, sizeof(record->comm));
}
NOKPROBE_SYMBOL(uw_text_event_begin);

static notrace void emit_to(struct uw_text_watcher *watcher, const struct uw_text_event *event)
{
	if (uw_text_ring_write(&watcher->ring, event))
		nr_reported++;
	else
		nr_lost++;
}
NOKPROBE_SYMBOL(emit_to);

static notrace void offer_to(struct uw_text_watcher *watcher, const struct uw_text_event *event)
{
	if (uw_text_ring_offer(&watcher->ring, event))
		nr_reported++;
}
NOKPROBE_SYMBOL(offer_to);

static notrace void tell(u32 flag, const struct uw_text_event *event, bool offer)
{
	struct uw_text_watcher *watcher;
	unsigned long flags;

	raw_spin_lock_irqsave(&watchers_lock, flags);
	list_for_each_entry(watcher, &watchers, node) {
		if (!(watcher->flags & flag))
			continue;
		if (offer)
			offer_to(watcher, event);
		else
			emit_to(watcher, event);
		irq_work_queue(&watcher->wake);
	}
	raw_spin_unlock_irqrestore(&watchers_lock, flags);
}
NOKPROBE_SYMBOL(tell);

notrace void uw_text_emit(u32 flag, const struct uw_text_event *event)
{
	tell(flag, event, false);
}
NOKPROBE_SYMBOL(uw_text_emit);

void uw_text_offer(u32 flag, const struct uw_text_event *event)
{
	tell(flag, event, true);
}

notrace void uw_text_lose(u32 flag, u64 records)
{
	u64 now = ktime_get_mono_fast_ns();
	struct uw_text_watcher *watcher;
	unsigned long flags;

	raw_spin_lock_irqsave(&watchers_lock, flags);
	list_for_each_entry(watcher, &watchers, node) {
		if (!(watcher->flags & flag))
			continue;
		uw_text_ring_lose(&watcher->ring, records, now);
		nr_lost += records;
		irq_work_queue(&watcher->wake);
	}
	raw_spin_unlock_irqrestore(&watchers_lock, flags);
}
NOKPROBE_SYMBOL(uw_text_lose);

static u64 read_locked(const u64 *number)
{
	unsigned long flags;
	u64 value;

	raw_spin_lock_irqsave(&watchers_lock, flags);
	value = *number;
	raw_spin_unlock_irqrestore(&watchers_lock, flags);
	return value;
}

u64 uw_text_reported(void)
{
	return read_locked(&nr_reported);
}

u64 uw_text_lost(void)
{
	return read_locked(&nr_lost);
}

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Room for the records of one watch, until they are read.
 */
#ifndef UW_TEXT_RING_H
#define UW_TEXT_RING_H

#include <linux/types.h>

#include "uwind.h"

/* A record, and what follows it. */
struct uw_text_event {
	struct uwind_text_record record; /* its size is set when it is written */
	const void *data[2];             /* NULL: no such part */
	u32 data_bytes[2];
};

/* One writer at a time, and one reader beside it. */
struct uw_text_ring {
	u8 *bytes;
	u64 size;    /* a power of two */
	u64 head;    /* bytes ever written. Changed by the writer */
	u64 tail;    /* bytes ever read. Changed by the reader */
	u64 lost;    /* records without room, not yet reported. Changed by the writer */
	u64 lost_ns; /* since when */
};

int uw_text_ring_init(struct uw_text_ring *ring, u32 size);
void uw_text_ring_deinit(struct uw_text_ring *ring);

/* Any context. False: there was no room. What was lost before is reported first. */
bool uw_text_ring_write(struct uw_text_ring *ring, const struct uw_text_event *event);

/* The same, if half of the room stays free. No loss otherwise: it can be had elsewhere. */
bool uw_text_ring_offer(struct uw_text_ring *ring, const struct uw_text_event *event);

/* So many records were lost without getting here. Any context. */
void uw_text_ring_lose(struct uw_text_ring *ring, u64 records, u64 now);

/* Report what was lost, if that was not done yet and there is room. As a writer. */
void uw_text_ring_report_lost(struct uw_text_ring *ring, u64 now);

/* Reader and others. */
bool uw_text_ring_is_empty(const struct uw_text_ring *ring);

/* Whole records, as a reader. Bytes, 0: there is none; -EMSGSIZE: the next one is longer than bytes; -EFAULT. */
ssize_t uw_text_ring_read(struct uw_text_ring *ring, char __user *user, size_t bytes);

#endif

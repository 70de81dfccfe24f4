// SPDX-License-Identifier: GPL-2.0
/*
 * The writer moves head, the reader tail, and neither waits for the other: what has no room is counted. A record begins
 * at a multiple of 8, so that its first member never goes round the end.
 */
#include <linux/align.h>
#include <linux/kprobes.h>
#include <linux/minmax.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>

#include "kernel/text_ring.h"

int uw_text_ring_init(struct uw_text_ring *ring, u32 size)
{
	ring->bytes = __vmalloc(size, GFP_KERNEL_ACCOUNT | __GFP_ZERO);
	ring->size = size;
	return ring->bytes ? 0 : -ENOMEM;
}

void uw_text_ring_deinit(struct uw_text_ring *ring)
{
	vfree(ring->bytes);
}

static notrace u64 copy_in(struct uw_text_ring *ring, u64 at, const void *data, u64 bytes)
{
	u64 start = at & (ring->size - 1), first = min(bytes, ring->size - start);

	memcpy(ring->bytes + start, data, first);
	memcpy(ring->bytes, data + first, bytes - first);
	return at + bytes;
}
NOKPROBE_SYMBOL(copy_in);

static notrace u64 free_bytes(const struct uw_text_ring *ring)
{
	return ring->size - (ring->head - smp_load_acquire(&ring->tail));
}
NOKPROBE_SYMBOL(free_bytes);

static notrace bool write_event(struct uw_text_ring *ring, const struct uw_text_event *event)
{
	static const u8 zeros[8];
	struct uwind_text_record record = event->record;
	u64 bytes = sizeof(record) + event->data_bytes[0] + event->data_bytes[1], at = ring->head;

	record.size = ALIGN(bytes, 8);
	if (free_bytes(ring) < record.size)
		return false;
	at = copy_in(ring, at, &record, sizeof(record));
	at = copy_in(ring, at, event->data[0], event->data_bytes[0]);
	at = copy_in(ring, at, event->data[1], event->data_bytes[1]);
	at = copy_in(ring, at, zeros, record.size - bytes);
	smp_store_release(&ring->head, at);
	return true;
}
NOKPROBE_SYMBOL(write_event);

notrace void uw_text_ring_lose(struct uw_text_ring *ring, u64 records, u64 now)
{
	if (!ring->lost)
		ring->lost_ns = now;
	WRITE_ONCE(ring->lost, ring->lost + records);
}
NOKPROBE_SYMBOL(uw_text_ring_lose);

notrace void uw_text_ring_report_lost(struct uw_text_ring *ring, u64 now)
{
	const struct uw_text_event event = { .record = {
						     .type = UWIND_TEXT_LOST,
						     .after_ns = ring->lost_ns,
						     .before_ns = now,
						     .bytes = ring->lost,
					     } };

	if (ring->lost && write_event(ring, &event))
		WRITE_ONCE(ring->lost, 0);
}
NOKPROBE_SYMBOL(uw_text_ring_report_lost);

notrace bool uw_text_ring_write(struct uw_text_ring *ring, const struct uw_text_event *event)
{
	u64 now = event->record.before_ns;

	uw_text_ring_report_lost(ring, now);
	if (!ring->lost && write_event(ring, event))
		return true;
	uw_text_ring_lose(ring, 1, now);
	return false;
}
NOKPROBE_SYMBOL(uw_text_ring_write);

notrace bool uw_text_ring_offer(struct uw_text_ring *ring, const struct uw_text_event *event)
{
	u64 bytes = sizeof(event->record) + event->data_bytes[0] + event->data_bytes[1];

	return free_bytes(ring) >= bytes + ring->size / 2 && uw_text_ring_write(ring, event);
}
NOKPROBE_SYMBOL(uw_text_ring_offer);

bool uw_text_ring_is_empty(const struct uw_text_ring *ring)
{
	return smp_load_acquire(&ring->head) == READ_ONCE(ring->tail) && !READ_ONCE(ring->lost);
}

/* Of the whole records that lie between from and to, and fit. */
static u64 whole_records(const struct uw_text_ring *ring, u64 from, u64 to, u64 most)
{
	u64 at = from;

	while (at < to) {
		u32 size = *(const u32 *)(ring->bytes + (at & (ring->size - 1)));

		if (at + size - from > most)
			break;
		at += size;
	}
	return at - from;
}

ssize_t uw_text_ring_read(struct uw_text_ring *ring, char __user *user, size_t bytes)
{
	u64 tail = ring->tail, head = smp_load_acquire(&ring->head);
	u64 start = tail & (ring->size - 1), all, first;

	if (head == tail)
		return 0;
	all = whole_records(ring, tail, head, bytes);
	if (!all)
		return -EMSGSIZE;
	first = min(all, ring->size - start);
	if (copy_to_user(user, ring->bytes + start, first) || copy_to_user(user + first, ring->bytes, all - first))
		return -EFAULT;
	smp_store_release(&ring->tail, tail + all);
	return all;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * From records to messages, without a lock.
 *
 * A CPU has one batch. A task that writes into it takes it out of its place, and
 * puts it back. One that finds the place empty, since the owner was preempted in
 * between, makes a batch of its own. One that finds the place occupied when it
 * puts its batch back queues that as it is. So a task that is held inside, for as
 * long as its control group or its priority wants, keeps nobody waiting, where
 * spinlocks are locks that sleep (PREEMPT_RT) too.
 *
 * A message stands alone: what a sample names by number is announced in the same one,
 * the same thing mostly once. To find it again there is a table of fixed size, empty for
 * a new message, where a record forgets the one before it of the same hash.
 */
#include <linux/hash.h>
#include <linux/skbuff.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <net/netlink.h>

#include "session/batch.h"
#include "session/message.h"
#include "stall.h"

#define UW_BATCH_BYTES SKB_WITH_OVERHEAD(16384) /* with skb_shared_info: a power of two */

static struct uw_batch **batch_place(struct uw_batches *batches)
{
	return raw_cpu_ptr(batches->places);
}

static struct uw_batch *batch_create(struct uw_outbox *outbox)
{
	struct uw_batch *batch = kzalloc(sizeof(*batch), GFP_NOWAIT | __GFP_NOWARN);

	if (batch)
		batch->outbox = outbox;
	return batch;
}

struct uw_batch *uw_batch_take(struct uw_batches *batches)
{
	struct uw_batch *batch = xchg(batch_place(batches), NULL) ?: batch_create(batches->outbox);

	if (batch)
		uw_stall_asleep(UW_STALL_BATCH_TAKEN);
	return batch;
}

static void batch_put_into(struct uw_batch *batch, struct uw_batch **place)
{
	if (!cmpxchg(place, NULL, batch))
		return;
	uw_batch_close(batch);
	kfree(batch);
}

void uw_batch_give(struct uw_batches *batches, struct uw_batch *batch)
{
	batch_put_into(batch, batch_place(batches));
}

int uw_batches_init(struct uw_batches *batches, struct uw_outbox *outbox)
{
	batches->outbox = outbox;
	batches->places = alloc_percpu(struct uw_batch *);
	return batches->places ? 0 : -ENOMEM;
}

void uw_batches_close(struct uw_batches *batches)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		struct uw_batch **place = per_cpu_ptr(batches->places, cpu);
		struct uw_batch *batch = xchg(place, NULL);

		if (!batch)
			continue;
		uw_batch_close(batch);
		batch_put_into(batch, place);
	}
}

void uw_batches_deinit(struct uw_batches *batches)
{
	int cpu;

	if (!batches->places)
		return;
	for_each_possible_cpu(cpu) {
		struct uw_batch *batch = *per_cpu_ptr(batches->places, cpu);

		if (batch)
			kfree_skb(batch->skb);
		kfree(batch);
	}
	free_percpu(batches->places);
}

static int batch_open(struct uw_batch *batch, u32 bytes)
{
	u32 room = max_t(u32, UW_BATCH_BYTES - UW_MESSAGE_HEAD, bytes);

	batch->skb = uw_message_begin(batch->outbox, room, &batch->message, &batch->records);
	if (!batch->skb)
		return -ENOMEM;
	batch->last_number = 0;
	memset(&batch->known, 0, sizeof(batch->known));
	batch->sampled.word_bits = 0;
	memset(batch->announced, 0, sizeof(batch->announced));
	return 0;
}

void uw_batch_close(struct uw_batch *batch)
{
	struct sk_buff *skb = batch->skb;

	if (!skb)
		return;
	uw_message_end(skb, batch->records);
	batch->skb = NULL;
	uw_outbox_queue(batch->outbox, skb, &batch->message);
}

int uw_batch_renew(struct uw_batch *batch, u32 bytes)
{
	uw_batch_close(batch);
	return batch_open(batch, bytes);
}

static u32 batch_room(struct uw_batch *batch, u32 most)
{
	struct nlattr *next;

	if (!batch->skb)
		return 0;
	if (skb_tail_pointer(batch->skb) - (unsigned char *)batch->records + most > U16_MAX) {
		uw_message_end_records(batch->skb, batch->records);
		next = nla_reserve(batch->skb, UWIND_A_RECORDS, 0);
		if (!next)
			return 0;
		batch->records = next;
	}
	return skb_tailroom(batch->skb);
}

void uw_batch_begin(struct uw_batch_writer *writer, struct uw_batch *batch)
{
	*writer = (struct uw_batch_writer){
		.batch = batch,
		.length = batch->skb ? batch->skb->len : 0,
		.records = batch->records,
	};
}

void uw_batch_reserve(struct uw_batch_writer *writer, u32 most)
{
	writer->room = batch_room(writer->batch, most);
	writer->at = writer->room ? skb_tail_pointer(writer->batch->skb) : NULL;
}

/* Whether there was room for the record. */
static bool batch_count(struct uw_batch_writer *writer, u32 bytes)
{
	writer->needed += bytes;
	if (bytes > writer->room)
		writer->full = true;
	return bytes <= writer->room;
}

void uw_batch_add(struct uw_batch_writer *writer, u32 bytes)
{
	if (batch_count(writer, bytes))
		skb_put(writer->batch->skb, bytes);
}

/* A record's length is a multiple of 8. */
static u32 batch_hash(const void *record, u32 bytes)
{
	u64 hash = 0, word;
	u32 i;

	for (i = 0; i < bytes; i += sizeof(word)) {
		memcpy(&word, record + i, sizeof(word)); /* which may lie anywhere */
		hash = (hash ^ word) * GOLDEN_RATIO_64;
	}
	return hash >> (64 - UW_BATCH_ANNOUNCED_BITS);
}

static u16 batch_announce(struct uw_batch *batch, struct uw_named *record)
{
	u32 bytes = record->record.bytes;
	u32 *place = &batch->announced[batch_hash(record, bytes)];
	const struct uw_named *other = (void *)(batch->skb->data + *place);

	if (*place && !memcmp(&other->record, &record->record, sizeof(record->record)) &&
	    !memcmp(other + 1, record + 1, bytes - sizeof(*record)))
		return other->number;
	record->number = ++batch->last_number;
	*place = (unsigned char *)record - batch->skb->data;
	skb_put(batch->skb, bytes);
	return record->number;
}

u16 uw_batch_add_named(struct uw_batch_writer *writer, u32 bytes)
{
	return batch_count(writer, bytes) ? batch_announce(writer->batch, writer->at) : 0;
}

u32 uw_batch_end(struct uw_batch_writer *writer)
{
	struct uw_batch *batch = writer->batch;

	if (!writer->full)
		return 0;
	if (batch->skb) {
		skb_trim(batch->skb, writer->length);
		batch->records = writer->records;
	}
	return writer->needed;
}

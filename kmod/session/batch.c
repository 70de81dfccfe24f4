// SPDX-License-Identifier: GPL-2.0
/*
 * From records to messages, without a lock.
 *
 * A CPU has one batch. A task that writes into it takes it out of its place, and
 * puts it back. One that finds the place empty, since the owner was preempted in
 * between, makes a batch of its own. One that finds the place occupied when it
 * puts its batch back sends that as it is. So a task that is held inside, for as
 * long as its control group or its priority wants, keeps nobody waiting, where
 * spinlocks are locks that sleep (PREEMPT_RT) too.
 *
 * A message stands alone: what a sample names by number is announced in the same one,
 * the same thing mostly once. To find it again there is a table of fixed size, empty for
 * a new message, where a record forgets the one before it of the same hash.
 */
#include <linux/jhash.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <net/genetlink.h>

#include "device/netlink.h"
#include "session/batch.h"
#include "session/record.h"
#include "session/sender.h"
#include "session/session.h"
#include "stall.h"

#define UW_BATCH_BYTES SKB_WITH_OVERHEAD(16384) /* with skb_shared_info: a power of two */
#define UW_BATCH_HEAD  128 /* headers and small attributes                       */

static struct uw_batch **uw_batch_place(struct uw_session *session)
{
	return raw_cpu_ptr(session->sender.batches);
}

struct uw_batch *uw_batch_take(struct uw_session *session)
{
	struct uw_batch *batch = xchg(uw_batch_place(session), NULL);

	if (!batch)
		batch = kzalloc(sizeof(*batch), GFP_NOWAIT | __GFP_NOWARN);
	if (batch)
		uw_stall_asleep(UW_STALL_BATCH_TAKEN);
	return batch;
}

static void uw_batch_put_into(struct uw_session *session, struct uw_batch *batch,
			      struct uw_batch **place)
{
	if (!cmpxchg(place, NULL, batch))
		return;
	uw_batch_close(session, batch);
	kfree(batch);
}

void uw_batch_give(struct uw_session *session, struct uw_batch *batch)
{
	uw_batch_put_into(session, batch, uw_batch_place(session));
}

void uw_batch_flush(struct uw_session *session)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		struct uw_batch **place = per_cpu_ptr(session->sender.batches, cpu);
		struct uw_batch *batch = xchg(place, NULL);

		if (!batch)
			continue;
		uw_batch_close(session, batch);
		uw_batch_put_into(session, batch, place);
	}
}

void uw_batch_free_all(struct uw_session *session)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		struct uw_batch *batch = *per_cpu_ptr(session->sender.batches, cpu);

		if (batch)
			kfree_skb(batch->skb);
		kfree(batch);
	}
}

static int uw_batch_open(struct uw_batch *batch, const struct uw_session *session, u32 bytes)
{
	u32 room = max_t(u32, UW_BATCH_BYTES, bytes + UW_BATCH_HEAD);
	struct sk_buff *skb = alloc_skb(room, GFP_NOWAIT | __GFP_NOWARN);
	struct nlattr *seq;

	if (!skb)
		return -ENOMEM;
	genlmsg_put(skb, 0, 0, &uw_genl_family, 0, UWIND_CMD_RECORDS);
	nla_put_u32(skb, UWIND_A_SESSION, session->number);
	seq = nla_reserve_64bit(skb, UWIND_A_SEQ, sizeof(u64), UWIND_A_PAD);
	batch->records = nla_reserve(skb, UWIND_A_RECORDS, 0);
	if (!seq || !batch->records) {
		kfree_skb(skb);
		return -ENOMEM;
	}
	batch->skb = skb;
	batch->seq_at = nla_data(seq) - (void *)skb->data;
	batch->weight = 0;
	batch->has_files = false;
	batch->last_number = 0;
	memset(batch->announced, 0, sizeof(batch->announced));
	return 0;
}

static void uw_batch_end_records(struct uw_batch *batch)
{
	batch->records->nla_len = skb_tail_pointer(batch->skb) - (unsigned char *)batch->records;
}

void uw_batch_close(struct uw_session *session, struct uw_batch *batch)
{
	struct sk_buff *skb = batch->skb;

	if (!skb)
		return;
	uw_batch_end_records(batch);
	genlmsg_end(skb, genlmsg_data(nlmsg_data(nlmsg_hdr(skb))));
	batch->skb = NULL;
	uw_sender_queue(session, skb, batch);
}

int uw_batch_renew(struct uw_session *session, struct uw_batch *batch, u32 bytes)
{
	uw_batch_close(session, batch);
	return uw_batch_open(batch, session, bytes);
}

u32 uw_batch_room(struct uw_batch *batch, u32 most)
{
	struct nlattr *next;

	if (!batch->skb)
		return 0;
	if (skb_tail_pointer(batch->skb) - (unsigned char *)batch->records + most > U16_MAX) {
		uw_batch_end_records(batch);
		next = nla_reserve(batch->skb, UWIND_A_RECORDS, 0);
		if (!next)
			return 0;
		batch->records = next;
	}
	return skb_tailroom(batch->skb);
}

u16 uw_batch_announce(struct uw_batch *batch, struct uw_named *record)
{
	u32 bytes = record->record.bytes;
	u32 *place = &batch->announced[jhash(record, bytes, 0) % UW_BATCH_ANNOUNCED];
	const struct uw_named *other = (void *)(batch->skb->data + *place);

	if (*place && !memcmp(&other->record, &record->record, sizeof(record->record)) &&
	    !memcmp(other + 1, record + 1, bytes - sizeof(*record)))
		return other->number;
	record->number = ++batch->last_number;
	*place = (unsigned char *)record - batch->skb->data;
	skb_put(batch->skb, bytes);
	return record->number;
}

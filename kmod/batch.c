// SPDX-License-Identifier: GPL-2.0
/*
 * From answers to netlink messages.
 *
 * Tasks fill their CPU's message under its lock; a full one is taken out and
 * sent without it, as netlink may sleep to trim a message. A message that the
 * socket refuses is gone: its answers become losses, and the files it told
 * about are told again.
 *
 * A message stands alone: what a sample names by number is told in the same one, the
 * same thing mostly once. To find it again there is a table of fixed size, empty for
 * a new message, where a record forgets the one before it of the same hash.
 */
#include <linux/jhash.h>
#include <linux/slab.h>
#include <net/genetlink.h>

#include "core/walk.h"
#include "file_store.h"
#include "netlink.h"
#include "reader.h"
#include "record.h"
#include "request.h"
#include "session.h"
#include "stall.h"

#define UW_BATCH_BYTES 16384
#define UW_BATCH_HEAD  128 /* headers and small attributes                       */

static int uw_batch_open(struct uw_batch *batch, const struct uw_session *session, u32 bytes)
{
	u32 room = max_t(u32, UW_BATCH_BYTES, bytes) + UW_BATCH_HEAD;
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
	batch->seq = nla_data(seq);
	batch->weight = 0;
	batch->last_number = 0;
	memset(batch->told, 0, sizeof(batch->told));
	return 0;
}

static void uw_batch_end_records(struct uw_batch *batch)
{
	batch->records->nla_len = skb_tail_pointer(batch->skb) - (unsigned char *)batch->records;
}

/* Take the message out, complete but for its number. */
static void uw_batch_close(struct uw_batch *batch, struct uw_message *message)
{
	struct sk_buff *skb = batch->skb;

	memset(message, 0, sizeof(*message));
	if (!skb)
		return;
	uw_batch_end_records(batch);
	genlmsg_end(skb, genlmsg_data(nlmsg_data(nlmsg_hdr(skb))));
	message->skb = skb;
	message->seq = batch->seq;
	message->weight = batch->weight;
	batch->skb = NULL;
}

/* A new message with room for bytes; the one before goes to *full. */
static int uw_batch_renew(struct uw_batch *batch, const struct uw_session *session, u32 bytes,
			  struct uw_message *full)
{
	uw_batch_close(batch, full);
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

u16 uw_batch_tell(struct uw_batch *batch, struct uw_named *record)
{
	u32 bytes = record->record.bytes;
	u32 *place = &batch->told[jhash(record, bytes, 0) % UW_BATCH_TOLD];
	const struct uw_named *other = (void *)(batch->skb->data + *place);

	if (*place && !memcmp(&other->record, &record->record, sizeof(record->record)) &&
	    !memcmp(other + 1, record + 1, bytes - sizeof(*record)))
		return other->number;
	record->number = ++batch->last_number;
	*place = (unsigned char *)record - batch->skb->data;
	skb_put(batch->skb, bytes);
	return record->number;
}

static void uw_message_send(struct uw_session *session, struct uw_message *message)
{
	struct uw_sender *sender = &session->sender;
	u32 bytes = message->skb ? message->skb->len : 0;
	int err;

	if (!message->skb)
		return;
	mutex_lock(&sender->mutex);
	memcpy(message->seq, &sender->seq, sizeof(sender->seq));
	sender->seq++;
	uw_stall_asleep(UW_STALL_MESSAGE_SEND);
	err = uw_reader_send(session->reader, message->skb);
	if (err) {
		sender->messages_dropped++;
	} else {
		sender->messages++;
		sender->bytes += bytes;
	}
	mutex_unlock(&sender->mutex);
	if (!err)
		return;
	uw_stats_dropped(session->counts, message->weight);
	uw_file_untell(session->slot);
}

/*
 * Tell the session about a frame's file, if nobody did. One without a table is
 * urgent: each walk until it has one ends there.
 */
static void uw_send_file(struct uw_session *session, const struct uw_frame *frame)
{
	struct uw_batch *batch = raw_cpu_ptr(session->sender.batches);
	struct uw_message full = {}, urgent = {};
	struct uw_file *file;
	u32 needed;

	rcu_read_lock();
	file = uw_file_find(frame->file);
	if (!file || test_bit(session->slot, &file->told) ||
	    test_and_set_bit(session->slot, &file->told)) {
		rcu_read_unlock();
		return;
	}
	spin_lock(&batch->lock);
	needed = uw_record_file(batch, session, file, frame->pc);
	if (needed && !uw_batch_renew(batch, session, needed, &full))
		needed = uw_record_file(batch, session, file, frame->pc);
	if (needed)
		clear_bit(session->slot, &file->told);
	else if (!uw_file_kept(file))
		uw_batch_close(batch, &urgent);
	spin_unlock(&batch->lock);
	rcu_read_unlock();
	uw_message_send(session, &full);
	uw_message_send(session, &urgent);
}

static void uw_send_files(struct uw_session *session, const struct uw_walk *walk, u32 nr)
{
	u32 i, last = 0;

	for (i = 0; i < nr; i++) {
		if (walk->frames[i].file && walk->frames[i].file != last)
			uw_send_file(session, &walk->frames[i]);
		last = walk->frames[i].file;
	}
}

static void uw_count_answer(struct uw_session *session, const struct uw_answer *answer,
			    bool is_recorded, u32 nr, u32 weight)
{
	if (!answer->walk)
		uw_stats_lost(session->counts, answer->loss, weight);
	else if (is_recorded)
		uw_stats_answered(session->counts, uw_record_stop(answer->walk, nr), weight);
	else
		uw_stats_lost(session->counts, UWIND_LOSS_NOMEM, weight);
}

void uw_sender_answer(struct uw_session *session, const struct uw_answer *answer, u32 weight)
{
	u32 nr = answer->walk ? min(answer->walk->nr_frames, session->max_frames) : 0;
	struct uw_message full = {};
	struct uw_batch *batch;
	u32 needed;

	if (nr)
		uw_send_files(session, answer->walk, nr);
	batch = raw_cpu_ptr(session->sender.batches);
	spin_lock(&batch->lock);
	needed = uw_record_answer(batch, session, answer, nr, weight);
	if (needed && !uw_batch_renew(batch, session, needed, &full))
		needed = uw_record_answer(batch, session, answer, nr, weight);
	uw_count_answer(session, answer, !needed, nr, weight);
	if (!needed && answer->walk)
		batch->weight += weight;
	spin_unlock(&batch->lock);
	uw_message_send(session, &full);
}

void uw_sender_flush(struct uw_session *session)
{
	struct uw_message message;
	int cpu;

	for_each_possible_cpu(cpu) {
		struct uw_batch *batch = per_cpu_ptr(session->sender.batches, cpu);

		spin_lock(&batch->lock);
		uw_batch_close(batch, &message);
		spin_unlock(&batch->lock);
		uw_message_send(session, &message);
	}
}

void uw_sender_stats(struct uw_sender *sender, struct uwind_session_stats *stats)
{
	int cpu;

	mutex_lock(&sender->mutex);
	stats->messages = sender->messages;
	stats->messages_dropped = sender->messages_dropped;
	stats->bytes = sender->bytes;
	mutex_unlock(&sender->mutex);
	for_each_possible_cpu(cpu) {
		const struct uw_batch *batch = per_cpu_ptr(sender->batches, cpu);

		stats->stacks_told += READ_ONCE(batch->stacks_told);
		stats->stacks_known += READ_ONCE(batch->stacks_known);
	}
}

int uw_sender_init(struct uw_sender *sender)
{
	int cpu;

	mutex_init(&sender->mutex);
	sender->batches = alloc_percpu(struct uw_batch);
	if (!sender->batches)
		return -ENOMEM;
	for_each_possible_cpu(cpu)
		spin_lock_init(&per_cpu_ptr(sender->batches, cpu)->lock);
	return 0;
}

void uw_sender_deinit(struct uw_sender *sender)
{
	int cpu;

	if (!sender->batches)
		return;
	for_each_possible_cpu(cpu)
		kfree_skb(per_cpu_ptr(sender->batches, cpu)->skb);
	free_percpu(sender->batches);
}

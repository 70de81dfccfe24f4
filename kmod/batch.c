// SPDX-License-Identifier: GPL-2.0
/*
 * From answers to netlink messages.
 *
 * Tasks fill their CPU's message under its lock; a full one is taken out and
 * sent without it, as netlink may sleep to trim a message. A message that the
 * socket refuses is gone: its answers become losses, and the files it told
 * about are told again.
 */
#include <linux/slab.h>
#include <net/genetlink.h>
#include <net/net_namespace.h>

#include "core/walk.h"
#include "file_store.h"
#include "netlink.h"
#include "registry.h"
#include "request.h"
#include "session.h"

#define UW_BATCH_BYTES 16384
#define UW_BATCH_HEAD  128 /* headers and small attributes                       */

/* A message that was taken out of its batch. */
struct uw_message {
	struct sk_buff *skb;
	void *seq;
	u64 weight;
};

static_assert(sizeof(struct uwind_frame) == 24);
static_assert(sizeof(struct uwind_record_stack) + UWIND_MAX_FRAMES * sizeof(struct uwind_frame) <
	      U16_MAX - UW_BATCH_HEAD);

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
	return 0;
}

/* Take the message out, complete but for its number. */
static void uw_batch_close(struct uw_batch *batch, struct uw_message *message)
{
	struct sk_buff *skb = batch->skb;

	memset(message, 0, sizeof(*message));
	if (!skb)
		return;
	batch->records->nla_len = skb_tail_pointer(skb) - (unsigned char *)batch->records;
	genlmsg_end(skb, genlmsg_data(nlmsg_data(nlmsg_hdr(skb))));
	message->skb = skb;
	message->seq = batch->seq;
	message->weight = batch->weight;
	batch->skb = NULL;
}

static u32 uw_batch_room(const struct uw_batch *batch)
{
	u32 used;

	if (!batch->skb)
		return 0;
	used = skb_tail_pointer(batch->skb) - (unsigned char *)batch->records;
	return min_t(u32, skb_tailroom(batch->skb), U16_MAX - used);
}

/* Room for bytes, in a new message if need be; the full one goes to *full. */
static void *uw_batch_reserve(struct uw_batch *batch, const struct uw_session *session,
			      u32 bytes, struct uw_message *full)
{
	if (uw_batch_room(batch) < bytes) {
		uw_batch_close(batch, full);
		if (uw_batch_open(batch, session, bytes))
			return NULL;
	}
	return skb_put_zero(batch->skb, bytes);
}

static void uw_message_send(struct uw_session *session, struct uw_message *message)
{
	struct uw_sender *sender = &session->sender;
	int err = -ECONNREFUSED;

	if (!message->skb)
		return;
	mutex_lock(&sender->mutex);
	memcpy(message->seq, &sender->seq, sizeof(sender->seq));
	sender->seq++;
	if (READ_ONCE(session->reader.gone))
		kfree_skb(message->skb);
	else
		err = genlmsg_unicast(session->reader.net, message->skb, session->reader.portid);
	if (err)
		sender->messages_dropped++;
	else
		sender->messages++;
	mutex_unlock(&sender->mutex);
	if (!err)
		return;
	uw_stats_dropped(session->counts, message->weight);
	uw_file_untell(session->slot);
}

static void uw_record_file_fill(struct uwind_record_file *record, const struct uw_file *file,
				const struct uw_session *session, u64 pc)
{
	struct uwind_range mapping = {};

	uw_registry_mapping(pc, &mapping);
	record->record.type = UWIND_RECORD_FILE;
	record->file = file->number;
	if (!uw_file_kept(file))
		record->flags |= UWIND_FILE_NO_TABLE;
	if (file->vdso)
		record->flags |= UWIND_FILE_VDSO | (file->compat ? UWIND_FILE_COMPAT : 0);
	record->tgid = task_tgid_nr_ns(current, session->pid_ns);
	record->start = mapping.start;
	record->end = mapping.end;
	record->pgoff = mapping.offset;
	record->inode = file->id.inode;
	record->dev_major = MAJOR(file->id.dev);
	record->dev_minor = MINOR(file->id.dev);
	record->bytes = file->id.bytes;
	record->ctime_ns = file->id.ctime_ns;
	record->path_bytes = file->path_bytes;
	if (file->path_bytes)
		memcpy(record->path, file->path, file->path_bytes);
}

/*
 * Tell the session about a frame's file, if nobody did. One without a table is
 * urgent: each walk until it has one ends there.
 */
static void uw_send_file(struct uw_session *session, const struct uw_frame *frame)
{
	struct uw_batch *batch = raw_cpu_ptr(session->sender.batches);
	struct uw_message full = {}, urgent = {};
	struct uwind_record_file *record;
	struct uw_file *file;
	u32 bytes;

	rcu_read_lock();
	file = uw_file_find(frame->file);
	if (!file || test_bit(session->slot, &file->told) ||
	    test_and_set_bit(session->slot, &file->told)) {
		rcu_read_unlock();
		return;
	}
	bytes = ALIGN(sizeof(*record) + file->path_bytes, 8);
	spin_lock(&batch->lock);
	record = uw_batch_reserve(batch, session, bytes, &full);
	if (record) {
		record->record.bytes = bytes;
		uw_record_file_fill(record, file, session, frame->pc);
		if (record->flags & UWIND_FILE_NO_TABLE)
			uw_batch_close(batch, &urgent);
	} else {
		clear_bit(session->slot, &file->told);
	}
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

static void uw_record_stack_fill(struct uwind_record_stack *record,
				 const struct uw_session *session, const struct uw_answer *answer,
				 u32 weight, u32 nr)
{
	const struct uw_request *request = answer->request;
	u32 i;

	record->record.bytes = struct_size(record, frames, nr);
	record->record.type = UWIND_RECORD_STACK;
	record->cookie = request->cookie;
	record->time_ns = request->time_ns;
	record->start_time_ns = current->group_leader->start_boottime;
	record->exec_id = current->self_exec_id;
	record->tgid = task_tgid_nr_ns(current, session->pid_ns);
	record->tid = task_pid_nr_ns(current, session->pid_ns);
	record->cpu = request->cpu;
	record->weight = weight;
	get_task_comm(record->comm, current);
	record->word_bits = uw_abis[request->arch].word * BITS_PER_BYTE;
	if (!answer->walk) {
		record->lost = 1 + answer->loss;
		return;
	}
	record->stop = nr < answer->walk->nr_frames ? UWIND_STOP_DEPTH : answer->walk->stop;
	record->nr_frames = nr;
	for (i = 0; i < nr; i++) {
		const struct uw_frame *frame = &answer->walk->frames[i];

		record->frames[i].pc = frame->pc;
		record->frames[i].offset = frame->offset;
		record->frames[i].file = frame->offset >> 32 ? 0 : frame->file;
		record->frames[i].stack_bytes = frame->stack_bytes;
		record->frames[i].method = frame->method;
	}
}

static void uw_count_answer(struct uw_session *session, const struct uw_answer *answer,
			    const struct uwind_record_stack *record, u32 weight)
{
	if (!answer->walk)
		uw_stats_lost(session->counts, answer->loss, weight);
	else if (record)
		uw_stats_answered(session->counts, record->stop, weight);
	else
		uw_stats_lost(session->counts, UWIND_LOSS_NOMEM, weight);
}

void uw_sender_answer(struct uw_session *session, const struct uw_answer *answer, u32 weight)
{
	u32 nr = answer->walk ? min(answer->walk->nr_frames, session->max_frames) : 0;
	struct uwind_record_stack *record;
	struct uw_message full = {};
	struct uw_batch *batch;

	if (nr)
		uw_send_files(session, answer->walk, nr);
	batch = raw_cpu_ptr(session->sender.batches);
	spin_lock(&batch->lock);
	record = uw_batch_reserve(batch, session, struct_size(record, frames, nr), &full);
	if (record)
		uw_record_stack_fill(record, session, answer, weight, nr);
	uw_count_answer(session, answer, record, weight);
	if (record && answer->walk)
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

// SPDX-License-Identifier: GPL-2.0
/*
 * Sending is not for tasks that are sampled: it takes locks of the socket and may
 * allocate. They put full messages into a list, and a worker sends them, one behind
 * the other, which makes sequence numbers arrive in order. It is a kernel thread, so
 * no control group withholds processor time from it.
 *
 * A message that finds too much waiting, or that the socket refuses, is gone: its
 * answers become losses, its sequence number is left out, and files are announced
 * again if it announced any.
 */
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/skbuff.h>
#include <linux/slab.h>

#include "core/walk.h"
#include "request/request.h"
#include "session/batch.h"
#include "session/reader.h"
#include "session/record.h"
#include "session/sender.h"
#include "session/session.h"
#include "stall.h"
#include "store/file_store.h"
#include "store/registry.h"
#include "store/tie.h"

static_assert(UWIND_MAX_SESSIONS <= UW_FILE_SLOTS);

#define UW_SENDER_BYTES (4 << 20) /* of a session's messages that wait to be sent */

static struct workqueue_struct *sender_queue;

/* What is known of a full message; netlink finds zeros there. */
struct uw_message {
	struct llist_node node; /* in uw_sender.full                             */
	u64 weight;
	u32 seq_at;
	bool has_files;
};

static struct uw_message *uw_message_of(struct sk_buff *skb)
{
	static_assert(sizeof(struct uw_message) <= sizeof(skb->cb));
	return (struct uw_message *)skb->cb;
}

static struct sk_buff *uw_message_skb(struct llist_node *node)
{
	return container_of((void *)node, struct sk_buff, cb);
}

static void uw_message_dropped(struct uw_session *session, const struct uw_message *message)
{
	this_cpu_inc(session->sender.sent->messages_dropped);
	uw_stats_dropped(session->counts, message->weight);
	if (message->has_files)
		uw_file_clear_announced(session->slot);
}

static void uw_message_send(struct uw_session *session, struct sk_buff *skb)
{
	struct uw_sender *sender = &session->sender;
	const struct uw_message message = *uw_message_of(skb);
	u64 seq = atomic64_fetch_inc(&sender->seq);
	u32 bytes = skb->len, memory = skb->truesize;

	memcpy(skb->data + message.seq_at, &seq, sizeof(seq));
	memset(skb->cb, 0, sizeof(skb->cb));
	uw_stall_asleep(UW_STALL_MESSAGE_SEND);
	if (uw_reader_send(session->reader, skb)) {
		uw_message_dropped(session, &message);
	} else {
		this_cpu_inc(sender->sent->messages);
		this_cpu_add(sender->sent->bytes, bytes);
	}
	atomic_sub(memory, &sender->waiting_bytes);
}

static void uw_sender_work(struct work_struct *work)
{
	struct uw_session *session = container_of(work, struct uw_session, sender.work);
	struct llist_node *node = llist_reverse_order(llist_del_all(&session->sender.full)), *next;

	for (; node; node = next) {
		next = node->next;
		uw_message_send(session, uw_message_skb(node));
		cond_resched();
	}
}

void uw_sender_queue(struct uw_session *session, struct sk_buff *skb, const struct uw_batch *batch)
{
	struct uw_sender *sender = &session->sender;
	struct uw_message *message = uw_message_of(skb);

	*message = (struct uw_message){
		.weight = batch->weight, .seq_at = batch->seq_at, .has_files = batch->has_files,
	};
	if (atomic_add_return(skb->truesize, &sender->waiting_bytes) > UW_SENDER_BYTES) {
		atomic_sub(skb->truesize, &sender->waiting_bytes);
		atomic64_inc(&sender->seq);
		uw_message_dropped(session, message);
		kfree_skb(skb);
		return;
	}
	if (llist_add(&message->node, &sender->full))
		queue_work(sender_queue, &sender->work);
}

/*
 * One without a table is urgent: each walk until it has one ends there. One whose path
 * cannot be seen here, as the task exits or somebody changes its mappings, is announced
 * again by the next walk.
 */
static void uw_send_new_file(struct uw_session *session, struct uw_batch *batch,
			     struct uw_file *file, u64 pc)
{
	char *buffer = file->vdso ? NULL : kmalloc(PATH_MAX, GFP_NOWAIT | __GFP_NOWARN);
	const char *path = buffer ? uw_registry_path(file, pc, buffer) : NULL;
	u32 needed = uw_record_file(batch, session, file, pc, path);

	if (needed && !uw_batch_renew(session, batch, needed))
		needed = uw_record_file(batch, session, file, pc, path);
	if (needed || (!path && !file->vdso))
		uw_file_unset_announced(file, session->slot);
	else if (!uw_tie_table(file))
		uw_batch_close(session, batch);
	kfree(buffer);
}

/* Announce a frame's file to the session, if nobody did. */
static void uw_send_file(struct uw_session *session, struct uw_batch *batch,
			 const struct uw_frame *frame)
{
	struct uw_file *file;

	rcu_read_lock();
	file = uw_file_find(frame->file);
	if (file && uw_file_set_announced(file, session->slot))
		uw_send_new_file(session, batch, file, frame->pc);
	rcu_read_unlock();
}

static void uw_send_files(struct uw_session *session, struct uw_batch *batch,
			  const struct uw_walk *walk, u32 nr)
{
	u32 i, last = 0;

	for (i = 0; i < nr; i++) {
		if (walk->frames[i].file && walk->frames[i].file != last)
			uw_send_file(session, batch, &walk->frames[i]);
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

/* Whether it is in the message. */
static bool uw_send_answer(struct uw_session *session, struct uw_batch *batch,
			   const struct uw_answer *answer, u32 nr, u32 weight)
{
	u32 needed;

	if (nr)
		uw_send_files(session, batch, answer->walk, nr);
	needed = uw_record_answer(batch, session, answer, nr, weight);
	if (needed && !uw_batch_renew(session, batch, needed))
		needed = uw_record_answer(batch, session, answer, nr, weight);
	if (!needed && answer->walk)
		batch->weight += weight;
	return !needed;
}

void uw_sender_answer(struct uw_session *session, const struct uw_answer *answer, u32 weight)
{
	u32 nr = answer->walk ? min(answer->walk->nr_frames, session->max_frames) : 0;
	struct uw_batch *batch = uw_batch_take(session);
	bool is_recorded = batch && uw_send_answer(session, batch, answer, nr, weight);

	/* Before the message can be sent and, if it is dropped, counted as a loss. */
	uw_count_answer(session, answer, is_recorded, nr, weight);
	if (batch)
		uw_batch_give(session, batch);
}

void uw_sender_flush(struct uw_session *session)
{
	uw_batch_flush(session);
	flush_work(&session->sender.work);
}

void uw_sender_stats(const struct uw_sender *sender, struct uwind_session_stats *stats)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		const struct uw_sent *sent = per_cpu_ptr(sender->sent, cpu);

		stats->messages += READ_ONCE(sent->messages);
		stats->messages_dropped += READ_ONCE(sent->messages_dropped);
		stats->bytes += READ_ONCE(sent->bytes);
		stats->stacks_told += READ_ONCE(sent->stacks_told);
		stats->stacks_known += READ_ONCE(sent->stacks_known);
	}
}

int uw_sender_init(struct uw_sender *sender)
{
	INIT_WORK(&sender->work, uw_sender_work);
	init_llist_head(&sender->full);
	sender->batches = alloc_percpu(struct uw_batch *);
	sender->sent = alloc_percpu(struct uw_sent);
	return sender->batches && sender->sent ? 0 : -ENOMEM;
}

void uw_sender_deinit(struct uw_session *session)
{
	if (session->sender.batches)
		uw_batch_free_all(session);
	free_percpu(session->sender.batches);
	free_percpu(session->sender.sent);
}

void uw_sender_schedule(struct delayed_work *work, unsigned long delay)
{
	queue_delayed_work(sender_queue, work, delay);
}

int uw_sender_setup(void)
{
	sender_queue = alloc_workqueue("uwind", WQ_UNBOUND | WQ_HIGHPRI, 0);
	return sender_queue ? 0 : -ENOMEM;
}

void uw_sender_exit(void)
{
	destroy_workqueue(sender_queue);
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Sending is not for tasks that are sampled: it takes locks of the socket and may
 * allocate. They put full messages into a list, and a worker sends them, one after
 * the other, which makes sequence numbers arrive in order. It is a kernel thread, so
 * no control group withholds processor time from it.
 *
 * A message that finds too much waiting, or that the socket refuses, is gone: its
 * answers become losses, and its sequence number is left out. Files are kept until the
 * socket takes them, and nothing is sent before those that were queued earlier, so that
 * nobody receives frames in a file that has not been announced.
 */
#include <linux/sched.h>

#include "session/outbox.h"
#include "session/reader.h"
#include "stall.h"
#include "stats.h"
#include "uwind.h"

#define UW_OUTBOX_BYTES (4 << 20) /* of a session's messages that wait to be sent */

static struct workqueue_struct *outbox_queue;

/* Lies in the message's control block, where netlink finds zeros later. */
struct uw_queued {
	struct llist_node node; /* in uw_outbox.full */
	struct uw_message message;
};

static struct uw_queued *queued_of(struct sk_buff *skb)
{
	static_assert(sizeof(struct uw_queued) <= sizeof(skb->cb));
	return (struct uw_queued *)skb->cb;
}

static struct sk_buff *queued_skb(struct llist_node *node)
{
	return container_of((void *)node, struct sk_buff, cb);
}

static void message_dropped(struct uw_outbox *outbox, const struct uw_message *message)
{
	this_cpu_inc(outbox->sent->messages_dropped);
	this_cpu_add(outbox->sent->events_dropped, message->events);
	uw_stats_dropped(outbox->counts, message->weight);
}

/* Takes the message. -EAGAIN: no room. */
static int message_give(struct uw_outbox *outbox, struct sk_buff *skb)
{
	u32 bytes = skb->len;
	int err;

	uw_stall_asleep(UW_STALL_MESSAGE_SEND);
	err = uw_reader_send(outbox->reader, skb);
	if (!err) {
		this_cpu_inc(outbox->sent->messages);
		this_cpu_add(outbox->sent->bytes, bytes);
	}
	return err;
}

/* Whether none is left. A reader that is gone leaves none either. */
static bool files_send(struct uw_outbox *outbox)
{
	struct sk_buff *skb, *copy;

	while ((skb = skb_peek(&outbox->files))) {
		copy = skb_clone(skb, GFP_KERNEL);
		if (!copy || message_give(outbox, copy) == -EAGAIN)
			return false;
		__skb_unlink(skb, &outbox->files);
		atomic_sub(skb->truesize, &outbox->waiting_bytes);
		consume_skb(skb);
		cond_resched();
	}
	return true;
}

/* Takes the message. */
static void frames_send(struct uw_outbox *outbox, struct sk_buff *skb, const struct uw_message *message)
{
	u32 memory = skb->truesize;

	if (!files_send(outbox)) {
		message_dropped(outbox, message);
		kfree_skb(skb);
	} else if (message_give(outbox, skb)) {
		message_dropped(outbox, message);
	}
	atomic_sub(memory, &outbox->waiting_bytes);
}

static void message_send(struct uw_outbox *outbox, struct sk_buff *skb)
{
	const struct uw_message message = queued_of(skb)->message;
	u64 seq = atomic64_fetch_inc(&outbox->seq);

	memcpy(skb->data + message.seq_at, &seq, sizeof(seq));
	memset(skb->cb, 0, sizeof(skb->cb));
	if (message.is_file) {
		__skb_queue_tail(&outbox->files, skb);
		files_send(outbox);
	} else {
		frames_send(outbox, skb, &message);
	}
}

static void outbox_work(struct work_struct *work)
{
	struct uw_outbox *outbox = container_of(work, struct uw_outbox, work);
	struct llist_node *node = llist_reverse_order(llist_del_all(&outbox->full)), *next;

	files_send(outbox);
	for (; node; node = next) {
		next = node->next;
		message_send(outbox, queued_skb(node));
		cond_resched();
	}
}

/* Whether it fits. */
static bool outbox_charge(struct uw_outbox *outbox, const struct sk_buff *skb)
{
	if (atomic_add_return(skb->truesize, &outbox->waiting_bytes) <= UW_OUTBOX_BYTES)
		return true;
	atomic_sub(skb->truesize, &outbox->waiting_bytes);
	return false;
}

/* Files may be all that waits: then nobody else makes the worker try them again. */
static void outbox_refuse(struct uw_outbox *outbox, struct sk_buff *skb, const struct uw_message *message)
{
	if (!message->is_file) {
		atomic64_inc(&outbox->seq);
		message_dropped(outbox, message);
	}
	kfree_skb(skb);
	queue_work(outbox_queue, &outbox->work);
}

bool uw_outbox_queue(struct uw_outbox *outbox, struct sk_buff *skb, const struct uw_message *message)
{
	struct uw_queued *queued = queued_of(skb);

	if (!outbox_charge(outbox, skb)) {
		outbox_refuse(outbox, skb, message);
		return false;
	}
	queued->message = *message;
	if (llist_add(&queued->node, &outbox->full))
		queue_work(outbox_queue, &outbox->work);
	return true;
}

void uw_outbox_flush(struct uw_outbox *outbox)
{
	might_sleep();
	flush_work(&outbox->work);
}

void uw_outbox_lose_events(struct uw_outbox *outbox, u32 events)
{
	this_cpu_add(outbox->sent->events_dropped, events);
}

void uw_outbox_stats(const struct uw_outbox *outbox, struct uwind_session_stats *stats)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		const struct uw_sent *sent = per_cpu_ptr(outbox->sent, cpu);

		stats->messages += READ_ONCE(sent->messages);
		stats->messages_dropped += READ_ONCE(sent->messages_dropped);
		stats->events_dropped += READ_ONCE(sent->events_dropped);
		stats->bytes += READ_ONCE(sent->bytes);
	}
}

int uw_outbox_init(struct uw_outbox *outbox, const struct uw_reader *reader, struct uw_counts __percpu *counts)
{
	INIT_WORK(&outbox->work, outbox_work);
	init_llist_head(&outbox->full);
	__skb_queue_head_init(&outbox->files);
	outbox->reader = reader;
	outbox->counts = counts;
	outbox->sent = alloc_percpu(struct uw_sent);
	return outbox->sent ? 0 : -ENOMEM;
}

void uw_outbox_deinit(struct uw_outbox *outbox)
{
	__skb_queue_purge(&outbox->files);
	free_percpu(outbox->sent);
}

void uw_outbox_schedule(struct delayed_work *work, unsigned long delay)
{
	queue_delayed_work(outbox_queue, work, delay);
}

void uw_outbox_run(struct work_struct *work)
{
	queue_work(outbox_queue, work);
}

int uw_outbox_setup(void)
{
	outbox_queue = alloc_workqueue("uwind", WQ_UNBOUND | WQ_HIGHPRI, 0);
	return outbox_queue ? 0 : -ENOMEM;
}

void uw_outbox_exit(void)
{
	destroy_workqueue(outbox_queue);
}

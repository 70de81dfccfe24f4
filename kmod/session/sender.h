/* SPDX-License-Identifier: GPL-2.0 */
/*
 * From answers to the reader's socket: the session's side of sending.
 */
#ifndef UW_SENDER_H
#define UW_SENDER_H

#include <linux/atomic.h>
#include <linux/llist.h>
#include <linux/percpu.h>
#include <linux/types.h>
#include <linux/workqueue.h>

struct sk_buff;
struct uw_answer;
struct uw_batch;
struct uw_session;
struct uwind_session_stats;

/* Sums of one CPU. */
struct uw_sent {
	u64 messages;
	u64 messages_dropped;
	u64 bytes;
	u64 stacks_told;
	u64 stacks_known;
};

struct uw_sender {
	struct uw_batch *__percpu *batches; /* NULL: taken, or not made yet. xchg, cmpxchg */
	struct uw_sent __percpu *sent;
	struct llist_head full;    /* messages to send, the newest first         */
	atomic_t waiting_bytes;    /* of memory: in full, and with the worker    */
	atomic64_t seq;            /* of the next message                        */
	struct work_struct work;   /* sends what is full                         */
};

int uw_sender_init(struct uw_sender *sender);
/* Nobody answers any more, and everything is sent. Also after a failed init. */
void uw_sender_deinit(struct uw_session *session);

/* Append the answer to one request, with the files it mentions. Task context. Waits for nobody. */
void uw_sender_answer(struct uw_session *session, const struct uw_answer *answer, u32 weight);

/* A message that batch has filled will be sent. Task context. Waits for nobody. */
void uw_sender_queue(struct uw_session *session, struct sk_buff *skb, const struct uw_batch *batch);

/* Have sent what there was when this was called. Sleeps. */
void uw_sender_flush(struct uw_session *session);

/* What was sent. */
void uw_sender_stats(const struct uw_sender *sender, struct uwind_session_stats *stats);

/* For the module: the threads that send. */
int uw_sender_setup(void);
void uw_sender_exit(void);
/* A session's own work is done by the same threads. */
void uw_sender_schedule(struct delayed_work *work, unsigned long delay);

#endif

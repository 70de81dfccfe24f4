/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Batches: records on their way to a session's reader, one message per CPU
 * being filled.
 */
#ifndef UW_BATCH_H
#define UW_BATCH_H

#include <linux/mutex.h>
#include <linux/netdevice.h>
#include <linux/percpu.h>
#include <linux/spinlock.h>
#include <linux/types.h>

struct nlattr;
struct sk_buff;
struct uw_answer;
struct uw_session;
struct uw_named;
struct uwind_session_stats;

#define UW_BATCH_TOLD 512

/* One CPU's message. */
struct uw_batch {
	spinlock_t lock;        /* Order: innermost. Task context only           */
	struct sk_buff *skb;    /* Protected by: lock, like all below            */
	struct nlattr *records; /* attribute being filled                        */
	void *seq;              /* where the sequence number goes                */
	u64 weight;             /* answers in it that count as answered          */
	u64 stacks_told;        /* since the session began                       */
	u64 stacks_known;
	u16 last_number;        /* of a record in this message                   */
	u32 told[UW_BATCH_TOLD]; /* by hash: offset of a record with a number; 0: none */
};

/* A message that was taken out of its batch. */
struct uw_message {
	struct sk_buff *skb; /* NULL: there was none                             */
	void *seq;
	u64 weight;
};

struct uw_sender {
	struct uw_batch __percpu *batches;
	struct mutex mutex;   /* makes sequence numbers arrive in order. Outermost */
	u64 seq;              /* Protected by: mutex                               */
	u64 messages;         /* Protected by: mutex                               */
	u64 messages_dropped; /* Protected by: mutex                               */
	u64 bytes;            /* Protected by: mutex                               */
};

int uw_sender_init(struct uw_sender *sender);
void uw_sender_deinit(struct uw_sender *sender);

/*
 * Room for one more record of at most so many bytes, in the attribute being filled or,
 * if that cannot hold them, in another one of the message; 0 without a message. The
 * record goes to skb_tail_pointer(batch->skb). The caller holds batch->lock.
 */
u32 uw_batch_room(struct uw_batch *batch, u32 most);

/*
 * The record behind the message's end, complete but for its number, becomes part of
 * it, unless the message says the same already. Returns the number that it has there.
 * The caller holds batch->lock and knows that there is room.
 */
u16 uw_batch_tell(struct uw_batch *batch, struct uw_named *record);

/* Append the answer to one request, with the files it mentions. Task context. */
void uw_sender_answer(struct uw_session *session, const struct uw_answer *answer, u32 weight);

/* Send what there is. May sleep. */
void uw_sender_flush(struct uw_session *session);

/* What was sent. May sleep. */
void uw_sender_stats(struct uw_sender *sender, struct uwind_session_stats *stats);

#endif

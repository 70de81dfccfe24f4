/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Batches: one message of a session that is being filled.
 */
#ifndef UW_BATCH_H
#define UW_BATCH_H

#include <linux/types.h>

struct nlattr;
struct sk_buff;
struct uw_session;
struct uw_named;

#define UW_BATCH_ANNOUNCED 512

/* Owned by who took it: see uw_batch_take(). */
struct uw_batch {
	struct sk_buff *skb;    /* NULL: none yet                                */
	struct nlattr *records; /* attribute being filled                        */
	u64 weight;             /* answers in it that count as answered          */
	u32 seq_at;             /* offset in the message of its sequence number  */
	bool has_files;         /* a record in it announces one                  */
	u16 last_number;        /* of a record in this message                   */
	u32 announced[UW_BATCH_ANNOUNCED]; /* by hash: offset of a record with a number; 0: none */
};

/*
 * Take the CPU's batch for as long as something is written into it; others meanwhile
 * make one of their own, so nobody waits. NULL: no memory. Task context.
 */
struct uw_batch *uw_batch_take(struct uw_session *session);
/* Give it back, to the CPU that current is on now; if that has another one, send it. */
void uw_batch_give(struct uw_session *session, struct uw_batch *batch);

/* Send what each CPU's batch has. Task context. */
void uw_batch_flush(struct uw_session *session);
/* Nobody can take one any more. */
void uw_batch_free_all(struct uw_session *session);

/* Hand the message to the sender, complete but for its number. */
void uw_batch_close(struct uw_session *session, struct uw_batch *batch);
/* The same, and begin one with room for bytes. -ENOMEM. */
int uw_batch_renew(struct uw_session *session, struct uw_batch *batch, u32 bytes);

/*
 * Room for one more record of at most so many bytes, in the attribute being filled or,
 * if that cannot hold them, in another one of the message; 0 without a message. The
 * record goes to skb_tail_pointer(batch->skb).
 */
u32 uw_batch_room(struct uw_batch *batch, u32 most);

/*
 * The record after the message's end, complete but for its number, becomes part of
 * it, unless the message says the same already. Returns the number that it has there.
 * The caller knows that there is room.
 */
u16 uw_batch_announce(struct uw_batch *batch, struct uw_named *record);

#endif

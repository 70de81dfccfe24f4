/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Batches: one message of a session that is being filled.
 */
#ifndef UW_BATCH_H
#define UW_BATCH_H

#include <linux/types.h>

#include "session/known.h"
#include "session/outbox.h"
#include "session/record.h"
#include "uwind.h"

struct nlattr;
struct sk_buff;

#define UW_BATCH_ANNOUNCED_BITS 9
#define UW_BATCH_ANNOUNCED      (1u << UW_BATCH_ANNOUNCED_BITS)

/* How records begin that others name by number. */
struct uw_named {
	struct uwind_record record;
	u16 number;
};

static_assert(offsetof(struct uwind_record_stack, number) == offsetof(struct uw_named, number));
static_assert(offsetof(struct uwind_record_thread, number) == offsetof(struct uw_named, number));

/*
 * Owned by the task that took it (see uw_batch_take()), which alone reads and writes the members. In its place
 * nobody does.
 */
struct uw_batch {
	struct uw_outbox *outbox;          /* where it goes. Set once. Lifetime: longer than the batch's */
	struct sk_buff *skb;               /* the message, owned; NULL: none yet */
	struct nlattr *records;            /* the attribute of skb that is being filled */
	struct uw_message message;         /* what is known of skb */
	u16 last_number;                   /* of a record in skb */
	struct uw_known known;             /* of skb */
	struct uw_sampled sampled;         /* the last sample in skb */
	u32 announced[UW_BATCH_ANNOUNCED]; /* by hash: offset in skb of a record with a number; 0: none */
};

/* A session's batches: one for each CPU. Set by uw_batches_init(). */
struct uw_batches {
	struct uw_outbox *outbox; /* Lifetime: longer than the batches' */
	/* Owned. A place is changed by xchg() and cmpxchg() only, by any CPU; NULL: taken, or not made yet. */
	struct uw_batch *__percpu *places;
};

/* -ENOMEM. */
int uw_batches_init(struct uw_batches *batches, struct uw_outbox *outbox);
/* Nobody can take one any more. Also after a failed init. */
void uw_batches_deinit(struct uw_batches *batches);

/* Queue what each CPU's batch has. Task context. */
void uw_batches_close(struct uw_batches *batches);

/*
 * Take the CPU's batch for as long as something is written into it; others meanwhile
 * make one of their own, so nobody waits. NULL: no memory. Task context.
 */
struct uw_batch *uw_batch_take(struct uw_batches *batches);
/* Give it back, to the CPU that current is on now; if that has another one, queue it. */
void uw_batch_give(struct uw_batches *batches, struct uw_batch *batch);

/* Queue the message, complete but for its number. */
void uw_batch_close(struct uw_batch *batch);
/* The same, and begin one with room for bytes. -ENOMEM. */
int uw_batch_renew(struct uw_batch *batch, u32 bytes);

/* Several records that go into a message together, or not at all. */
struct uw_batch_writer {
	struct uw_batch *batch;
	void *at;               /* where the next record is made */
	u32 room;               /* how many bytes are there */
	u32 needed;             /* bytes of all, if the message knew nothing of it */
	bool full;              /* there was no room for one of them */
	u32 length;             /* of the message, when they began */
	struct nlattr *records; /* the attribute, when they began */
};

void uw_batch_begin(struct uw_batch_writer *writer, struct uw_batch *batch);

/*
 * Room for one more record of at most so many bytes, in the attribute being filled or,
 * if that cannot hold them, in another one of the message: writer->at and ->room, which
 * is 0 without a message.
 */
void uw_batch_reserve(struct uw_batch_writer *writer, u32 most);

/* The record at writer->at, of so many bytes, becomes part of the message if it has room. */
void uw_batch_add(struct uw_batch_writer *writer, u32 bytes);

/*
 * The same for a record with a number, unless the message says the same already.
 * Returns the number that it has there; 0: no room.
 */
u16 uw_batch_add_named(struct uw_batch_writer *writer, u32 bytes);

/*
 * 0: all records are in the message; else none is, and so many bytes are enough for
 * all of them.
 */
u32 uw_batch_end(struct uw_batch_writer *writer);

#endif

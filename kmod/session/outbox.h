/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A session's messages that are complete, on their way to its reader.
 */
#ifndef UW_OUTBOX_H
#define UW_OUTBOX_H

#include <linux/atomic.h>
#include <linux/llist.h>
#include <linux/percpu.h>
#include <linux/skbuff.h>
#include <linux/types.h>
#include <linux/workqueue.h>

struct uw_counts;
struct uw_reader;
struct uwind_session_stats;

/* Sums of one CPU, which alone adds to them, in a task's context. */
struct uw_sent {
	u64 messages;
	u64 messages_dropped;
	u64 events_dropped;
	u64 bytes;
};

/* Set by uw_outbox_init(), constant until uw_outbox_deinit(), unless a member's comment says otherwise. */
struct uw_outbox {
	const struct uw_reader *reader;    /* Lifetime: longer than the outbox's */
	struct uw_counts __percpu *counts; /* the session's: what is dropped is lost. Lifetime: the same */
	struct uw_sent __percpu *sent;     /* owned. Each CPU adds to its own, in a task's context */
	unsigned int slot;                 /* the session's. Order: set before the first message */
	u32 number;                        /* the session's. Order: set before the first message */
	struct llist_head full;            /* messages to send, newest first. Anyone adds, the worker takes all */
	struct sk_buff_head files;         /* those of files, until the reader takes them. Owned by the worker */
	atomic_t waiting_bytes;            /* of memory: in full, in files, and with the worker */
	atomic64_t seq;                    /* of the next message */
	struct work_struct work;           /* sends what is full. Runs one at a time */
};

/* What is known of a complete message. Owned by the owner of the message. */
struct uw_message {
	u64 weight;   /* answers in it that count as answered */
	u32 events;   /* records of events */
	u32 seq_at;   /* offset in the message of its sequence number */
	bool is_file; /* its one record is a file: later messages' frames may lie in that */
};

/* -ENOMEM. */
int uw_outbox_init(struct uw_outbox *outbox, const struct uw_reader *reader, struct uw_counts __percpu *counts);
/* Nobody queues any more, and everything is sent. Also after a failed init. */
void uw_outbox_deinit(struct uw_outbox *outbox);

/*
 * Queue a message that is complete but for its sequence number. Task context. Waits for nobody. false: too much waits; the
 * message is gone, and counted as a loss unless it is a file.
 */
bool uw_outbox_queue(struct uw_outbox *outbox, struct sk_buff *skb, const struct uw_message *message);

/* Wait until what was queued before the call has been sent. Sleeps. */
void uw_outbox_flush(struct uw_outbox *outbox);

/* So many events could not be put into a message. Task context. */
void uw_outbox_lose_events(struct uw_outbox *outbox, u32 events);

/* What was sent. */
void uw_outbox_stats(const struct uw_outbox *outbox, struct uwind_session_stats *stats);

/* For the module: the threads that send. A session's own work is done by the same threads. */
int uw_outbox_setup(void);
void uw_outbox_exit(void);
void uw_outbox_schedule(struct delayed_work *work, unsigned long delay);
/* Hard interrupt or task. */
void uw_outbox_run(struct work_struct *work);

#endif

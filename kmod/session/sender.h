/* SPDX-License-Identifier: GPL-2.0 */
/*
 * From answers to messages: the session's side of sending.
 */
#ifndef UW_SENDER_H
#define UW_SENDER_H

#include <linux/types.h>

#include "session/batch.h"
#include "session/notes.h"
#include "session/outbox.h"
#include "session/unfinished.h"

struct cpumask;
struct pid_namespace;
struct uw_answer;
struct uw_counts;
struct uw_reader;
struct uwind_session_start;
struct uwind_session_stats;

/* Sums of one CPU. */
struct uw_stacks {
	u64 spelled_out; /* in a message */
	u64 known;       /* that it had already */
	u64 unfinished;  /* with what it takes to go on */
	u64 unfinished_refused;
};

/* Set by uw_sender_init(), constant until uw_sender_deinit(), but for what the members say of themselves. */
struct uw_sender {
	struct uw_outbox outbox;           /* Protected by: its own rules */
	struct uw_batches batches;         /* Protected by: its own rules */
	struct uw_stacks __percpu *stacks; /* owned. Each CPU adds to its own, in a task's context */
	struct uw_unfinished unfinished;
	struct uw_notes notes;         /* Protected by: its own rules */
	struct work_struct send_notes; /* of all CPUs */
	struct pid_namespace *pid_ns;  /* holds a reference */
	u32 max_frames;                /* of a stack */
};

/*
 * Of current's session, as arg wants it. Counts and reader live longer. -ENOMEM: uw_sender_deinit() is due all
 * the same.
 */
int uw_sender_init(struct uw_sender *sender, const struct uw_reader *reader, struct uw_counts __percpu *counts,
		   const struct uwind_session_start *arg);
/* Nobody answers any more, and everything is sent. Does nothing without init. */
void uw_sender_deinit(struct uw_sender *sender);

/* Also send what its counters note on these CPUs. -ENOMEM. May sleep. */
int uw_sender_take_notes(struct uw_sender *sender, const struct cpumask *cpus);

/* What an answer is for. */
struct uw_triggers {
	u32 all;
	u32 noted; /* of these; each is a note of its own */
};

/* Append the answer to one request, with the files it mentions. Task context. Waits for nobody. */
void uw_sender_answer(struct uw_sender *sender, const struct uw_answer *answer, struct uw_triggers of);

/* Send notes, and queue incomplete messages, too. Task context. */
void uw_sender_push(struct uw_sender *sender);

/* Wait until what was written before the call has been sent. Sleeps. */
void uw_sender_flush(struct uw_sender *sender);

/* What was sent. */
void uw_sender_stats(const struct uw_sender *sender, struct uwind_session_stats *stats);

#endif

// SPDX-License-Identifier: GPL-2.0
/*
 * The task that was asked for its stack writes it into a message itself, with the
 * files that the session does not know yet.
 *
 * A stack is cut so that stacks have parts in common: the innermost frame, which differs
 * most, is one of its own, and its callers are cut from the outer end, and where the thread's
 * last walk was met. The outermost part comes first. What is in the message already is found
 * by its id, or else by its bytes. The work is linear in the frames.
 */
#include <linux/pid_namespace.h>

#include "core/frame_code.h"
#include "request/request.h"
#include "session/batch.h"
#include "session/file_sender.h"
#include "session/note_sender.h"
#include "session/record.h"
#include "session/sender.h"
#include "stats.h"

static_assert(UWIND_MAX_FRAMES % UWIND_PART_FRAMES == 0);
/* Records with numbers, in the longest message. */
static_assert((UWIND_MAX_FRAMES / UWIND_PART_FRAMES + 2) * UW_MOST_STACK_BYTES / 16 < U16_MAX);

#define UW_NOTES_AT_ONCE 16u /* that a task sends when it answers; the worker sends what is left */

/*
 * How many of a walk's first nr frames are not in the message as a part that is known by its id, with all outer
 * ones. *part: that one, if it is less than nr. Frames that the thread's last walk did not have have new ids.
 */
static u32 count_new(const struct uw_batch *batch, const struct uw_walk *walk, u32 nr,
		     const struct uw_known_part **part)
{
	u32 i;

	if (!walk->nr_same || nr < walk->nr_frames || !batch->skb)
		return nr;
	for (i = max(nr - walk->nr_same, 1u); i < nr; i++) {
		*part = uw_known_part(&batch->known, walk, i);
		if (*part && (*part)->parts + 2 + i / UWIND_PART_FRAMES < UWIND_MAX_PARTS)
			return i;
	}
	return nr;
}

/* The same, and those frames are filled. */
static u32 fill_new(const struct uw_batch *batch, struct uw_walk *walk, u32 nr, const struct uw_known_part **part)
{
	u32 nr_new = count_new(batch, walk, nr, part);

	if (nr_new > walk->nr_filled)
		uw_walk_fill(walk);
	return nr_new;
}

/* Those of a part that is known are announced. false: one is not. */
static bool send_files(struct uw_sender *sender, struct uw_batch *batch, struct uw_walk *walk, u32 nr)
{
	const struct uw_known_part *part;
	const struct uw_frame *frame = walk->frames, *end = frame + fill_new(batch, walk, nr, &part);
	u32 last = 0;

	for (; frame < end; frame++) {
		if (frame->file == last)
			continue;
		last = frame->file;
		if (last && !uw_file_send(&sender->outbox, frame, sender->pid_ns))
			return false;
	}
	return true;
}

/* past: current as it was then, or NULL. */
static u16 write_thread(struct uw_batch_writer *writer, const struct uw_sender *sender, const struct uw_last_walk *past)
{
	struct uw_thread thread;

	uw_thread_set(&thread, current, sender->pid_ns);
	get_task_comm(thread.comm, current); /* whole, as uw_known_set_current() takes it */
	if (past) {
		thread.exec_id = past->exec_id;
		memcpy(thread.comm, past->comm, TASK_COMM_LEN);
	}
	uw_batch_reserve(writer, UW_MOST_THREAD_BYTES);
	return uw_batch_add_named(writer, uw_record_thread(writer->at, writer->room, &thread));
}

static u16 send_thread(struct uw_batch_writer *writer, const struct uw_sender *sender, const struct uw_answer *answer)
{
	struct uw_known *known = &writer->batch->known;
	u16 number = writer->batch->skb ? uw_known_current(known) : 0;

	if (answer->past)
		return write_thread(writer, sender, &answer->request->last);
	if (number)
		return number;
	number = write_thread(writer, sender, NULL);
	if (number)
		uw_known_set_current(known, number);
	return number;
}

/*
 * Where the part begins that ends before frame i. The innermost frame is one of its own, and the frames that
 * the thread's last walk had too share none with the others.
 */
static u32 part_start(const struct uw_walk *walk, u32 i, u32 nr)
{
	u32 same = nr == walk->nr_frames ? nr - walk->nr_same : nr;
	u32 start = i > same ? same : 0;

	start = max(start, i > 1 ? 1u : 0u);
	return i - start > UWIND_PART_FRAMES ? i - UWIND_PART_FRAMES : start;
}

static u16 send_part(struct uw_batch_writer *writer, const struct uw_part_of_stack *part)
{
	uw_batch_reserve(writer, UW_MOST_STACK_BYTES);
	return uw_batch_add_named(writer, uw_record_stack(writer->at, writer->room, part));
}

/* The innermost frame alone, which is mostly one of a few. */
static u16 send_leaf(struct uw_batch_writer *writer, const struct uw_part_of_stack *part)
{
	struct uw_known *known = &writer->batch->known;
	u16 number = part->below ? uw_known_leaf(known, part->frames, part->below) : 0;

	if (number)
		return number;
	number = send_part(writer, part);
	if (number && part->below)
		uw_known_set_leaf(known, part->frames, part->below, number);
	return number;
}

/* Returns the number of the innermost part. */
static u16 send_stack(struct uw_batch_writer *writer, struct uw_walk *walk, u32 nr)
{
	struct uw_part_of_stack part = { .stop = uw_record_stop(walk, nr) };
	struct uw_known *known = &writer->batch->known;
	const struct uw_known_part *outer;
	u32 i = fill_new(writer->batch, walk, nr, &outer), start;
	u16 parts = 0;

	if (i < nr) {
		part.below = outer->number;
		parts = outer->parts;
	}
	do {
		start = part_start(walk, i, nr);
		part.nr = i - start;
		part.frames = &walk->frames[start];
		part.below = i == 1 ? send_leaf(writer, &part) : send_part(writer, &part);
		i = start;
		if (part.below && i && nr == walk->nr_frames)
			uw_known_set_part(known, walk, i, part.below, ++parts);
	} while (i);
	return part.below;
}

static struct uw_sample_of sample_of(struct uw_triggers of)
{
	return (struct uw_sample_of){ .weight = of.all - of.noted, .events = of.noted };
}

/* The last record of an answer. */
static void send_sample(struct uw_batch_writer *writer, const struct uw_answer *answer, const struct uw_sample_of *of)
{
	struct uw_sampled *last = &writer->batch->sampled;

	uw_batch_reserve(writer, UW_MOST_SAMPLE_BYTES);
	uw_batch_add(writer, uw_record_sample(writer->at, writer->room, answer, of, last));
	if (!writer->full)
		uw_sampled_set(last, answer);
}

/* Comes before its sample. */
static void send_unfinished(struct uw_batch_writer *writer, struct uw_unfinished *unfinished,
			    const struct uw_walk *walk)
{
	u32 bytes;

	uw_batch_reserve(writer, UW_MOST_UNFINISHED_BYTES + unfinished->stack_bytes);
	bytes = uw_record_unfinished(writer->at, writer->room, walk, unfinished->stack_bytes);
	uw_batch_add(writer, bytes);
	if (!writer->full)
		uw_unfinished_charge(unfinished, bytes);
}

static void count_stack(struct uw_sender *sender, const struct uw_answer *answer, bool is_spelled_out)
{
	if (is_spelled_out)
		this_cpu_inc(sender->stacks->spelled_out);
	else if (answer->walk)
		this_cpu_inc(sender->stacks->known);
}

/* 0: the records are in the message; else so many bytes are enough for them. */
static u32 send_records(struct uw_sender *sender, struct uw_batch *batch, const struct uw_answer *answer, u32 nr,
			struct uw_triggers of, bool unfinished)
{
	struct uw_sample_of sample = sample_of(of);
	struct uw_batch_writer writer;
	u32 needed;
	u16 last;

	uw_batch_begin(&writer, batch);
	sample.thread = send_thread(&writer, sender, answer);
	last = batch->last_number;
	if (answer->walk)
		sample.stack = send_stack(&writer, answer->walk, nr);
	if (unfinished)
		send_unfinished(&writer, &sender->unfinished, answer->walk);
	send_sample(&writer, answer, &sample);
	needed = uw_batch_end(&writer);
	if (!needed)
		count_stack(sender, answer, batch->last_number != last);
	return needed;
}

static void count_answer(struct uw_sender *sender, const struct uw_answer *answer, bool is_recorded, u32 nr,
			 struct uw_triggers of)
{
	if (!answer->walk)
		uw_stats_lost(sender->outbox.counts, answer->loss, of.all);
	else if (is_recorded)
		uw_stats_answered(sender->outbox.counts, uw_record_stop(answer->walk, nr), of.all);
	else
		uw_stats_lost(sender->outbox.counts, UWIND_LOSS_NOMEM, of.all);
}

/* In this message, or else in a new one: whether it is there. */
static bool send_somewhere(struct uw_sender *sender, struct uw_batch *batch, const struct uw_answer *answer, u32 nr,
			   struct uw_triggers of, bool unfinished)
{
	u32 needed = send_records(sender, batch, answer, nr, of, unfinished);

	if (needed && !uw_batch_renew(batch, needed))
		needed = send_records(sender, batch, answer, nr, of, unfinished);
	return !needed;
}

static bool send_and_go_on(struct uw_sender *sender, struct uw_batch *batch, const struct uw_answer *answer, u32 nr,
			   struct uw_triggers of)
{
	bool sent = uw_unfinished_takes(&sender->unfinished, answer) &&
		    send_somewhere(sender, batch, answer, nr, of, true);

	if (sent)
		this_cpu_inc(sender->stacks->unfinished);
	else
		this_cpu_inc(sender->stacks->unfinished_refused);
	return sent;
}

/* The number of the innermost part, if all frames but that one are as in the thread's last walk, and all are in the message; or 0. */
static u16 known_stack(const struct uw_batch *batch, const struct uw_walk *walk, u32 nr)
{
	const struct uw_known_part *part;

	if (nr < 2 || nr < walk->nr_frames || walk->nr_same != nr - 1 || !batch->skb)
		return 0;
	part = uw_known_part(&batch->known, walk, 1);
	return part ? uw_known_leaf(&batch->known, walk->frames, part->number) : 0;
}

/* Nothing but the sample is new: whether it is in the message. */
static bool send_again(struct uw_sender *sender, struct uw_batch *batch, const struct uw_answer *answer, u16 stack,
		       struct uw_triggers of)
{
	struct uw_sample_of sample = sample_of(of);
	struct uw_batch_writer writer;

	sample.thread = uw_known_current(&batch->known);
	sample.stack = stack;
	if (!sample.thread || answer->past)
		return false;
	uw_batch_begin(&writer, batch);
	send_sample(&writer, answer, &sample);
	if (uw_batch_end(&writer))
		return false;
	count_stack(sender, answer, false);
	return true;
}

/* Whether it is in the message. */
static bool send_spelled_out(struct uw_sender *sender, struct uw_batch *batch, const struct uw_answer *answer, u32 nr,
			     struct uw_triggers of, bool unfinished)
{
	bool sent = false;

	if (nr && !send_files(sender, batch, answer->walk, nr))
		return false;
	if (unfinished)
		sent = send_and_go_on(sender, batch, answer, nr, of);
	return sent || send_somewhere(sender, batch, answer, nr, of, false);
}

static bool send_answer(struct uw_sender *sender, struct uw_batch *batch, const struct uw_answer *answer, u32 nr,
			struct uw_triggers of)
{
	bool unfinished = uw_unfinished_wanted(&sender->unfinished, answer, nr);
	u16 stack = nr && !unfinished ? known_stack(batch, answer->walk, nr) : 0;
	bool sent = stack && send_again(sender, batch, answer, stack, of);

	if (!sent)
		sent = send_spelled_out(sender, batch, answer, nr, of, unfinished);
	if (sent && answer->walk)
		batch->message.weight += of.all;
	return sent;
}

/* Those of a CPU. Most of them are of requests that are answered soon after, there. */
static void send_notes_of(struct uw_sender *sender, struct uw_batch *batch, unsigned int cpu, u32 most)
{
	u32 lost = uw_notes_send(per_cpu_ptr(sender->notes.rings, cpu), batch, most);

	if (lost)
		uw_outbox_lose_events(&sender->outbox, lost);
}

void uw_sender_answer(struct uw_sender *sender, const struct uw_answer *answer, struct uw_triggers of)
{
	u32 nr = answer->walk ? min(answer->walk->nr_frames, sender->max_frames) : 0;
	struct uw_batch *batch = uw_batch_take(&sender->batches);
	bool is_recorded;

	if (batch && of.noted)
		send_notes_of(sender, batch, answer->request->cpu, UW_NOTES_AT_ONCE);
	is_recorded = batch && send_answer(sender, batch, answer, nr, of);
	/* Before the message can be sent and, if it is dropped, counted as a loss. */
	count_answer(sender, answer, is_recorded, nr, of);
	if (batch)
		uw_batch_give(&sender->batches, batch);
}

/* A CPU's notes go into one batch, and other CPUs' answers meanwhile into others. */
static void sender_send_notes(struct work_struct *work)
{
	struct uw_sender *sender = container_of(work, struct uw_sender, send_notes);
	struct uw_batch *batch;
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		batch = uw_batch_take(&sender->batches);
		if (!batch)
			return;
		send_notes_of(sender, batch, cpu, UW_NOTES_BYTES / sizeof(struct uw_note));
		uw_batch_give(&sender->batches, batch);
		cond_resched();
	}
}

void uw_sender_push(struct uw_sender *sender)
{
	if (sender->notes.rings)
		sender_send_notes(&sender->send_notes);
	uw_batches_close(&sender->batches);
}

void uw_sender_flush(struct uw_sender *sender)
{
	might_sleep();
	uw_notes_stop(&sender->notes);
	uw_sender_push(sender);
	uw_outbox_flush(&sender->outbox);
}

void uw_sender_stats(const struct uw_sender *sender, struct uwind_session_stats *stats)
{
	int cpu;

	uw_outbox_stats(&sender->outbox, stats);
	uw_notes_count(&sender->notes, &stats->events, &stats->events_lost);
	for_each_possible_cpu(cpu) {
		stats->stacks_told += READ_ONCE(per_cpu_ptr(sender->stacks, cpu)->spelled_out);
		stats->stacks_known += READ_ONCE(per_cpu_ptr(sender->stacks, cpu)->known);
		stats->unfinished += READ_ONCE(per_cpu_ptr(sender->stacks, cpu)->unfinished);
		stats->unfinished_refused += READ_ONCE(per_cpu_ptr(sender->stacks, cpu)->unfinished_refused);
	}
}

int uw_sender_init(struct uw_sender *sender, const struct uw_reader *reader, struct uw_counts __percpu *counts,
		   const struct uwind_session_start *arg)
{
	int err = uw_outbox_init(&sender->outbox, reader, counts);

	sender->pid_ns = get_pid_ns(task_active_pid_ns(current));
	sender->max_frames = arg->max_frames ?: UWIND_DEFAULT_FRAMES;
	sender->unfinished.stack_bytes = arg->stack_bytes;
	sender->stacks = alloc_percpu(struct uw_stacks);
	if (!err)
		err = uw_batches_init(&sender->batches, &sender->outbox);
	return err ?: sender->stacks ? 0 : -ENOMEM;
}

int uw_sender_take_notes(struct uw_sender *sender, const struct cpumask *cpus)
{
	INIT_WORK(&sender->send_notes, sender_send_notes);
	return uw_notes_init(&sender->notes, cpus, &sender->send_notes);
}

void uw_sender_deinit(struct uw_sender *sender)
{
	uw_notes_deinit(&sender->notes);
	uw_batches_deinit(&sender->batches);
	uw_outbox_deinit(&sender->outbox);
	free_percpu(sender->stacks);
	if (sender->pid_ns)
		put_pid_ns(sender->pid_ns);
}

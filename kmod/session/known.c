// SPDX-License-Identifier: GPL-2.0
/*
 * Three small caches, each slot of which has the last one of its hash.
 *
 * A thread's tgid and tid do not change but by an execve(), which exec_id counts. Its name is read without a
 * lock: while somebody changes it, half of it is no name that was ever sent, and the record is made again.
 */
#include <linux/hash.h>
#include <linux/sched/task.h>
#include <linux/string.h>

#include "core/walk.h"
#include "session/known.h"

const struct uw_known_part *uw_known_part(const struct uw_known *known, const struct uw_walk *walk, u32 frame)
{
	u32 id = uw_walk_id(walk, frame);
	const struct uw_known_part *part = &known->parts[id % UW_KNOWN_PARTS];

	return id && walk->ids_of && part->id == id && part->ids_of == walk->ids_of ? part : NULL;
}

void uw_known_set_part(struct uw_known *known, const struct uw_walk *walk, u32 frame, u16 number, u16 parts)
{
	u32 id = uw_walk_id(walk, frame);

	if (id && walk->ids_of)
		known->parts[id % UW_KNOWN_PARTS] = (struct uw_known_part){
			.ids_of = walk->ids_of,
			.id = id,
			.number = number,
			.parts = parts,
		};
}

static u32 leaf_slot(const struct uw_frame *frame)
{
	return hash_64(frame->pc, ilog2(UW_KNOWN_LEAVES));
}

u16 uw_known_leaf(const struct uw_known *known, const struct uw_frame *frame, u16 below)
{
	const struct uw_known_leaf *leaf = &known->leaves[leaf_slot(frame)];
	const struct uw_frame *other = &leaf->frame;

	return other->pc == frame->pc && leaf->below == below && other->offset == frame->offset &&
			       other->file == frame->file && other->method == frame->method &&
			       other->stack_bytes == frame->stack_bytes ?
		       leaf->number :
		       0;
}

void uw_known_set_leaf(struct uw_known *known, const struct uw_frame *frame, u16 below, u16 number)
{
	known->leaves[leaf_slot(frame)] = (struct uw_known_leaf){
		.frame = *frame,
		.below = below,
		.number = number,
	};
}

/* Names are compared as they are in memory, without an end. */
static bool names_equal(const char a[TASK_COMM_LEN], const char b[TASK_COMM_LEN])
{
	u64 x[2], y[2];

	static_assert(sizeof(x) == TASK_COMM_LEN);
	memcpy(x, a, sizeof(x));
	memcpy(y, b, sizeof(y));
	return x[0] == y[0] && x[1] == y[1];
}

u16 uw_known_current(const struct uw_known *known)
{
	const struct uw_known_thread *thread = &known->threads[current->pid % UW_KNOWN_THREADS];

	return thread->pid == current->pid && thread->start_time_ns == current->start_boottime &&
			       thread->exec_id == current->self_exec_id && names_equal(thread->comm, current->comm) ?
		       thread->number :
		       0;
}

void uw_known_set_current(struct uw_known *known, u16 number)
{
	struct uw_known_thread *thread = &known->threads[current->pid % UW_KNOWN_THREADS];

	thread->start_time_ns = current->start_boottime;
	thread->exec_id = current->self_exec_id;
	thread->pid = current->pid;
	thread->number = number;
	get_task_comm(thread->comm, current);
}

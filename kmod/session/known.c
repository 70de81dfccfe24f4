// SPDX-License-Identifier: GPL-2.0
/*
 * Two small caches, each slot of which has the last one of its hash.
 *
 * A thread's tgid and tid do not change but by an execve(), which exec_id counts. Its name is read without a
 * lock: while somebody changes it, half of it is no name that was ever sent, and the record is made again.
 */
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

u16 uw_known_current(const struct uw_known *known)
{
	const struct uw_known_thread *thread = &known->threads[current->pid % UW_KNOWN_THREADS];

	return thread->pid == current->pid && thread->start_time_ns == current->start_boottime &&
			       thread->exec_id == current->self_exec_id &&
			       !memcmp(thread->comm, current->comm, TASK_COMM_LEN) ?
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

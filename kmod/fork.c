// SPDX-License-Identifier: GPL-2.0
/*
 * fork() under the sched_process_fork tracepoint.
 *
 * The probe may not sleep, and the child's mm has no notifier yet. So a child
 * whose parent has bound ranges gets work to do before its first instruction:
 * to make its own space and bind what it has inherited. What the parent bound
 * between copying its memory and the tracepoint may not exist in the child;
 * binding checks that.
 */
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/tracepoint.h>

#include "fork.h"
#include "registry.h"
#include "session.h"
#include "space.h"
#include "uwind.h"
#include "work.h"

/* Its own kmalloc() object. */
struct uw_fork_work {
	struct uw_work work;      /* first                                       */
	struct uw_ranges *ranges; /* holds a reference                           */
};

static struct tracepoint *fork_tracepoint;

static void uw_fork_bind(const struct uw_range *range)
{
	struct uwind_range bind = {
		.start = range->start,
		.end = range->end,
		.offset = range->offset,
	};

	if (!READ_ONCE(range->dead) && range->kept)
		uw_registry_bind(current->mm, range->kept, &bind, 1, range->section);
}

static void uw_fork_run(struct uw_work *work)
{
	struct uw_fork_work *fork = container_of(work, struct uw_fork_work, work);
	u32 i;

	for (i = 0; current->mm && i < fork->ranges->nr; i++)
		uw_fork_bind(&fork->ranges->range[i]);
	uw_ranges_put(fork->ranges);
	uw_work_free(work);
}

static void uw_fork_drop(struct uw_work *work)
{
	uw_ranges_put(container_of(work, struct uw_fork_work, work)->ranges);
}

static void uw_fork_inherit(struct uw_space *space, struct task_struct *child)
{
	struct uw_ranges *ranges = uw_space_bound_get(space);
	struct uw_fork_work *fork;

	if (!ranges)
		return;
	fork = kzalloc(sizeof(*fork), GFP_ATOMIC);
	if (!fork) {
		uw_ranges_put(ranges);
		return;
	}
	fork->ranges = ranges;
	uw_work_init(&fork->work, uw_fork_run, uw_fork_drop);
	if (uw_work_queue(&fork->work, child)) {
		uw_ranges_put(ranges);
		uw_work_free(&fork->work);
	}
}

static void uw_fork_probe(void *data, struct task_struct *parent, struct task_struct *child)
{
	struct uw_space *space;

	if (!thread_group_leader(child))
		return;
	uw_session_fork(parent, child);
	if (!child->mm || child->mm == parent->mm)
		return;
	space = uw_space_find(parent->mm);
	if (space)
		uw_fork_inherit(space, child);
}

static void uw_fork_match(struct tracepoint *tracepoint, void *data)
{
	if (!strcmp(tracepoint->name, "sched_process_fork"))
		fork_tracepoint = tracepoint;
}

int uw_fork_init(void)
{
	for_each_kernel_tracepoint(uw_fork_match, NULL);
	if (!fork_tracepoint)
		return -ENOENT;
	return tracepoint_probe_register(fork_tracepoint, uw_fork_probe, NULL);
}

void uw_fork_exit(void)
{
	tracepoint_probe_unregister(fork_tracepoint, uw_fork_probe, NULL);
	tracepoint_synchronize_unregister();
}

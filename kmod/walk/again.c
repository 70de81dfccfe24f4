// SPDX-License-Identifier: GPL-2.0
/*
 * A second opinion on each walk, in test builds only. The task walks itself on its way to user
 * space, so that its stack is the same both times unless another thread writes there.
 */
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

#include "core/trail.h"
#include "uw_port_walk.h"
#include "walk/again.h"
#include "walk/memory.h"

static bool walk_again;
module_param(walk_again, bool, 0644);
MODULE_PARM_DESC(walk_again, "walk again without remembered steps, and compare (default: false)");

static DEFINE_SPINLOCK(count_lock);

/* Protected by: count_lock to write. */
static unsigned int again_walks;
module_param(again_walks, uint, 0444);
MODULE_PARM_DESC(again_walks, "how many were");

static unsigned int again_followed;
module_param(again_followed, uint, 0444);
MODULE_PARM_DESC(again_followed, "how many of them had gone along a trail to its end");

static unsigned int again_differ;
module_param(again_differ, uint, 0444);
MODULE_PARM_DESC(again_differ, "how many found something else");

/* It could not look at everything. */
static bool is_cut(const struct uw_walk *walk)
{
	return walk->stop == UW_STOP_BUSY || walk->stop == UW_STOP_KILLED;
}

static bool frames_equal(const struct uw_frame *a, const struct uw_frame *b)
{
	return a->pc == b->pc && a->offset == b->offset && a->file == b->file && a->stack_bytes == b->stack_bytes &&
	       a->method == b->method;
}

/* The first frame that differs, or how many there are. */
static u32 count_equal(const struct uw_walk *a, const struct uw_walk *b)
{
	u32 i = 0;

	while (i < a->nr_frames && i < b->nr_frames && frames_equal(&a->frames[i], &b->frames[i]))
		i++;
	return i;
}

static void report(const struct uw_walk *walk, const struct uw_walk *again, u32 equal)
{
	u64 pc = equal < walk->nr_frames ? walk->frames[equal].pc : 0;

	pr_err("%s (%d): walked again, frame %u differs: %llx of %u, stop %u, was %llx of %u, stop %u\n", current->comm,
	       task_pid_nr(current), equal, equal < again->nr_frames ? again->frames[equal].pc : 0, again->nr_frames,
	       again->stop, pc, walk->nr_frames, walk->stop);
}

static void compare(const struct uw_walk *walk, const struct uw_walk *again)
{
	u32 equal = count_equal(walk, again);
	bool differ = equal < walk->nr_frames || walk->nr_frames != again->nr_frames || walk->stop != again->stop;

	spin_lock(&count_lock);
	again_walks++;
	again_followed += walk->along && walk->along->on_trail;
	again_differ += differ;
	spin_unlock(&count_lock);
	if (differ)
		report(walk, again, equal);
}

void uw_again_check(const struct uw_regs *begun, struct uw_walk *walk, const struct uw_port *port)
{
	struct uw_walk again = { .regs = *begun, .arch = walk->arch, .max_frames = walk->max_frames };
	struct uw_port another;

	if (!READ_ONCE(walk_again) || !walk->plain || port->probed || port->atomic || is_cut(walk))
		return;
	again.frames = kvmalloc_array(walk->max_frames, sizeof(*again.frames), GFP_KERNEL);
	if (!again.frames)
		return;
	uw_memory_begin(&another, walk->arch, begun->r[uw_arch_sp(walk->arch)], false);
	uw_walk_run(&again, &another);
	uw_walk_fill(walk);
	if (!is_cut(&again))
		compare(walk, &again);
	kvfree(again.frames);
}

// SPDX-License-Identifier: GPL-2.0
/*
 * A walk takes the room out of its CPU's place, and gives it back to that of the CPU where it ends. One that finds
 * the place empty has room of its own, which takes the place of what it finds there in the end.
 */
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/slab.h>

#include "core/walk_types.h"
#include "request/frames.h"

/* A place is changed by xchg() only, by any CPU; NULL: taken, or not made yet. */
static DEFINE_PER_CPU(struct uw_frame *, usual_place);
static DEFINE_PER_CPU(struct uw_frame *, deep_place);

static struct uw_frame *__percpu *place_of(u32 nr)
{
	return nr > UWIND_DEFAULT_FRAMES ? &deep_place : &usual_place;
}

static struct uw_frame *frames_create(u32 nr, gfp_t flags)
{
	u32 room = nr > UWIND_DEFAULT_FRAMES ? UWIND_MAX_FRAMES : UWIND_DEFAULT_FRAMES;

	return kvmalloc_array(room, sizeof(struct uw_frame), flags);
}

struct uw_frame *uw_frames_take(u32 nr)
{
	struct uw_frame *frames = this_cpu_xchg(*place_of(nr), NULL);

	return frames ?: frames_create(nr, GFP_NOWAIT | __GFP_NOWARN);
}

struct uw_frame *uw_frames_take_spare(void)
{
	return this_cpu_xchg(usual_place, NULL);
}

void uw_frames_give(struct uw_frame *frames, u32 nr)
{
	kvfree(this_cpu_xchg(*place_of(nr), frames));
}

int uw_frames_prepare(u32 nr)
{
	int cpu;

	might_sleep();
	for_each_possible_cpu(cpu) {
		struct uw_frame **place = per_cpu_ptr(place_of(nr), cpu);
		struct uw_frame *frames;

		if (READ_ONCE(*place))
			continue;
		frames = frames_create(nr, GFP_KERNEL);
		if (!frames)
			return -ENOMEM;
		kvfree(xchg(place, frames));
	}
	return 0;
}

void uw_frames_exit(void)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		kvfree(per_cpu(usual_place, cpu));
		kvfree(per_cpu(deep_place, cpu));
	}
}

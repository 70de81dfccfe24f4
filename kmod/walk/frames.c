// SPDX-License-Identifier: GPL-2.0
/*
 * A walk takes the room out of its CPU's place, and gives it back to that of the CPU where it ends. One that finds
 * the place empty has room of its own, which takes the place of what it finds there in the end.
 */
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "core/walk_types.h"
#include "walk/frames.h"

/* Room is of one of these sizes. */
static const u32 rooms[] = { UW_USUAL_FRAMES, UWIND_DEFAULT_FRAMES, UWIND_MAX_FRAMES };

/* For each size. A place is changed by xchg() only, by any CPU; NULL: taken, or not made yet. */
static DEFINE_PER_CPU(struct uw_frame *, places[ARRAY_SIZE(rooms)]);

static_assert(UW_USUAL_FRAMES < UW_ATOMIC_FRAMES && UW_ATOMIC_FRAMES <= UWIND_DEFAULT_FRAMES);

static u32 size_for(u32 nr)
{
	u32 size = 0;

	while (rooms[size] < nr)
		size++;
	return size;
}

static struct uw_frame *frames_create(u32 size, gfp_t flags)
{
	return kvmalloc_array(rooms[size], sizeof(struct uw_frame), flags);
}

struct uw_frame *uw_frames_take(void)
{
	return uw_frames_take_spare() ?: frames_create(0, GFP_NOWAIT | __GFP_NOWARN);
}

struct uw_frame *uw_frames_take_spare(void)
{
	return this_cpu_xchg(places[0], NULL);
}

void uw_frames_grow(struct uw_walk *walk, bool atomic)
{
	u32 size = size_for(walk->most_frames);
	struct uw_frame *frames;

	if (walk->max_frames > UW_USUAL_FRAMES)
		return;
	frames = this_cpu_xchg(places[size], NULL);
	if (!frames && !atomic)
		frames = frames_create(size, GFP_NOWAIT | __GFP_NOWARN);
	if (!frames)
		return;
	memcpy(frames, walk->frames, walk->nr_frames * sizeof(*frames));
	uw_frames_give(walk->frames, UW_USUAL_FRAMES);
	walk->frames = frames;
	walk->max_frames = atomic ? UW_ATOMIC_FRAMES : walk->most_frames;
}

u32 uw_frames_room(const struct uw_walk *walk)
{
	return walk->max_frames > UW_USUAL_FRAMES ? walk->most_frames : UW_USUAL_FRAMES;
}

void uw_frames_give(struct uw_frame *frames, u32 room)
{
	frames = this_cpu_xchg(places[size_for(room)], frames);
	if (unlikely(frames)) /* another walk's, which had found the place empty */
		kvfree(frames);
}

static int frames_prepare(u32 size)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		struct uw_frame **place = &per_cpu(places[size], cpu);
		struct uw_frame *frames;

		if (READ_ONCE(*place))
			continue;
		frames = frames_create(size, GFP_KERNEL);
		if (!frames)
			return -ENOMEM;
		kvfree(xchg(place, frames));
	}
	return 0;
}

int uw_frames_prepare(u32 most)
{
	int err;

	might_sleep();
	err = frames_prepare(0);
	if (!err && most > UWIND_DEFAULT_FRAMES)
		err = frames_prepare(size_for(most));
	return err;
}

void uw_frames_exit(void)
{
	u32 size;
	int cpu;

	for_each_possible_cpu(cpu)
		for (size = 0; size < ARRAY_SIZE(rooms); size++)
			kvfree(per_cpu(places[size], cpu));
}

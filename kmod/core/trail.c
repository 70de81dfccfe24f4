// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Trails: what is done before and after the loops of plain.c. Only what a walk has found
 * beside its trail is written into it.
 */
#include "trail.h"

_Static_assert(sizeof(struct uw_trail_step) == 16, "a trail takes 3 KiB");

void uw_along_begin(struct uw_along *along)
{
	along->key = 0;
	along->on_trail = false;
	along->whole = false;
	along->first = along->end = 0;
	along->next = along->trail->key ? along->trail->start : UW_TRAIL_STEPS;
}

void uw_along_run(struct uw_along *along, u32 nr_frames, u32 key, bool exact)
{
	if (along->key == key && along->end == nr_frames && !exact)
		return;
	along->key = key;
	along->first = along->end = nr_frames + exact;
	if (along->trail->key != key)
		along->next = UW_TRAIL_STEPS;
	along->on_trail = false;
}

void uw_along_leave(struct uw_walk *walk)
{
	struct uw_along *along = walk->along;
	u32 i, frame;

	for (i = along->met, frame = along->met_frame; frame < walk->nr_frames; i++, frame++) {
		along->fresh[frame % UW_TRAIL_STEPS] = along->trail->steps[i];
		walk->frames[frame].id = 0;
	}
	along->on_trail = false;
}

/* So many frames before that one become the steps before that one. */
static void keep(struct uw_walk *walk, u32 frame, u32 step, u32 nr)
{
	struct uw_along *along = walk->along;
	struct uw_trail *trail = along->trail;

	trail->start = step - nr;
	while (nr--) {
		frame--;
		step--;
		walk->frames[frame].id = along->whole ? ++along->last_id : 0;
		trail->steps[step] = along->fresh[frame % UW_TRAIL_STEPS];
		trail->frames[step] = walk->frames[frame];
	}
}

/* The frame after the run. */
static void keep_end(struct uw_along *along)
{
	along->trail->key = along->key;
	along->trail->steps[UW_TRAIL_STEPS].sp = along->sp;
	along->trail->frames[UW_TRAIL_STEPS].pc = along->pc;
	along->trail->frames[UW_TRAIL_STEPS].method = along->method;
}

void uw_along_end(struct uw_walk *walk)
{
	struct uw_along *along = walk->along;
	u32 frame, step, nr;

	walk->ids_of = along->ids_of;
	if (along->first >= along->end)
		return;
	if (along->on_trail && along->whole)
		walk->nr_same = walk->nr_frames - along->met_frame;
	if (along->on_trail && !along->whole)
		for (frame = along->met_frame; frame < along->end; frame++)
			walk->frames[frame].id = 0;
	if (!along->on_trail)
		keep_end(along);
	frame = along->on_trail ? along->met_frame : along->end;
	step = along->on_trail ? along->met : UW_TRAIL_STEPS;
	nr = frame - along->first;
	keep(walk, frame, step, nr < step ? nr : step);
}

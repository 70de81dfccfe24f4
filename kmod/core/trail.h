/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Trails: the plain steps of an earlier walk, and a walk that goes along them.
 *
 * What a plain step finds depends on pc, SP and FP, on what uw_port_key() stands for, and on
 * the words that it reads. A walk that meets a trail, that is has the pc and the SP of one of
 * its steps, under the same key, looks nothing up as long as it stays there. It reads each word
 * that the step has read. If the return address is the one that was there, the next step is the
 * trail's next one. FP is carried along as the words say. Where a word differs, the walk goes on
 * by itself, and may meet the trail again further out.
 *
 * So nothing is taken on trust but what the key stands for: a walk along a trail finds
 * what one without it finds.
 *
 * A trail belongs to a thread by custom only. Another thread's is of no use, and harmless.
 */
#ifndef UW_TRAIL_H
#define UW_TRAIL_H

#include "plain_rule.h"
#include "walk_types.h"

#define UW_TRAIL_STEPS 64u

/* Before it SP is sp; the frame is at the same index in frames. */
struct uw_trail_step {
	u64 sp;
	struct uw_plain_rule rule;
};

/* All zero: never used. */
struct uw_trail {
	u32 key;   /* of all steps, as in struct uw_plain; 0: empty */
	u32 start; /* the innermost step, at a return address. Outermost are the last ones */
	struct uw_trail_step steps[UW_TRAIL_STEPS + 1]; /* and where they have led to */
	struct uw_frame frames[UW_TRAIL_STEPS + 1];     /* with ids if the last step ends the stack */
};

/*
 * A walk beside a trail. Its run is the plain steps that it has taken without another one in
 * between. They become the trail when it has ended.
 */
struct uw_along {
	struct uw_trail *trail; /* in */
	u64 ids_of;             /* in: see struct uw_walk. Changed by the owner, before last_id would wrap */
	u32 last_id;
	u32 key;       /* of the run */
	u32 first;     /* its first frame at a return address */
	u32 end;       /* the frame after it */
	u32 next;      /* no step of the trail before this one can be met */
	u32 met;       /* the step where the trail was met, if it is not left */
	u32 met_frame; /* and the frame then */
	bool on_trail;
	bool whole; /* the run ends the stack */
	u8 method;  /* of the frame after the run */
	u64 pc;
	u64 sp;
	struct uw_trail_step fresh[UW_TRAIL_STEPS]; /* of the run's frames before it; frame n's at n % UW_TRAIL_STEPS */
};

/* A walk begins. */
void uw_along_begin(struct uw_along *along);

/* Plain steps may follow, under this key. exact: the next frame's pc is. */
void uw_along_run(struct uw_along *along, u32 nr_frames, u32 key, bool exact);

/* From here on the walk goes by itself. */
void uw_along_leave(struct uw_walk *walk);

/* The walk has ended: remember its last run, and give its frames ids. */
void uw_along_end(struct uw_walk *walk);

#endif

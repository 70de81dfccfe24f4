/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Trails: the plain steps of an earlier walk, and a walk that goes along them.
 *
 * What a plain step finds depends on pc, SP and FP, on what uw_port_key() stands for, and on
 * the words that it reads. A walk that meets a trail, that is has the pc and the SP of one of
 * its steps, under the same key, looks nothing up as long as it stays there. It reads each return
 * address again. If it is the one that was there, the next step is the trail's next one.
 * FP decides where a step leads only if a step counts from it. So it is compared where the trail is
 * met if a step counts from that one, and where it is read from the stack if a step counts from
 * what is read there. Where a word differs, the walk goes on by itself, and may meet the trail
 * again further out.
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

#define UW_TRAIL_STEPS  64u
#define UW_TRAIL_LEAVES 4u /* then a walk goes by itself to its end, as meeting it again costs more than that */

/* From pc, where SP is sp. The frame is at the same index in frames. */
struct uw_trail_step {
	u64 sp;
	u64 pc;
	u64 fp; /* that it has read, if its rule has a place for it */
	struct uw_plain_rule rule;
};

/* All zero: never used. */
struct uw_trail {
	u32 key;           /* of all steps, as in struct uw_plain; 0: empty */
	u32 start;         /* the innermost step, at a return address. Outermost are the last ones */
	enum uw_stop stop; /* at the frame after the steps, which is then one of the trail's; NONE: the walk went on */
	struct uw_trail_step steps[UW_TRAIL_STEPS + 2]; /* and where they have led to; and one above all stacks */
	struct uw_frame frames[UW_TRAIL_STEPS + 1];     /* with ids if they end with the stack */
	u8 alike[UW_TRAIL_STEPS + 1];                   /* so many frames from here on are in one mapping of code */
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
	u32 end;       /* the frame after its steps */
	u32 next;      /* no step of the trail before this one can be met */
	u32 met;       /* the step where the trail was met, if it is not left */
	u32 met_frame; /* and the frame then */
	bool on_trail;
	u8 leaves_left;
	struct uw_covered last; /* mapping of the code that was looked at last; no bytes: none */
	u8 moved;          /* UW_PLAIN_MOVED of the next fresh step; of that at met; of the frame after the steps */
	u8 method;         /* of the frame after the steps */
	enum uw_stop stop; /* at that frame; NONE: the run does not end the stack */
	u64 pc;            /* of that frame */
	u64 sp;
	struct uw_trail_step fresh[UW_TRAIL_STEPS]; /* of the run's frames before it; frame n's at n % UW_TRAIL_STEPS */
};

/* A walk begins. */
void uw_along_begin(struct uw_along *along);

/* Plain steps may follow, under this key. exact: the next frame's pc is. */
void uw_along_run(struct uw_along *along, u32 nr_frames, u32 key, bool exact);

/* Such steps have led there. */
void uw_along_stop(struct uw_walk *walk, const struct uw_plain_state *at);

struct uw_port;

/*
 * At a step of the trail that was met, and whose mapping the port vouches for: go along it, for at most so many
 * frames. false: user memory cannot be read like that, or the stack has ended.
 */
bool uw_along_follow(struct uw_walk *walk, struct uw_port *port, struct uw_plain_state *at, u32 most);

/* From here on the walk goes by itself. */
void uw_along_leave(struct uw_walk *walk);

/* The walk has ended: remember its last run, and give its frames ids. */
void uw_along_end(struct uw_walk *walk);

/* i is at most UW_TRAIL_STEPS + 1. By pointers: a check of an index would be a call. */
static __always_inline const struct uw_trail_step *uw_trail_step(const struct uw_trail *trail, u32 i)
{
	return trail->steps + i;
}

/* i is at most UW_TRAIL_STEPS. */
static __always_inline const struct uw_frame *uw_trail_frame(const struct uw_trail *trail, u32 i)
{
	return trail->frames + i;
}

/* FP leads where it has led from there. */
static __always_inline bool uw_trail_has_fp(const struct uw_trail *trail, u32 i, const struct uw_plain_state *at)
{
	const struct uw_trail_step *step = uw_trail_step(trail, i), *end = uw_trail_step(trail, UW_TRAIL_STEPS);

	if (i == UW_TRAIL_STEPS || !(step->rule.method & UW_PLAIN_FP_USED))
		return true;
	while (step < end && !(step->rule.method & UW_PLAIN_BY_FP))
		step++;
	return step < end && at->fp_known && at->fp + 8 * (u64)step->rule.cfa == step[1].sp;
}

/* pc and SP are those of step i. */
static __always_inline bool uw_trail_has(const struct uw_trail *trail, u32 i, const struct uw_plain_state *at)
{
	return i < UW_TRAIL_STEPS + (trail->stop != UW_STOP_NONE) && uw_trail_frame(trail, i)->method == at->method &&
	       uw_trail_has_fp(trail, i, at);
}

/* Whether the next step, at a return address, is one of the trail, from *outer on. *outer becomes the first one there. */
static __always_inline bool uw_trail_meets(const struct uw_trail *trail, const struct uw_trail_step **outer,
					   const struct uw_plain_state *at)
{
	const struct uw_trail_step *step = *outer;

	while (step->sp < at->sp)
		step++;
	*outer = step;
	return step->sp == at->sp && step->pc == at->pc && uw_trail_has(trail, (u32)(step - trail->steps), at);
}

/* Whether the next step, at a return address, is one of the trail: number along->next. */
static __always_inline bool uw_along_meets(struct uw_along *along, const struct uw_plain_state *at)
{
	const struct uw_trail_step *outer = uw_trail_step(along->trail, along->next);
	bool met = uw_trail_meets(along->trail, &outer, at);

	along->next = (u32)(outer - along->trail->steps);
	return met;
}

/* A step from there. FP is the caller's already, if the rule has a place for it. */
static __always_inline void uw_trail_step_set(struct uw_trail_step *step, const struct uw_plain_state *at,
					      const struct uw_plain_rule *rule)
{
	step->sp = at->sp;
	step->pc = at->pc;
	step->fp = at->fp;
	step->rule = *rule;
}

#endif

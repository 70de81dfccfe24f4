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
 * again further out. As pc and SP are the same by chance, too, it then looks at some steps before it takes
 * that for a meeting (alone.c).
 *
 * So nothing is taken on trust but what the key stands for: a walk along a trail finds
 * what one without it finds.
 *
 * A trail belongs to a thread by custom only. Another thread's is of no use, and harmless.
 */
#ifndef UW_TRAIL_H
#define UW_TRAIL_H

#include "plain_rule.h"
#include "uw_port_walk.h"
#include "walk_types.h"

#define UW_TRAIL_STEPS  64u
#define UW_TRAIL_LEAVES 4u /* then a walk goes by itself to its end, as meeting it again costs more than that */

/* From pc, where SP is sp. */
struct uw_trail_step {
	u64 sp;
	u64 pc;
	u64 fp; /* that it has read, if its rule has a place for it */
	struct uw_plain_rule rule;
};

/*
 * What the frame before a step has besides pc. Its stack reaches to the SP of the next one, and the step before it says how
 * its pc was found.
 */
struct uw_trail_frame {
	u64 offset;
	u32 file;
	u32 id; /* of the outermost one that a walk has added: see uw_trail_id(); 0: those have none */
};

/* All zero: never used. */
struct uw_trail {
	u32 key;           /* of all steps, as in struct uw_plain; 0: empty */
	u32 start;         /* the innermost step, at a return address. Outermost are the last ones */
	enum uw_stop stop; /* at the frame after the steps, which is then one of the trail's; NONE: the walk went on */
	u8 method;         /* how the pc at start was found */
	bool has_base;     /* some of the steps may have a base slot */
	u64 moves;         /* bit n: frame n + 1 is not in the mapping of code that frame n is in, or may not be */
	u64 seams;         /* bit n: another walk has added frame n + 1, or none */
	struct uw_trail_step steps[UW_TRAIL_STEPS + 2];   /* and where they have led to; and one above all stacks */
	struct uw_trail_frame frames[UW_TRAIL_STEPS + 1]; /* with ids if they end with the stack */
};

/*
 * A walk beside a trail. Its run is the plain steps that it has taken without another one in
 * between. They become the trail when it has ended. The frames that it has found on the trail are left there
 * until it leaves that (struct uw_walk: nr_filled).
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
	u32 nr_left;   /* so many frames from that one on are on the trail only */
	bool on_trail;
	bool has_base; /* a fresh step may have a base slot */
	u8 leaves_left;
	struct uw_covered last; /* mapping of the code that was looked at last; no bytes: none */
	u8 method;              /* of the frame after the steps */
	enum uw_stop stop;      /* at that frame; NONE: the run does not end the stack */
	u64 pc;                 /* of that frame */
	u64 sp;
	struct uw_trail_step fresh[UW_TRAIL_STEPS]; /* of the run's frames before it; frame n's at n % UW_TRAIL_STEPS */
	u64 moves; /* bit n % UW_TRAIL_STEPS: frame n is not in the mapping of code that the inner one is in, or may not be */
};

/* A walk begins. */
void uw_along_begin(struct uw_along *along);

/* Plain steps may follow, under this key. exact: the next frame's pc is. */
void uw_along_run(struct uw_walk *walk, u32 key, bool exact);

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

/* Fill the frames that are on the trail only: a trail that the walk has ended on holds them until the next walk. */
void uw_along_fill(struct uw_walk *walk);

/* Frame n of the run may be in another mapping of code than the inner one. */
static __always_inline void uw_along_moves(struct uw_along *along, u32 n)
{
	along->moves |= 1ull << n % UW_TRAIL_STEPS;
}

/* i is at most UW_TRAIL_STEPS + 1. By pointers: a check of an index would be a call. */
static __always_inline const struct uw_trail_step *uw_trail_step(const struct uw_trail *trail, u32 i)
{
	return trail->steps + i;
}

/* How the pc of step i was found, which is at least the start. */
static __always_inline u8 uw_trail_method(const struct uw_trail *trail, u32 i)
{
	return i == trail->start ? trail->method : (trail->steps + i)[-1].rule.method & UW_PLAIN_METHOD;
}

/* 0, or what names frame i and all outer ones: see uw_walk.ids_of. */
static inline u32 uw_trail_id(const struct uw_trail *trail, u32 i)
{
	u64 seams = i < UW_TRAIL_STEPS ? trail->seams >> i : 0;
	u32 last = seams ? i + (u32)__builtin_ctzll(seams) : UW_TRAIL_STEPS, id = trail->frames[last].id;

	return id ? id + last - i : 0;
}

/* Whether the port vouches for the mapping of the code at the address, under that key. Its first one in a walk takes a look. */
static inline bool uw_trail_vouched(struct uw_port *port, u64 address, u32 key)
{
	struct uw_covered covered;

	return uw_port_covers(port, address, &covered) ||
	       (uw_port_cover(port, address) && uw_port_key(port) == key >> 1);
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
	return i < UW_TRAIL_STEPS + (trail->stop != UW_STOP_NONE) && uw_trail_method(trail, i) == at->method &&
	       uw_trail_has_fp(trail, i, at);
}

/* Whether the next step, at a return address, is one of the trail: number along->next. */
static __always_inline bool uw_along_meets(struct uw_along *along, const struct uw_plain_state *at)
{
	const struct uw_trail *trail = along->trail;
	const struct uw_trail_step *step = uw_trail_step(trail, along->next);

	while (step->sp < at->sp)
		step++;
	along->next = (u32)(step - trail->steps);
	return step->sp == at->sp && step->pc == at->pc && uw_trail_has(trail, along->next, at);
}

/* Steps from one to another one of a trail, as far as they lead where they have led. Returns the first that does not. */
static __always_inline const struct uw_trail_step *uw_trail_follow(struct uw_port *port, const struct uw_window *window,
								   const struct uw_trail_step *step,
								   const struct uw_trail_step *end)
{
	u64 word;

	for (; step < end; step++) {
		uw_port_peek(window, step[1].sp + 8 * (u64)step->rule.ra, &word, failed);
		if (uw_port_strip(port, word) != step[1].pc)
			break;
		if (!(step->rule.method & UW_PLAIN_FP_READ))
			continue;
		uw_port_peek(window, step[1].sp + 8 * (u64)step->rule.fp, &word, failed);
		if (word != step->fp)
			break;
	}
failed:
	return step;
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

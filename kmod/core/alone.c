// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Plain steps that a walk takes by itself. The loop, go_alone(), runs while the port holds user
 * memory open, so that it calls nothing, and is bounded. It must do exactly what step_by_table()
 * and apply_frame() would do.
 */
#include "alone.h"
#include "trail.h"
#include "uw_port_walk.h"

static __always_inline void fill_frame(struct uw_frame *frame, const struct uw_plain *plain,
				       const struct uw_plain_state *at, u32 stack_bytes)
{
	frame->pc = at->pc;
	frame->offset = plain->offset;
	frame->file = plain->file;
	frame->method = at->method;
	frame->stack_bytes = stack_bytes;
}

/* Among the addresses that are next to a word of the window, as then all words between SP and it are in that. */
static __always_inline bool find_cfa(const struct uw_window *ends, const struct uw_plain_rule *rule,
				     const struct uw_plain_state *at, u64 *cfa)
{
	u64 address = at->sp;

	if (rule->method & UW_PLAIN_BY_FP) {
		if (!at->fp_known || at->fp & 7)
			return false;
		address = at->fp;
	}
	address += 8 * (u64)rule->cfa;
	if (!uw_window_has(ends, address))
		return false;
	*cfa = uw_window_hold(ends, address);
	return true;
}

/*
 * A word so many words from the CFA, which is below it, if it is not below SP. Where the processor goes ahead as if it
 * were not, the address is still less than UW_PLAIN_REACH below the window.
 */
static __always_inline bool read_word(const struct uw_window *window, u64 sp, u64 cfa, s16 words, u64 *word)
{
	u64 address = cfa + 8 * (u64)words;

	if (address < sp)
		return false;
	uw_port_peek(window, address, word, failed);
	return true;

failed:
	return false;
}

/* The caller's. Nothing has changed if that is not known. */
static __always_inline bool set_fp(const struct uw_window *window, const struct uw_plain_rule *rule, u64 cfa,
				   struct uw_plain_state *at)
{
	u64 word = 0;

	if (!rule->fp)
		return true;
	if (rule->fp == UW_PLAIN_FP_LOST) {
		at->fp_known = false;
	} else {
		if (!read_word(window, at->sp, cfa, rule->fp, &word))
			return false;
		at->fp_known = true;
	}
	at->fp = word;
	return true;
}

/*
 * The code at the address is not in the mapping that was looked at last: it is in one that the port vouches for? Whether that
 * is another one than that of the run's last fresh step matters to that frame.
 */
static __always_inline bool moves(struct uw_port *port, struct uw_along *along, u32 frame, u64 address,
				  struct uw_covered *covered)
{
	bool vouched = uw_port_covers(port, address, covered);

	if (!along)
		return vouched;
	if (along->last.start != covered->start || along->last.bytes != covered->bytes)
		uw_along_moves(along, frame);
	along->last = *covered;
	return vouched;
}

/*
 * The stack may be that of the trail from here on, as the next steps lead where they have led there. That pc and SP are the
 * same happens by chance, too.
 */
static __always_inline bool meets(const struct uw_along *along, struct uw_port *port, const struct uw_window *window,
				  const struct uw_trail_step *step, const struct uw_plain_state *at)
{
	const struct uw_trail *trail = along->trail;
	const struct uw_trail_step *last = uw_trail_step(trail, UW_TRAIL_STEPS);

	if (step->pc != at->pc || !uw_trail_has(trail, (u32)(step - trail->steps), at))
		return false;
	if (last > step + UW_ALONE_SIGHT)
		last = step + UW_ALONE_SIGHT;
	return uw_window_has(window, last->sp - 8) && uw_trail_follow(port, window, step, last) == last;
}

/*
 * Steps by the cache, to where the trail is met, at least by its look, or the stack ends. Of an exact pc it is one step.
 * Works on copies that nobody else has the address of, so that they are in registers.
 */
static __always_inline void go_alone(struct uw_walk *walk, struct uw_along *along, struct uw_port *port,
				     const struct uw_window *open, struct uw_plain_state *state, u32 most)
{
	struct uw_frame *frame = walk->frames + walk->nr_frames, *end = frame + most;
	struct uw_trail_step *fresh = along ? along->fresh + walk->nr_frames % UW_TRAIL_STEPS : NULL;
	const u64 back = !(state->key & 1);
	const struct uw_trail_step *outer = along ? uw_trail_step(along->trail, along->next) : NULL;
	struct uw_covered covered = state->covered;
	u64 covered_from = covered.start + back;
	struct uw_plain_state at = { .pc = state->pc,
				     .sp = state->sp,
				     .fp = state->fp,
				     .fp_known = state->fp_known,
				     .method = state->method,
				     .key = state->key };
	const struct uw_window window = *open;
	struct uw_window ends = window;
	const struct uw_plain *plain;
	u64 cfa, ra;

	ends.start += 8;
	while (frame < end) {
		plain = walk->plain + uw_plain_slot(at.pc);
		if (plain->pc != at.pc || plain->key != at.key)
			break;
		if (at.pc - covered_from >= covered.bytes) {
			if (!moves(port, along, (u32)(frame - walk->frames), at.pc - back, &covered))
				break;
			covered_from = covered.start + back;
		}
		if (plain->rule.cfa == UW_PLAIN_END) {
			fill_frame(frame++, plain, &at, UW_STACK_BYTES_UNKNOWN);
			walk->stop = (enum uw_stop)plain->rule.ra;
			break;
		}
		if (!find_cfa(&ends, &plain->rule, &at, &cfa) || !read_word(&window, at.sp, cfa, plain->rule.ra, &ra) ||
		    !ra || !set_fp(&window, &plain->rule, cfa, &at))
			break;
		fill_frame(frame, plain, &at, (u32)(cfa - at.sp));
		if (along)
			uw_trail_step_set(fresh++, &at, &plain->rule);
		if (plain->rule.base_slot) {
			state->base_slot = plain->rule.base_slot;
			state->base_cfa = cfa;
			if (along)
				along->has_base = true;
		}
		at.method = plain->rule.method & UW_PLAIN_METHOD;
		at.sp = cfa;
		at.pc = uw_port_strip(port, ra);
		frame++;
		if (!along)
			continue;
		while (outer->sp < cfa)
			outer++;
		if (outer->sp == cfa && back && meets(along, port, &window, outer, &at))
			break;
	}
	if (along)
		along->next = (u32)(outer - along->trail->steps);
	walk->nr_frames = (u32)(frame - walk->frames);
	state->pc = at.pc;
	state->sp = at.sp;
	state->fp = at.fp;
	state->fp_known = at.fp_known;
	state->method = at.method;
	state->covered = covered;
}

/* Steps for which user memory is held open: they end where the ring of fresh ones does. */
static u32 burst(const struct uw_walk *walk, const struct uw_plain_state *at, u32 most)
{
	if (at->key & 1)
		return most < 1 ? most : 1;
	if (most > UW_ALONE_BURST)
		most = UW_ALONE_BURST;
	if (most > UW_TRAIL_STEPS - walk->nr_frames % UW_TRAIL_STEPS)
		most = UW_TRAIL_STEPS - walk->nr_frames % UW_TRAIL_STEPS;
	return most;
}

bool uw_alone_steps(struct uw_walk *walk, struct uw_port *port, struct uw_plain_state *at, u32 most)
{
	u32 before = walk->nr_frames;
	struct uw_window window;
	u64 reach;

	if (walk->along && walk->along->on_trail)
		uw_along_leave(walk);
	if (at->sp & 7 || !uw_port_open(port, at->sp, &window))
		return false;
	reach = at->sp - window.start + UW_ALONE_REACH;
	if (window.places > reach)
		window.places = reach;
	if (window.start < UW_PLAIN_REACH)
		most = 0;
	if (walk->along)
		go_alone(walk, walk->along, port, &window, at, burst(walk, at, most));
	else
		go_alone(walk, NULL, port, &window, at, burst(walk, at, most));
	uw_port_close(port);
	if (walk->nr_frames > before)
		at->key &= ~1u;
	return walk->nr_frames > before && walk->stop == UW_STOP_NONE;
}

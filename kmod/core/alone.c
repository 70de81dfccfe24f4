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
	frame->stack_bytes = stack_bytes;
	frame->method = at->method;
	frame->id = 0;
}

/* A word at or above SP, and in the window. */
static __always_inline bool read_word(const struct uw_window *window, u64 sp, u64 address, u64 *word)
{
	if (address < sp || !uw_window_has(window, address))
		return false;
	uw_port_peek(window, uw_window_hold(window, address), word, failed);
	return true;

failed:
	return false;
}

static __always_inline bool find_cfa(const struct uw_plain_rule *rule, const struct uw_plain_state *at, u64 *cfa)
{
	*cfa = at->sp + 8 * (u64)rule->cfa;
	if (!(rule->method & UW_PLAIN_BY_FP))
		return true;
	*cfa = at->fp + 8 * (u64)rule->cfa;
	return at->fp_known && !(at->fp & 7);
}

/* What a step reads. */
struct words {
	u64 ra;
	u64 fp; /* if the rule has a place for it */
};

static __always_inline bool read_words(const struct uw_window *window, const struct uw_plain_rule *rule, u64 sp,
				       u64 cfa, struct words *words)
{
	if (!read_word(window, sp, cfa + 8 * (u64)rule->ra, &words->ra) || !words->ra)
		return false;
	return !rule->fp || rule->fp == UW_PLAIN_FP_LOST || read_word(window, sp, cfa + 8 * (u64)rule->fp, &words->fp);
}

static __always_inline void set_caller(struct uw_plain_state *at, const struct uw_plain_rule *rule, u64 cfa,
				       const struct words *words)
{
	if (rule->fp) {
		at->fp = words->fp;
		at->fp_known = rule->fp != UW_PLAIN_FP_LOST;
	}
	if (rule->base_slot) {
		at->base_slot = rule->base_slot;
		at->base_cfa = cfa;
	}
	at->method = rule->method & UW_PLAIN_METHOD;
	at->sp = cfa;
}

/* Another mapping of code than the last step's: one that the port vouches for? */
static __always_inline bool moves(struct uw_port *port, u64 address, struct uw_covered *covered, u8 *moved)
{
	*moved = UW_PLAIN_MOVED;
	return uw_port_covers(port, address, covered);
}

/* The first step of a loop may go on where another one has ended: in the same mapping. */
static __always_inline u8 moves_from_last(struct uw_along *along, const struct uw_covered *covered, u8 moved)
{
	bool same = along->last.start == covered->start && along->last.bytes == covered->bytes;

	along->last.bytes = 0;
	return same ? 0 : moved;
}

/*
 * Steps by the cache, to where the trail is met at the latest, or the stack ends. Of an exact pc it is one step.
 * Works on copies that nobody else has the address of, so that they are in registers.
 */
static __always_inline void go_alone(struct uw_walk *walk, struct uw_port *port, const struct uw_window *open,
				     struct uw_plain_state *state, u32 most)
{
	struct uw_frame *frame = walk->frames + walk->nr_frames, *end = frame + most;
	struct uw_along *along = walk->along;
	struct uw_plain_state at = *state;
	const struct uw_window window = *open;
	const u64 back = !(at.key & 1);
	const struct uw_plain *plain;
	u8 moved = along ? along->moved : 0;
	u64 cfa, bytes;

	for (; frame < end; frame++) {
		struct words words = { 0 };

		plain = walk->plain + uw_plain_slot(at.pc);
		if (plain->pc != at.pc || plain->key != at.key)
			break;
		if (at.pc - back - at.covered.start >= at.covered.bytes &&
		    !moves(port, at.pc - back, &at.covered, &moved))
			break;
		if (plain->rule.cfa == UW_PLAIN_END) {
			fill_frame(frame++, plain, &at, UW_STACK_BYTES_UNKNOWN);
			if (along)
				moved = moves_from_last(along, &at.covered, moved);
			walk->stop = (enum uw_stop)plain->rule.ra;
			break;
		}
		if (!find_cfa(&plain->rule, &at, &cfa) || !read_words(&window, &plain->rule, at.sp, cfa, &words))
			break;
		bytes = cfa - at.sp;
		fill_frame(frame, plain, &at, bytes < UW_STACK_BYTES_UNKNOWN ? (u32)bytes : UW_STACK_BYTES_UNKNOWN);
		if (along) {
			moved = moves_from_last(along, &at.covered, moved);
			uw_along_fresh(along, (u32)(frame - walk->frames), at.sp, words.fp, &plain->rule, moved);
			moved = 0;
		}
		set_caller(&at, &plain->rule, cfa, &words);
		at.pc = uw_port_strip(port, words.ra);
		if (along && uw_along_meets(along, &at)) {
			frame++;
			break;
		}
	}
	if (along) {
		along->moved = moved;
		along->last = at.covered;
		if (moved) /* that is the next step's */
			along->last.bytes = 0;
	}
	walk->nr_frames = (u32)(frame - walk->frames);
	*state = at;
}

bool uw_alone_steps(struct uw_walk *walk, struct uw_port *port, struct uw_plain_state *at, u32 most)
{
	u32 before = walk->nr_frames;
	struct uw_window window;

	if (walk->along && walk->along->on_trail)
		uw_along_leave(walk);
	if (most > UW_ALONE_BURST)
		most = UW_ALONE_BURST;
	if (at->key & 1)
		most = 1;
	if (at->sp & 7 || !uw_port_open(port, at->sp, &window))
		return false;
	go_alone(walk, port, &window, at, most);
	uw_port_close(port);
	if (walk->nr_frames > before)
		at->key &= ~1u;
	return walk->nr_frames > before && walk->stop == UW_STOP_NONE;
}

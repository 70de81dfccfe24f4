// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Trails: going along one, and what becomes of it when a walk has ended. Only what a walk has
 * found beside its trail is written into it.
 *
 * The places that a step reads lie at or above its SP and below its CFA (plain.c), so that between
 * two SPs in one mapping all of them can be read.
 */
#include "trail.h"
#include "uw_port_walk.h"

_Static_assert(sizeof(struct uw_trail) <= 3328, "a trail takes 3.2 KiB");

void uw_along_begin(struct uw_along *along)
{
	struct uw_trail *trail = along->trail;

	trail->steps[UW_TRAIL_STEPS + 1].sp = ~0ull;
	along->key = 0;
	along->on_trail = false;
	along->has_base = false;
	along->nr_left = 0;
	along->moves = 0;
	along->leaves_left = UW_TRAIL_LEAVES;
	along->stop = UW_STOP_NONE;
	along->first = along->end = 0;
	along->next = trail->key ? trail->start : UW_TRAIL_STEPS + 1;
}

void uw_along_fill(struct uw_walk *walk)
{
	struct uw_along *along = walk->along;
	const struct uw_trail *trail = along->trail;
	u32 step = along->met, end = step + along->nr_left;
	struct uw_frame *frame;

	if (step == end)
		return;
	for (frame = walk->frames + along->met_frame; step < end; frame++, step++) {
		frame->pc = trail->steps[step].pc;
		frame->offset = trail->frames[step].offset;
		frame->file = trail->frames[step].file;
		frame->stack_bytes = step < UW_TRAIL_STEPS ? (u32)(trail->steps[step + 1].sp - trail->steps[step].sp) :
							     UW_STACK_BYTES_UNKNOWN;
		frame->method = uw_trail_method(trail, step);
	}
	along->nr_left = 0;
	walk->nr_filled = walk->nr_frames;
}

void uw_along_run(struct uw_walk *walk, u32 key, bool exact)
{
	struct uw_along *along = walk->along;

	if (along->key == key && along->end == walk->nr_frames && !exact)
		return;
	uw_along_fill(walk);
	along->key = key;
	along->first = along->end = walk->nr_frames + exact;
	along->last.bytes = 0;
	if (along->trail->key != key)
		along->next = UW_TRAIL_STEPS + 1;
	along->on_trail = false;
}

void uw_along_stop(struct uw_walk *walk, const struct uw_plain_state *at)
{
	struct uw_along *along = walk->along;

	along->stop = walk->stop;
	along->end = walk->nr_frames - (walk->stop != UW_STOP_NONE);
	along->pc = at->pc;
	along->sp = at->sp;
	along->method = at->method;
}

static __always_inline bool read_fp(const struct uw_window *window, const struct uw_trail_step *step,
				    struct uw_plain_state *at)
{
	u64 word = 0;

	if (step->rule.fp != UW_PLAIN_FP_LOST)
		uw_port_peek(window, step[1].sp + 8 * (u64)step->rule.fp, &word, failed);
	at->fp = word;
	at->fp_known = step->rule.fp != UW_PLAIN_FP_LOST;
	return true;

failed:
	return false;
}

/*
 * FP after those steps: what the last one that has a place for it has read there. If that cannot be read, the step
 * has not been taken. Returns the first step that has not.
 */
static __always_inline u32 find_fp(const struct uw_trail *trail, const struct uw_window *window, u32 from, u32 to,
				   struct uw_plain_state *at)
{
	const struct uw_trail_step *first = uw_trail_step(trail, from), *step = uw_trail_step(trail, to);
	u32 reached = to;

	while (step > first) {
		step--;
		if (step->rule.fp && read_fp(window, step, at))
			break;
		if (step->rule.fp)
			reached = (u32)(step - trail->steps);
	}
	return reached;
}

static void find_base(const struct uw_trail *trail, u32 from, u32 to, struct uw_plain_state *at)
{
	for (; trail->has_base && to > from; to--) {
		if (!trail->steps[to - 1].rule.base_slot)
			continue;
		at->base_slot = trail->steps[to - 1].rule.base_slot;
		at->base_cfa = trail->steps[to].sp;
		return;
	}
}

static void push_frames(struct uw_walk *walk, u32 nr)
{
	walk->along->nr_left += nr;
	walk->nr_frames += nr;
}

static void meet(struct uw_walk *walk, const struct uw_plain_state *at)
{
	struct uw_along *along = walk->along;

	if (along->on_trail)
		return;
	along->on_trail = true;
	along->met = along->next;
	along->met_frame = walk->nr_frames;
	if (at->pc - 1 - at->covered.start >= at->covered.bytes)
		uw_along_moves(along, walk->nr_frames);
}

/* Frames from that one on that are in one mapping of code. */
static u32 nr_alike(const struct uw_trail *trail, u32 from)
{
	u64 moves = from < UW_TRAIL_STEPS ? trail->moves >> from : 1;

	return moves ? (u32)__builtin_ctzll(moves) + 1 : UW_TRAIL_STEPS + 1 - from;
}

/* Returns the first step that has not been taken. */
static u32 follow_steps(struct uw_walk *walk, struct uw_port *port, struct uw_plain_state *at, u32 from, u32 to)
{
	const struct uw_trail *trail = walk->along->trail;
	u64 last = trail->steps[to].sp - 8;
	struct uw_window window;
	u32 reached = from;

	if (!uw_port_open(port, at->sp, &window))
		return from;
	if (uw_window_has(&window, last)) {
		reached = (u32)(uw_trail_follow(port, &window, trail->steps + from, trail->steps + to) - trail->steps);
		reached = find_fp(trail, &window, from, reached, at);
	}
	uw_port_close(port);
	find_base(trail, from, reached, at);
	push_frames(walk, reached - from);
	at->sp = trail->steps[reached].sp;
	at->pc = trail->steps[reached].pc;
	at->method = reached > from ? uw_trail_method(trail, reached) : at->method;
	return reached;
}

bool uw_along_follow(struct uw_walk *walk, struct uw_port *port, struct uw_plain_state *at, u32 most)
{
	struct uw_along *along = walk->along;
	const struct uw_trail *trail = along->trail;
	u32 from = along->next, last = from + most < UW_TRAIL_STEPS ? from + most : UW_TRAIL_STEPS, reached = from;
	u32 covered = from + nr_alike(trail, from);
	bool vouched = true, ends;

	while (covered <= last && vouched) {
		vouched = uw_trail_vouched(port, trail->steps[covered].pc - 1, at->key);
		covered += vouched ? nr_alike(trail, covered) : 0;
	}
	if (last > covered)
		last = covered;
	meet(walk, at);
	if (last > from)
		reached = follow_steps(walk, port, at, from, last);
	along->next = reached + (reached < last);
	ends = reached == UW_TRAIL_STEPS && covered > reached && trail->stop != UW_STOP_NONE;
	if (!ends || reached - from == most)
		return vouched;
	push_frames(walk, 1);
	walk->stop = trail->stop;
	return false;
}

void uw_along_leave(struct uw_walk *walk)
{
	struct uw_along *along = walk->along;
	const struct uw_trail *trail = along->trail;
	u32 step = along->met, frame = along->met_frame;
	struct uw_trail_step *fresh;

	uw_along_fill(walk);
	for (; frame < walk->nr_frames; step++, frame++) {
		fresh = &along->fresh[frame % UW_TRAIL_STEPS];
		*fresh = trail->steps[step];
		fresh->rule.method &= UW_PLAIN_METHOD | UW_PLAIN_BY_FP;
		if (trail->moves >> step & 1)
			uw_along_moves(along, frame + 1);
	}
	uw_along_moves(along, frame);
	along->has_base |= trail->has_base;
	along->last.bytes = 0;
	along->on_trail = false;
	if (!--along->leaves_left)
		along->next = UW_TRAIL_STEPS + 1;
}

/* The frame after the steps. */
static void keep_end(struct uw_walk *walk)
{
	struct uw_along *along = walk->along;
	struct uw_trail *trail = along->trail;
	const struct uw_frame *end = walk->frames + along->end;

	trail->key = along->key;
	trail->stop = along->stop;
	trail->start = UW_TRAIL_STEPS;
	trail->method = along->method;
	trail->has_base = false;
	trail->steps[UW_TRAIL_STEPS].sp = along->sp;
	trail->steps[UW_TRAIL_STEPS].pc = along->pc;
	trail->steps[UW_TRAIL_STEPS].rule.method = 0;
	if (along->stop != UW_STOP_NONE)
		trail->frames[UW_TRAIL_STEPS] = (struct uw_trail_frame){ end->offset, end->file, ++along->last_id };
}

/* What of FP matters at a step, if that is used after it or is not. Returns whether it is before it. */
static __always_inline bool set_flags(struct uw_plain_rule *rule, bool used)
{
	u8 method = rule->method;

	if (used && rule->fp)
		method |= UW_PLAIN_FP_READ;
	used = method & UW_PLAIN_BY_FP || (used && !rule->fp);
	if (used)
		method |= UW_PLAIN_FP_USED;
	if (method != rule->method)
		rule->method = method;
	return used;
}

/* Those steps before that one were so many before that frame. */
static void keep_moves(struct uw_along *along, u32 frame, u32 step, u64 these)
{
	u32 turn = (frame + 1 - step) % UW_TRAIL_STEPS;
	u64 moves = along->moves >> turn | along->moves << (UW_TRAIL_STEPS - turn) % UW_TRAIL_STEPS;

	along->trail->moves = (along->trail->moves & ~these) | (moves & these);
}

static void keep_ids(struct uw_along *along, u32 step, u32 nr, u64 these)
{
	struct uw_trail *trail = along->trail;
	bool has_ids = along->stop != UW_STOP_NONE;

	trail->seams = (trail->seams & ~these) | 1ull << (step - 1);
	trail->frames[step - 1].id = has_ids ? along->last_id + 1 : 0;
	along->last_id += has_ids ? nr : 0;
}

static void keep_steps(struct uw_walk *walk, u32 frame, u32 step, u32 nr)
{
	struct uw_along *along = walk->along;
	struct uw_trail *trail = along->trail;
	const struct uw_trail_step *fresh = along->fresh + frame % UW_TRAIL_STEPS;
	struct uw_trail_step *to = trail->steps + step, *first = to - nr;
	struct uw_trail_frame *found = trail->frames + step;
	const struct uw_frame *from = walk->frames + frame;
	bool used = to->rule.method & UW_PLAIN_FP_USED;

	while (to > first) {
		if (fresh == along->fresh)
			fresh += UW_TRAIL_STEPS;
		*--to = *--fresh;
		used = set_flags(&to->rule, used);
		from--;
		found--;
		found->offset = from->offset;
		found->file = from->file;
	}
	trail->method = from->method;
}

/* So many frames before that one become the steps before that one, which is then the trail's first one or was before. */
static void keep(struct uw_walk *walk, u32 frame, u32 step, u32 nr)
{
	struct uw_along *along = walk->along;
	struct uw_trail *trail = along->trail;
	u64 these;

	if (nr) {
		these = (~0ull >> (UW_TRAIL_STEPS - nr)) << (step - nr);
		keep_steps(walk, frame, step, nr);
		keep_moves(along, frame, step, these);
		keep_ids(along, step, nr, these);
	} else {
		trail->method = uw_trail_method(trail, step);
	}
	trail->start = step - nr;
	trail->has_base |= along->has_base;
}

/* At most so many frames, and those of the run. */
static u32 nr_kept(const struct uw_along *along, u32 frame, u32 most)
{
	return frame - along->first < most ? frame - along->first : most;
}

static void keep_all(struct uw_walk *walk)
{
	struct uw_along *along = walk->along;

	keep_end(walk);
	keep(walk, along->end, UW_TRAIL_STEPS, nr_kept(along, along->end, UW_TRAIL_STEPS));
}

/* What has led to the trail. */
static void keep_inner(struct uw_walk *walk)
{
	struct uw_along *along = walk->along;

	if (along->stop != UW_STOP_NONE)
		walk->nr_same = walk->nr_frames - along->met_frame;
	else
		uw_along_fill(walk);
	keep(walk, along->met_frame, along->met, nr_kept(along, along->met_frame, along->met));
}

void uw_along_end(struct uw_walk *walk)
{
	struct uw_along *along = walk->along;

	walk->ids_of = along->ids_of;
	if (along->first < along->end) {
		if (along->on_trail)
			keep_inner(walk);
		else
			keep_all(walk);
		if (along->stop != UW_STOP_NONE)
			walk->nr_ids = UW_TRAIL_STEPS + 1 - along->trail->start;
	}
	walk->nr_filled = walk->nr_frames - along->nr_left;
}

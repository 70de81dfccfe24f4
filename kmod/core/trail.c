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

_Static_assert(sizeof(struct uw_trail_step) == 32, "a trail takes 4.2 KiB");

void uw_along_begin(struct uw_along *along)
{
	struct uw_trail *trail = along->trail;

	trail->steps[UW_TRAIL_STEPS + 1].sp = ~0ull;
	along->key = 0;
	along->on_trail = false;
	along->leaves_left = UW_TRAIL_LEAVES;
	along->stop = UW_STOP_NONE;
	along->first = along->end = 0;
	along->next = trail->key ? trail->start : UW_TRAIL_STEPS + 1;
}

void uw_along_run(struct uw_along *along, u32 nr_frames, u32 key, bool exact)
{
	if (along->key == key && along->end == nr_frames && !exact)
		return;
	along->key = key;
	along->first = along->end = nr_frames + exact;
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

/* Steps from one to another one, as far as they lead where they have led. Returns the first that does not. */
static __always_inline u32 follow(const struct uw_trail *trail, struct uw_port *port, const struct uw_window *window,
				  u32 from, u32 to)
{
	const struct uw_trail_step *step = uw_trail_step(trail, from), *end = uw_trail_step(trail, to);
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
	return (u32)(step - trail->steps);
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
	for (; to > from; to--) {
		if (!trail->steps[to - 1].rule.base_slot)
			continue;
		at->base_slot = trail->steps[to - 1].rule.base_slot;
		at->base_cfa = trail->steps[to].sp;
		return;
	}
}

static void push_frames(struct uw_walk *walk, u32 step, u32 end)
{
	const struct uw_frame *from = walk->along->trail->frames + step, *to = walk->along->trail->frames + end;
	struct uw_frame *frame = walk->frames + walk->nr_frames;

	while (from < to)
		*frame++ = *from++;
	walk->nr_frames += end - step;
}

static void meet(struct uw_walk *walk, const struct uw_plain_state *at)
{
	struct uw_along *along = walk->along;

	if (along->on_trail)
		return;
	along->on_trail = true;
	along->met = along->next;
	along->met_frame = walk->nr_frames;
	along->moved = at->pc - 1 - at->covered.start < at->covered.bytes ? 0 : UW_PLAIN_MOVED;
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
		reached = follow(trail, port, &window, from, to);
		reached = find_fp(trail, &window, from, reached, at);
	}
	uw_port_close(port);
	find_base(trail, from, reached, at);
	push_frames(walk, from, reached);
	at->sp = trail->steps[reached].sp;
	at->pc = trail->steps[reached].pc;
	at->method = trail->frames[reached].method;
	return reached;
}

bool uw_along_follow(struct uw_walk *walk, struct uw_port *port, struct uw_plain_state *at, u32 most)
{
	struct uw_along *along = walk->along;
	const struct uw_trail *trail = along->trail;
	u32 from = along->next, covered = from + trail->alike[from], last = covered, reached = from;
	bool ends;

	if (last > from + most)
		last = from + most;
	if (last > UW_TRAIL_STEPS)
		last = UW_TRAIL_STEPS;
	meet(walk, at);
	if (last > from)
		reached = follow_steps(walk, port, at, from, last);
	along->next = reached + (reached < last);
	ends = reached == UW_TRAIL_STEPS && covered > reached && trail->stop != UW_STOP_NONE;
	if (!ends || reached - from == most)
		return true;
	push_frames(walk, UW_TRAIL_STEPS, UW_TRAIL_STEPS + 1);
	walk->stop = trail->stop;
	return false;
}

void uw_along_leave(struct uw_walk *walk)
{
	struct uw_along *along = walk->along;
	u32 step = along->met, frame = along->met_frame;
	struct uw_trail_step *fresh;

	for (; frame < walk->nr_frames; step++, frame++) {
		fresh = &along->fresh[frame % UW_TRAIL_STEPS];
		*fresh = along->trail->steps[step];
		fresh->rule.method &= UW_PLAIN_METHOD | UW_PLAIN_BY_FP;
		fresh->rule.method |= along->moved;
		along->moved = along->trail->alike[step] == 1 ? UW_PLAIN_MOVED : 0;
		walk->frames[frame].id = 0;
	}
	along->moved = UW_PLAIN_MOVED;
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

	trail->key = along->key;
	trail->stop = along->stop;
	trail->steps[UW_TRAIL_STEPS].sp = along->sp;
	trail->steps[UW_TRAIL_STEPS].pc = along->pc;
	trail->steps[UW_TRAIL_STEPS].rule.method = 0;
	trail->alike[UW_TRAIL_STEPS] = 1;
	if (along->stop == UW_STOP_NONE) {
		trail->frames[UW_TRAIL_STEPS].method = along->method;
		return;
	}
	walk->frames[along->end].id = ++along->last_id;
	trail->frames[UW_TRAIL_STEPS] = walk->frames[along->end];
}

/* What of FP matters at a step, if that is used after it or is not. Returns whether it is before it. */
static __always_inline bool set_flags(struct uw_plain_rule *rule, bool used)
{
	u8 method = rule->method & (UW_PLAIN_METHOD | UW_PLAIN_BY_FP);

	if (used && rule->fp)
		method |= UW_PLAIN_FP_READ;
	used = method & UW_PLAIN_BY_FP || (used && !rule->fp);
	rule->method = used ? method | UW_PLAIN_FP_USED : method;
	return used;
}

/* So many frames before that one become the steps before that one. moved: that frame's code is in another mapping. */
static void keep(struct uw_walk *walk, u32 frame, u32 step, u32 nr, u8 moved)
{
	struct uw_along *along = walk->along;
	struct uw_trail *trail = along->trail;
	struct uw_frame *from = walk->frames + frame, *to = trail->frames + step;
	struct uw_trail_step *now = trail->steps + step;
	bool used = now->rule.method & UW_PLAIN_FP_USED;
	u8 *alike = trail->alike + step, run = *alike;
	u32 id = along->last_id;

	trail->start = step - nr;
	for (; nr; nr--) {
		frame--;
		from--;
		from->id = along->stop != UW_STOP_NONE ? ++id : 0;
		*--to = *from;
		*--now = along->fresh[frame % UW_TRAIL_STEPS];
		run = moved ? 1 : run + 1;
		*--alike = run;
		moved = now->rule.method & UW_PLAIN_MOVED;
		used = set_flags(&now->rule, used);
	}
	along->last_id = id;
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
	keep(walk, along->end, UW_TRAIL_STEPS, nr_kept(along, along->end, UW_TRAIL_STEPS), along->moved);
}

/* What has led to the trail. */
static void keep_inner(struct uw_walk *walk)
{
	struct uw_along *along = walk->along;
	u32 frame;

	if (along->stop != UW_STOP_NONE)
		walk->nr_same = walk->nr_frames - along->met_frame;
	else
		for (frame = along->met_frame; frame < along->end; frame++)
			walk->frames[frame].id = 0;
	keep(walk, along->met_frame, along->met, nr_kept(along, along->met_frame, along->met), along->moved);
}

void uw_along_end(struct uw_walk *walk)
{
	struct uw_along *along = walk->along;

	walk->ids_of = along->ids_of;
	if (along->first >= along->end)
		return;
	if (along->on_trail)
		keep_inner(walk);
	else
		keep_all(walk);
}

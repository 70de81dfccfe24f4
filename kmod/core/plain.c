// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Plain steps. The two loops, go_alone() and follow(), run while the port holds user memory open, so
 * they call nothing, and are bounded. They must do exactly what step_by_table() and apply_frame() would do.
 */
#include "plain.h"
#include "trail.h"
#include "uw_port_walk.h"

_Static_assert(sizeof(struct uw_plain) == 32, "two of them are a cache line");

static __always_inline u32 slot_of(u64 pc)
{
	return (u32)(pc * 0x9e3779b97f4a7c15ull >> (64 - UW_PLAIN_BITS));
}

/* In words, or false. */
static bool in_words(s32 bytes, s16 *words)
{
	*words = (s16)(bytes / 8);
	return bytes % 8 == 0 && *words == bytes / 8 && *words != UW_PLAIN_FP_LOST;
}

static bool is_plain_fp(const struct uw_rule *rule, s16 *fp)
{
	*fp = rule->fp_place == UW_PLACE_LOST ? UW_PLAIN_FP_LOST : 0;
	if (rule->fp_place != UW_PLACE_CFA_MEM)
		return rule->fp_place == UW_PLACE_SAME || rule->fp_place == UW_PLACE_LOST;
	return in_words(rule->fp_off, fp) && *fp;
}

static bool ends_stack(const struct uw_rule *rule, enum uw_stop *stop)
{
	*stop = rule->kind == UW_RULE_OUTERMOST ? UW_STOP_OUTERMOST : UW_STOP_THREAD_START;
	return rule->kind == UW_RULE_OUTERMOST || rule->kind == UW_RULE_THREAD_START;
}

static bool make_frame(struct uw_plain_rule *plain, const struct uw_rule *rule, const struct uw_abi *abi)
{
	if ((rule->kind != UW_RULE_FRAME && rule->kind != UW_RULE_READ) || rule->cfa_kind != UW_CFA_REG ||
	    (rule->cfa_reg != abi->sp && rule->cfa_reg != abi->fp) || rule->ra_place != UW_PLACE_CFA_MEM)
		return false;
	plain->base_slot = rule->base_slot;
	plain->method = rule->cfa_reg == abi->fp ? UW_PLAIN_BY_FP : 0;
	return in_words(rule->cfa_off, &plain->cfa) && in_words(rule->ra_off, &plain->ra) &&
	       is_plain_fp(rule, &plain->fp);
}

/* At an exact pc the end of a stack leaves more registers known than a plain step does. */
static bool make_plain(struct uw_plain_rule *plain, const struct uw_rule *rule, const struct uw_abi *abi, bool exact)
{
	enum uw_stop stop;

	if (!ends_stack(rule, &stop))
		return make_frame(plain, rule, abi);
	*plain = (struct uw_plain_rule){ .cfa = UW_PLAIN_END, .ra = (s16)stop };
	return !exact;
}

void uw_plain_remember(struct uw_walk *walk, struct uw_port *port, const struct uw_found *found, bool exact)
{
	const struct uw_abi *abi = &uw_abis[walk->arch];
	u32 key = uw_port_key(port);
	struct uw_plain plain;

	if (!walk->plain || !key || !found->lasting || abi->word != 8 ||
	    !make_plain(&plain.rule, &found->rule, abi, exact))
		return;
	plain.pc = walk->regs.pc;
	plain.offset = found->offset + (exact ? 0 : 1);
	plain.key = key << 1 | exact;
	plain.file = found->file;
	plain.rule.method |= found->method;
	walk->plain[slot_of(plain.pc)] = plain;
}

/* The registers that plain steps change. */
struct state {
	u64 pc, sp, fp, base;
	bool fp_known, base_known, base_on_stack;
	u32 key; /* as in struct uw_plain */
	u8 method;
};

static __always_inline const struct uw_plain *recall(const struct uw_walk *walk, const struct state *at)
{
	const struct uw_plain *plain = &walk->plain[slot_of(at->pc)];

	return plain->pc == at->pc && plain->key == at->key ? plain : NULL;
}

static __always_inline struct uw_frame *push(struct uw_walk *walk, const struct uw_plain *plain, const struct state *at)
{
	struct uw_frame *frame = &walk->frames[walk->nr_frames];

	if (walk->along)
		walk->along->fresh[walk->nr_frames % UW_TRAIL_STEPS] =
			(struct uw_trail_step){ .sp = at->sp, .rule = plain->rule };
	walk->nr_frames++;
	frame->pc = at->pc;
	frame->offset = plain->offset;
	frame->file = plain->file;
	frame->stack_bytes = UW_STACK_BYTES_UNKNOWN;
	frame->method = at->method;
	frame->id = 0;
	return frame;
}

static __always_inline void find_base(const struct uw_plain_rule *rule, struct state *at, u64 cfa)
{
	if (!rule->base_slot)
		return;
	at->base_known = at->base_on_stack = rule->base_slot != UW_BASE_LOST;
	at->base = cfa - 8ull * rule->base_slot;
}

/* What a step reads. */
struct words {
	u64 ra;
	u64 fp; /* if the rule has a place for it */
};

static __always_inline bool read_words(struct uw_port *port, const struct uw_plain_rule *rule, u64 cfa,
				       struct words *words)
{
	uw_port_peek(port, cfa + 8 * (u64)rule->ra, &words->ra, failed);
	if (rule->fp && rule->fp != UW_PLAIN_FP_LOST)
		uw_port_peek(port, cfa + 8 * (u64)rule->fp, &words->fp, failed);
	words->ra = uw_port_strip(port, words->ra);
	return true;

failed:
	return false;
}

static __always_inline void set_caller(struct state *at, const struct uw_plain_rule *rule, u64 cfa,
				       const struct words *words)
{
	if (rule->fp) {
		at->fp = words->fp;
		at->fp_known = rule->fp != UW_PLAIN_FP_LOST;
	}
	find_base(rule, at, cfa);
}

/* The base register's bits are only kept by an ABI that has one. false: this is not plain, or the stack has ended. */
static __always_inline bool step(struct uw_walk *walk, struct uw_port *port, struct state *at)
{
	const struct uw_plain *plain = recall(walk, at);
	struct words words = { 0 };
	struct uw_frame *frame;
	u64 cfa;

	if (!plain || !uw_port_covers(port, at->pc - !(at->key & 1)))
		return false;
	if (plain->rule.cfa == UW_PLAIN_END) {
		push(walk, plain, at);
		walk->stop = (enum uw_stop)plain->rule.ra;
		return false;
	}
	if (plain->rule.method & UW_PLAIN_BY_FP && !at->fp_known)
		return false;
	cfa = (plain->rule.method & UW_PLAIN_BY_FP ? at->fp : at->sp) + 8 * (u64)plain->rule.cfa;
	if (cfa & 7 || cfa <= at->sp || !read_words(port, &plain->rule, cfa, &words) || !words.ra)
		return false;
	frame = push(walk, plain, at);
	if (cfa - at->sp < UW_STACK_BYTES_UNKNOWN)
		frame->stack_bytes = (u32)(cfa - at->sp);
	set_caller(at, &plain->rule, cfa, &words);
	at->sp = cfa;
	at->pc = words.ra;
	at->key &= ~1u;
	at->method = plain->rule.method & UW_PLAIN_METHOD;
	return true;
}

/* i is at most UW_TRAIL_STEPS. By pointers: a check of an index would be a call. */
static __always_inline const struct uw_trail_step *step_at(const struct uw_trail *trail, u32 i)
{
	return trail->steps + i;
}

static __always_inline const struct uw_frame *frame_at(const struct uw_trail *trail, u32 i)
{
	return trail->frames + i;
}

/* Whether the next step is one of the trail. */
static __always_inline bool meets(struct uw_along *along, const struct state *at)
{
	const struct uw_trail *trail = along->trail;
	const struct uw_frame *frame;

	while (along->next < UW_TRAIL_STEPS && step_at(trail, along->next)->sp < at->sp)
		along->next++;
	if (along->next == UW_TRAIL_STEPS || step_at(trail, along->next)->sp != at->sp || at->key & 1)
		return false;
	frame = frame_at(trail, along->next);
	return frame->pc == at->pc && frame->method == at->method;
}

/* Steps by the cache, to where the trail is met at the latest. */
static __always_inline void go_alone(struct uw_walk *walk, struct uw_port *port, struct state *at, u32 end)
{
	while (walk->nr_frames < end && step(walk, port, at))
		if (walk->along && meets(walk->along, at))
			break;
}

/* Whether that step of the trail leads where it has led. */
static __always_inline bool follow_step(struct uw_walk *walk, struct uw_port *port, struct state *at, u32 i)
{
	const struct uw_trail *trail = walk->along->trail;
	const struct uw_plain_rule *rule = &step_at(trail, i)->rule;
	u64 cfa = step_at(trail, i + 1)->sp;
	struct words words = { 0 };

	if (!uw_port_covers(port, frame_at(trail, i)->pc - 1))
		return false;
	if (rule->cfa == UW_PLAIN_END) {
		walk->stop = (enum uw_stop)rule->ra;
		return true;
	}
	if (rule->method & UW_PLAIN_BY_FP && (!at->fp_known || at->fp + 8 * (u64)rule->cfa != cfa))
		return false;
	if (!read_words(port, rule, cfa, &words) || words.ra != frame_at(trail, i + 1)->pc)
		return false;
	set_caller(at, rule, cfa, &words);
	return true;
}

/* Returns how many steps. One that leads elsewhere is not met again; at one that ends the stack the state stays. */
static __always_inline u32 follow(struct uw_walk *walk, struct uw_port *port, struct state *at, u32 most)
{
	struct uw_along *along = walk->along;
	const struct uw_trail *trail = along->trail;
	u32 i = along->next, end = UW_TRAIL_STEPS - i < most ? UW_TRAIL_STEPS : i + most;
	u32 from = i;

	while (i < end && follow_step(walk, port, at, i) && walk->stop == UW_STOP_NONE)
		i++;
	at->sp = step_at(trail, i)->sp;
	at->pc = frame_at(trail, i)->pc;
	at->method = frame_at(trail, i)->method;
	along->next = i + (i < end && uw_port_covers(port, at->pc - 1));
	return i - from + (walk->stop != UW_STOP_NONE);
}

static void push_followed(struct uw_walk *walk, u32 step, u32 nr)
{
	const struct uw_frame *frames = walk->along->trail->frames;

	while (nr--)
		walk->frames[walk->nr_frames++] = frames[step++];
}

static bool go_along(struct uw_walk *walk, struct uw_port *port, struct state *at, u32 end)
{
	struct uw_along *along = walk->along;
	u32 from = along->next, nr;

	if (!along->on_trail) {
		along->on_trail = true;
		along->met = from;
		along->met_frame = walk->nr_frames;
	}
	if (!uw_port_open(port))
		return false;
	nr = follow(walk, port, at, end - walk->nr_frames);
	uw_port_close(port);
	push_followed(walk, from, nr);
	return true;
}

/* Whether the port vouches for the mapping of the next step. Its first one in a walk takes a look. */
static bool covers(struct uw_port *port, const struct state *at)
{
	u64 address = at->pc - !(at->key & 1);

	return uw_port_covers(port, address) || (uw_port_cover(port, address) && uw_port_key(port) == at->key >> 1);
}

/* false: the next step is not plain. */
static bool steps(struct uw_walk *walk, struct uw_port *port, struct state *at, u32 end)
{
	bool met = walk->along && meets(walk->along, at);
	u32 before = walk->nr_frames;

	if ((!met && !recall(walk, at)) || !covers(port, at))
		return false;
	if (met)
		return go_along(walk, port, at, end);
	if (walk->along && walk->along->on_trail)
		uw_along_leave(walk);
	if (!uw_port_open(port))
		return false;
	go_alone(walk, port, at, end);
	uw_port_close(port);
	return walk->nr_frames > before;
}

static __always_inline bool has_bit(u32 bits, u8 reg)
{
	return reg != UW_NO_REG && (bits >> reg & 1);
}

static struct state state_of(const struct uw_walk *walk, const struct uw_abi *abi, u32 key, u8 method)
{
	const struct uw_regs *regs = &walk->regs;
	struct state at = {
		.pc = regs->pc,
		.sp = regs->r[abi->sp],
		.fp = regs->r[abi->fp],
		.fp_known = has_bit(regs->known, abi->fp),
		.base_known = has_bit(regs->known, abi->base),
		.base_on_stack = has_bit(regs->on_stack, abi->base),
		.key = key,
		.method = method,
	};

	if (abi->base != UW_NO_REG)
		at.base = regs->r[abi->base];
	return at;
}

static void set_regs(struct uw_walk *walk, const struct uw_abi *abi, const struct state *at)
{
	struct uw_regs *regs = &walk->regs;

	regs->pc = at->pc;
	regs->thumb = false;
	regs->r[abi->sp] = at->sp;
	regs->r[abi->fp] = at->fp;
	regs->known = 1u << abi->sp | (u32)at->fp_known << abi->fp;
	if (abi->base == UW_NO_REG)
		return;
	regs->r[abi->base] = at->base;
	regs->known |= (u32)at->base_known << abi->base;
	if (at->base_on_stack)
		regs->on_stack |= 1u << abi->base;
}

static u32 last_frame(const struct uw_walk *walk)
{
	u32 end = (walk->nr_frames / UW_PLAIN_BURST + 1) * UW_PLAIN_BURST;

	return end < walk->max_frames ? end : walk->max_frames;
}

static void set_end(struct uw_walk *walk, const struct state *at)
{
	struct uw_along *along = walk->along;

	along->end = walk->nr_frames;
	along->whole = walk->stop != UW_STOP_NONE;
	along->pc = at->pc;
	along->sp = at->sp;
	along->method = at->method;
}

bool uw_plain_steps(struct uw_walk *walk, struct uw_port *port, bool exact, u8 *method)
{
	const struct uw_abi *abi = &uw_abis[walk->arch];
	u32 before = walk->nr_frames, end = last_frame(walk);
	struct state at;

	if (!walk->plain || !(walk->regs.known >> abi->sp & 1) || abi->word != 8)
		return false;
	at = state_of(walk, abi, uw_port_key(port) << 1 | exact, *method);
	if (walk->along)
		uw_along_run(walk->along, before, at.key & ~1u, exact);
	while (walk->nr_frames < end && walk->stop == UW_STOP_NONE && steps(walk, port, &at, end))
		;
	if (walk->nr_frames == before)
		return false;
	if (walk->along)
		set_end(walk, &at);
	set_regs(walk, abi, &at);
	*method = at.method;
	return true;
}

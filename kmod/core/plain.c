// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Which steps are plain, and a walk's way over them: along its trail, or by itself.
 */
#include "plain.h"
#include "alone.h"
#include "trail.h"
#include "uw_port_walk.h"

_Static_assert(sizeof(struct uw_plain) == 32, "two of them are a cache line");
_Static_assert(UW_NR_METHODS <= UW_PLAIN_METHOD + 1, "a method leaves room for the flags");

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
	return in_words(rule->fp_off, fp) && *fp < 0;
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
	plain->base_slot = abi->base == UW_NO_REG ? 0 : rule->base_slot;
	plain->method = rule->cfa_reg == abi->fp ? UW_PLAIN_BY_FP : 0;
	return in_words(rule->cfa_off, &plain->cfa) && in_words(rule->ra_off, &plain->ra) && plain->ra < 0 &&
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

bool uw_plain_remember(struct uw_walk *walk, struct uw_port *port, const struct uw_found *found, bool exact)
{
	const struct uw_abi *abi = &uw_abis[walk->arch];
	u32 key = uw_port_key(port);
	struct uw_plain plain;

	if (!key || !found->lasting || abi->word != 8 || !make_plain(&plain.rule, &found->rule, abi, exact))
		return false;
	plain.pc = walk->regs.pc;
	plain.offset = found->offset + (exact ? 0 : 1);
	plain.key = key << 1 | exact;
	plain.file = found->file;
	plain.rule.method |= found->method;
	walk->plain[uw_plain_slot(plain.pc)] = plain;
	return true;
}

/* false: the next step is not plain, or the stack has ended. */
static bool steps(struct uw_walk *walk, struct uw_port *port, struct uw_plain_state *at, u32 most)
{
	const struct uw_plain *plain = walk->plain + uw_plain_slot(at->pc);
	bool met = walk->along && !(at->key & 1) && uw_along_meets(walk->along, at);

	if ((!met && (plain->pc != at->pc || plain->key != at->key)) ||
	    !uw_trail_vouched(port, at->pc - !(at->key & 1), at->key))
		return false;
	return met ? uw_along_follow(walk, port, at, most) : uw_alone_steps(walk, port, at, most);
}

static __always_inline bool has_bit(u32 bits, u8 reg)
{
	return reg != UW_NO_REG && (bits >> reg & 1);
}

static struct uw_plain_state state_of(const struct uw_walk *walk, const struct uw_abi *abi, u32 key, u8 method)
{
	const struct uw_regs *regs = &walk->regs;

	return (struct uw_plain_state){
		.pc = regs->pc,
		.sp = regs->r[abi->sp],
		.fp = regs->r[abi->fp],
		.fp_known = has_bit(regs->known, abi->fp),
		.key = key,
		.method = method,
	};
}

static void set_base(struct uw_regs *regs, const struct uw_abi *abi, const struct uw_plain_state *at)
{
	u32 bit = 1u << abi->base;

	regs->known &= ~bit;
	if (at->base_slot == UW_BASE_LOST)
		return;
	regs->known |= bit;
	regs->on_stack |= bit;
	regs->r[abi->base] = at->base_cfa - 8ull * at->base_slot;
}

static void set_regs(struct uw_walk *walk, const struct uw_abi *abi, const struct uw_plain_state *at)
{
	struct uw_regs *regs = &walk->regs;
	u32 base = has_bit(regs->known, abi->base) ? 1u << abi->base : 0;

	regs->pc = at->pc;
	regs->thumb = false;
	regs->r[abi->sp] = at->sp;
	regs->r[abi->fp] = at->fp;
	regs->known = 1u << abi->sp | (u32)at->fp_known << abi->fp | base;
	if (at->base_slot)
		set_base(regs, abi, at);
}

/* To the next look at the world. */
static u32 frames_left(const struct uw_walk *walk)
{
	u32 end = (walk->nr_frames / UW_PLAIN_FRAMES + 1) * UW_PLAIN_FRAMES;

	return (end < walk->max_frames ? end : walk->max_frames) - walk->nr_frames;
}

bool uw_plain_steps(struct uw_walk *walk, struct uw_port *port, bool exact, u8 *method)
{
	const struct uw_abi *abi = &uw_abis[walk->arch];
	u32 before = walk->nr_frames, end = before + frames_left(walk);
	struct uw_plain_state at;

	if (!(walk->regs.known >> abi->sp & 1) || abi->word != 8)
		return false;
	at = state_of(walk, abi, uw_port_key(port) << 1 | exact, *method);
	if (walk->along)
		uw_along_run(walk, at.key & ~1u, exact);
	while (walk->nr_frames < end && steps(walk, port, &at, end - walk->nr_frames))
		;
	if (walk->nr_frames == before)
		return false;
	if (walk->along)
		uw_along_stop(walk, &at);
	set_regs(walk, abi, &at);
	*method = at.method;
	return true;
}

// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Plain steps. The loop runs while the port holds user memory open, so it calls nothing,
 * and is bounded. It must do exactly what step_by_table() and apply_frame() would do.
 */
#include "plain.h"
#include "uw_port_walk.h"

_Static_assert(sizeof(struct uw_plain) == 32, "two of them are a cache line");

static inline u32 slot_of(u64 pc)
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

static bool make_plain(struct uw_plain *plain, const struct uw_rule *rule, const struct uw_abi *abi)
{
	if ((rule->kind != UW_RULE_FRAME && rule->kind != UW_RULE_READ) || rule->cfa_kind != UW_CFA_REG ||
	    (rule->cfa_reg != abi->sp && rule->cfa_reg != abi->fp) || rule->ra_place != UW_PLACE_CFA_MEM)
		return false;
	plain->base_slot = rule->base_slot;
	return in_words(rule->cfa_off, &plain->cfa) && in_words(rule->ra_off, &plain->ra) &&
	       is_plain_fp(rule, &plain->fp);
}

void uw_plain_remember(struct uw_walk *walk, struct uw_port *port, const struct uw_found *found, bool exact)
{
	const struct uw_abi *abi = &uw_abis[walk->arch];
	u32 key = uw_port_key(port);
	struct uw_plain plain;

	if (!walk->plain || !key || !found->lasting || abi->word != 8 || !make_plain(&plain, &found->rule, abi))
		return;
	plain.pc = walk->regs.pc;
	plain.offset = found->offset + (exact ? 0 : 1);
	plain.key = key << 1 | exact;
	plain.file = found->file;
	plain.method = found->method | (found->rule.cfa_reg == abi->fp ? UW_PLAIN_BY_FP : 0);
	walk->plain[slot_of(plain.pc)] = plain;
}

/* The registers that plain steps change. */
struct state {
	u64 pc, sp, fp, base;
	bool fp_known, base_known, base_on_stack;
	u32 key; /* as in struct uw_plain */
	u8 method;
};

static inline const struct uw_plain *recall(const struct uw_walk *walk, const struct state *at)
{
	const struct uw_plain *plain = &walk->plain[slot_of(at->pc)];

	return plain->pc == at->pc && plain->key == at->key ? plain : NULL;
}

static inline void push(struct uw_walk *walk, const struct uw_plain *plain, const struct state *at, u64 cfa)
{
	struct uw_frame *frame = &walk->frames[walk->nr_frames++];

	frame->pc = at->pc;
	frame->offset = plain->offset;
	frame->file = plain->file;
	frame->stack_bytes = cfa - at->sp < UW_STACK_BYTES_UNKNOWN ? (u32)(cfa - at->sp) : UW_STACK_BYTES_UNKNOWN;
	frame->method = at->method;
}

static inline void find_base(const struct uw_plain *plain, struct state *at, u64 cfa)
{
	if (!plain->base_slot)
		return;
	at->base_known = at->base_on_stack = plain->base_slot != UW_BASE_LOST;
	at->base = cfa - 8ull * plain->base_slot;
}

/* The base register's bits are only kept by an ABI that has one. false: this step is not plain. */
static inline bool step(struct uw_walk *walk, struct uw_port *port, struct state *at)
{
	const struct uw_plain *plain = recall(walk, at);
	u64 cfa, ra, fp = 0;

	if (!plain || !uw_port_covers(port, at->pc - !(at->key & 1)))
		return false;
	if (plain->method & UW_PLAIN_BY_FP && !at->fp_known)
		return false;
	cfa = (plain->method & UW_PLAIN_BY_FP ? at->fp : at->sp) + 8 * (u64)plain->cfa;
	if (cfa & 7 || cfa <= at->sp)
		return false;
	uw_port_peek(port, cfa + 8 * (u64)plain->ra, &ra, not_plain);
	if (plain->fp && plain->fp != UW_PLAIN_FP_LOST)
		uw_port_peek(port, cfa + 8 * (u64)plain->fp, &fp, not_plain);
	ra = uw_port_strip(port, ra);
	if (!ra)
		return false;
	push(walk, plain, at, cfa);
	if (plain->fp) {
		at->fp = fp;
		at->fp_known = plain->fp != UW_PLAIN_FP_LOST;
	}
	find_base(plain, at, cfa);
	at->sp = cfa;
	at->pc = ra;
	at->key &= ~1u;
	at->method = plain->method & UW_PLAIN_METHOD;
	return true;

not_plain:
	return false;
}

static inline bool has_bit(u32 bits, u8 reg)
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

bool uw_plain_steps(struct uw_walk *walk, struct uw_port *port, bool exact, u8 *method)
{
	const struct uw_abi *abi = &uw_abis[walk->arch];
	u32 before = walk->nr_frames, end = last_frame(walk);
	struct state at;

	if (!walk->plain || !(walk->regs.known >> abi->sp & 1) || abi->word != 8)
		return false;
	at = state_of(walk, abi, uw_port_key(port) << 1 | exact, *method);
	if (!recall(walk, &at) || !uw_port_open(port))
		return false;
	while (walk->nr_frames < end && step(walk, port, &at))
		;
	uw_port_close(port);
	if (walk->nr_frames == before)
		return false;
	set_regs(walk, abi, &at);
	*method = at.method;
	return true;
}

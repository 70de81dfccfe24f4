// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Applying one rule.
 *
 *              | caller's frame     |
 *   CFA  ----> +--------------------+  the caller's SP
 *              | return address     |  x86: right below the CFA; Arm: where the rule says
 *              | caller's FP        |
 *              | this frame         |
 *   SP   ----> +--------------------+  lower addresses
 *
 * The stack moves one way: a CFA lies above the SP that it replaces. Below it may
 * be another stack, from which the program has switched to this one: the walk ends
 * there and says so. (One that lies above is followed like any caller.) The one
 * exception is code with its return address in a register: a leaf of Arm's,
 * which may have pushed nothing, or glibc's vfork() on x86, which pops it. There
 * CFA == SP. Only an exact pc (the topmost frame, or the one that a signal
 * interrupted) may do that, so it cannot happen twice in a row.
 */
#include "rule.h"
#include "stack_read.h"

static inline enum uw_stop reg_get(const struct uw_regs *regs, struct uw_port *port, u8 reg, u64 *value)
{
	if (reg >= UW_NR_REGS || !(regs->known >> reg & 1))
		return UW_STOP_LOST_REGISTER;
	if (regs->on_stack >> reg & 1)
		return uw_stack_read(port, regs->r[reg], value);
	*value = regs->r[reg];
	return UW_STOP_NONE;
}

/*
 * After a frame pointer step on arm64 nobody knows SP: the record of FP and LR
 * lies anywhere in its frame. But FP points to the caller's record, and a row
 * that says where FP and LR are saved says where that record is below the CFA.
 */
static bool cfa_by_record(const struct uw_rule *rule, const struct uw_regs *regs, u64 *cfa)
{
	if (!(regs->known >> UW_ARM64_FP & 1) || rule->cfa_kind != UW_CFA_REG || rule->cfa_reg != UW_ARM64_SP ||
	    rule->fp_place != UW_PLACE_CFA_MEM || rule->ra_place != UW_PLACE_CFA_MEM ||
	    (s64)rule->ra_off != (s64)rule->fp_off + 8)
		return false;
	*cfa = regs->r[UW_ARM64_FP] - (u64)(s64)rule->fp_off;
	return true;
}

static enum uw_stop find_cfa(const struct uw_rule *rule, const struct uw_abi *abi, const struct uw_regs *regs,
			     struct uw_port *port, u64 *cfa)
{
	enum uw_stop stop;
	u64 base;

	stop = reg_get(regs, port, rule->cfa_reg, &base);
	if (stop == UW_STOP_LOST_REGISTER && abi->lr == UW_ARM64_LR && cfa_by_record(rule, regs, cfa))
		return UW_STOP_NONE;
	if (stop != UW_STOP_NONE)
		return stop;
	*cfa = base + (u64)(s64)rule->cfa_off;
	if (rule->cfa_kind != UW_CFA_MEM)
		return UW_STOP_NONE;
	stop = uw_stack_read(port, *cfa, &base);
	*cfa = base + (u64)(s64)rule->cfa_add;
	return stop;
}

/* The value at a place that is computed: neither SAME nor LOST. */
struct place {
	u8 kind;
	u8 reg;
	s32 off;
};

static enum uw_stop find_rare_place(struct place place, const struct uw_regs *regs, struct uw_port *port, u64 cfa,
				    u64 *value)
{
	enum uw_stop stop = UW_STOP_NONE;
	u64 base = cfa;

	if (place.kind == UW_PLACE_REG_MEM || place.kind == UW_PLACE_REG_VAL)
		stop = reg_get(regs, port, place.reg, &base);
	else if (place.kind != UW_PLACE_CFA_VAL)
		stop = UW_STOP_BAD_RULE;
	if (stop != UW_STOP_NONE)
		return stop;
	*value = base + (u64)(s64)place.off;
	return place.kind == UW_PLACE_REG_MEM ? uw_stack_read(port, *value, value) : UW_STOP_NONE;
}

static inline enum uw_stop find_place(struct place place, const struct uw_regs *regs, struct uw_port *port, u64 cfa,
				      u64 *value)
{
	if (place.kind == UW_PLACE_CFA_MEM)
		return uw_stack_read(port, cfa + (u64)(s64)place.off, value);
	return find_rare_place(place, regs, port, cfa, value);
}

static enum uw_stop find_ra(const struct uw_rule *rule, const struct uw_abi *abi, const struct uw_regs *regs,
			    struct uw_port *port, u64 cfa, u64 *ra)
{
	struct place place = { rule->ra_place, rule->ra_reg, rule->ra_off };
	enum uw_stop stop;

	if (place.kind != UW_PLACE_SAME)
		stop = find_place(place, regs, port, cfa, ra);
	else if (abi->lr != UW_NO_REG)
		stop = reg_get(regs, port, abi->lr, ra);
	else
		stop = UW_STOP_BAD_RULE;
	if (stop == UW_STOP_NONE && abi->lr == UW_ARM64_LR)
		*ra = uw_port_strip(port, *ra);
	if (stop != UW_STOP_NONE)
		return stop;
	*ra = uw_port_return(port, *ra, cfa);
	return *ra ? UW_STOP_NONE : UW_STOP_ZERO_RA;
}

/* Bit 0 of an address says Thumb, on 32-bit Arm. */
static void set_pc(const struct uw_abi *abi, struct uw_regs *regs, u64 ra)
{
	regs->thumb = abi->lr == UW_ARM_LR && (ra & 1);
	regs->pc = ra - regs->thumb;
}

/* *known says whether the caller's FP is in *fp. */
static enum uw_stop find_fp(const struct uw_rule *rule, const struct uw_abi *abi, const struct uw_regs *regs,
			    struct uw_port *port, u64 cfa, u64 *fp, bool *known)
{
	struct place place = { rule->fp_place, rule->fp_reg, rule->fp_off };

	*known = true;
	if (place.kind == UW_PLACE_SAME) {
		*fp = regs->r[abi->fp];
		*known = regs->known >> abi->fp & 1;
		return UW_STOP_NONE;
	}
	if (place.kind == UW_PLACE_LOST) {
		*known = false;
		return UW_STOP_NONE;
	}
	return find_place(place, regs, port, cfa, fp);
}

/* The base register's bit if the caller's is known: as it is, or on the stack. */
static u32 find_base(const struct uw_rule *rule, const struct uw_abi *abi, struct uw_regs *regs, u64 cfa)
{
	u32 bit;

	if (abi->base == UW_NO_REG || rule->base_slot == UW_BASE_LOST)
		return 0;
	bit = 1u << abi->base;
	if (!rule->base_slot)
		return regs->known & bit;
	regs->r[abi->base] = cfa - (u64)abi->word * rule->base_slot;
	regs->on_stack |= bit;
	return bit;
}

/* Nothing of a frame is on the stack: the return address is in a register. */
static bool has_no_stack(const struct uw_rule *rule)
{
	return rule->ra_place == UW_PLACE_SAME || rule->ra_place == UW_PLACE_REG_VAL;
}

static inline enum uw_stop check_cfa(struct uw_port *port, u64 cfa, u64 sp, u8 word, bool may_stay)
{
	if (cfa & (word - 1u))
		return UW_STOP_MISALIGNED;
	if (cfa < sp)
		return uw_stack_below(port, sp, cfa);
	return cfa == sp && !may_stay ? UW_STOP_BACKWARDS : UW_STOP_NONE;
}

static inline enum uw_stop apply_frame(const struct uw_rule *rule, const struct uw_abi *abi, struct uw_regs *regs,
				       struct uw_port *port, bool topmost, u32 *stack_bytes)
{
	u64 sp = regs->r[abi->sp];
	u64 cfa, ra = 0, fp = 0;
	enum uw_stop stop;
	bool fp_known;

	stop = find_cfa(rule, abi, regs, port, &cfa);
	if (stop != UW_STOP_NONE)
		return stop;
	stop = check_cfa(port, cfa, sp, abi->word, topmost && has_no_stack(rule));
	if (stop != UW_STOP_NONE)
		return stop;
	stop = find_ra(rule, abi, regs, port, cfa, &ra);
	if (stop != UW_STOP_NONE)
		return stop;
	stop = find_fp(rule, abi, regs, port, cfa, &fp, &fp_known);
	if (stop != UW_STOP_NONE)
		return stop;

	if ((regs->known >> abi->sp & 1) && cfa - sp < UW_STACK_BYTES_UNKNOWN)
		*stack_bytes = (u32)(cfa - sp);
	set_pc(abi, regs, ra);
	regs->r[abi->sp] = cfa;
	regs->r[abi->fp] = fp;
	regs->known = 1u << abi->sp | (u32)fp_known << abi->fp | find_base(rule, abi, regs, cfa);
	return UW_STOP_NONE;
}

static const struct uw_abi x86_64 = { UW_ABI_X86_64 };
static const struct uw_abi arm64 = { UW_ABI_ARM64 };

/* The hot path: each 64-bit ABI has its own copy of apply_frame(), in which its registers are constants. */
static enum uw_stop apply_frame_of(const struct uw_rule *rule, enum uw_arch arch, struct uw_regs *regs,
				   struct uw_port *port, bool topmost, u32 *stack_bytes)
{
	switch (arch) {
	case UW_ARCH_X86_64:
		return apply_frame(rule, &x86_64, regs, port, topmost, stack_bytes);
	case UW_ARCH_ARM64:
		return apply_frame(rule, &arm64, regs, port, topmost, stack_bytes);
	default:
		return apply_frame(rule, &uw_abis[arch], regs, port, topmost, stack_bytes);
	}
}

/* After a system call that makes threads: only the new one has the result 0. */
static enum uw_stop refuse_new_thread(const struct uw_regs *regs, struct uw_port *port)
{
	u64 result;
	enum uw_stop stop;

	stop = reg_get(regs, port, UW_RESULT_REG, &result);
	if (stop != UW_STOP_NONE)
		return stop;
	return result ? UW_STOP_NONE : UW_STOP_THREAD_START;
}

enum uw_stop uw_rule_apply(const struct uw_rule *rule, enum uw_arch arch, struct uw_regs *regs, struct uw_port *port,
			   bool *topmost, u32 *stack_bytes)
{
	enum uw_stop stop;

	*stack_bytes = UW_STACK_BYTES_UNKNOWN;
	switch (rule->kind) {
	case UW_RULE_FRAME:
	case UW_RULE_READ:
		stop = apply_frame_of(rule, arch, regs, port, *topmost, stack_bytes);
		*topmost = false;
		return stop;
	case UW_RULE_CLONE:
		stop = refuse_new_thread(regs, port);
		if (stop == UW_STOP_NONE)
			stop = apply_frame_of(rule, arch, regs, port, *topmost, stack_bytes);
		*topmost = false;
		return stop;
	case UW_RULE_SIGFRAME:
		*topmost = true;
		return uw_sigframe_apply(rule, arch, regs, port);
	case UW_RULE_OUTERMOST:
		return UW_STOP_OUTERMOST;
	case UW_RULE_THREAD_START:
		return UW_STOP_THREAD_START;
	case UW_RULE_UNKNOWN:
		return UW_STOP_NO_TABLE;
	default:
		return UW_STOP_BAD_RULE;
	}
}

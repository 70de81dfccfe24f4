// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Whether a rule means anything on an architecture. A rule that passes cannot
 * make uw_rule_apply() do anything but read words and stop.
 */
#include "table.h"

/* What one place of a rule may be. */
struct place_limits {
	u8 nr_regs;
	bool may_be_same;
	bool may_be_lost;
};

static const char *check_place(u8 place, u8 reg, s32 off, struct place_limits limits)
{
	switch (place) {
	case UW_PLACE_SAME:
		if (!limits.may_be_same)
			return "return address in a link register that does not exist";
		return reg || off ? "a place that is SAME has no register or offset" : NULL;
	case UW_PLACE_LOST:
		if (!limits.may_be_lost)
			return "the return address cannot be lost";
		return reg || off ? "a place that is LOST has no register or offset" : NULL;
	case UW_PLACE_CFA_MEM:
	case UW_PLACE_CFA_VAL:
		return reg ? "a place relative to the CFA has no register" : NULL;
	case UW_PLACE_REG_MEM:
	case UW_PLACE_REG_VAL:
		return reg >= limits.nr_regs ? "no such register" : NULL;
	default:
		return "no such place";
	}
}

static const char *check_frame(const struct uw_rule *rule, enum uw_arch arch)
{
	u8 nr_regs = arch == UW_ARCH_ARM64 ? UW_NR_REGS : UW_X86_RA;
	struct place_limits ra = {nr_regs, arch == UW_ARCH_ARM64, false};
	struct place_limits fp = {nr_regs, true, true};
	const char *why;

	if (rule->rbx_slot && arch != UW_ARCH_X86_64)
		return "RBX is a register of x86-64 only";
	if (rule->cfa_kind >= UW_NR_CFA_KINDS)
		return "no such kind of CFA";
	if (rule->cfa_reg >= nr_regs)
		return "no such register";
	if (rule->cfa_kind == UW_CFA_REG && rule->cfa_add)
		return "a CFA that is not in memory has one offset";
	why = check_place(rule->ra_place, rule->ra_reg, rule->ra_off, ra);
	if (why)
		return why;
	return check_place(rule->fp_place, rule->fp_reg, rule->fp_off, fp);
}

static const char *check_other(const struct uw_rule *rule)
{
	bool clean = !rule->cfa_kind && !rule->cfa_reg && !rule->ra_place && !rule->ra_reg && !rule->fp_place &&
		     !rule->fp_reg && !rule->rbx_slot && !rule->cfa_off && !rule->cfa_add && !rule->ra_off &&
		     !rule->fp_off;

	return clean ? NULL : "only a rule of kind FRAME has fields";
}

int uw_rule_check(const struct uw_rule *rule, enum uw_arch arch, const char **why)
{
	if (arch != UW_ARCH_X86_64 && arch != UW_ARCH_ARM64)
		*why = "no such architecture";
	else if (rule->kind >= UW_NR_RULE_KINDS)
		*why = "no such kind of rule";
	else if (rule->kind == UW_RULE_FRAME)
		*why = check_frame(rule, arch);
	else
		*why = check_other(rule);
	return *why ? -EINVAL : 0;
}

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
	const struct uw_abi *abi = &uw_abis[arch];
	struct place_limits ra = { abi->nr_regs, abi->lr != UW_NO_REG, false };
	struct place_limits fp = { abi->nr_regs, true, true };
	const char *why;

	if (rule->base_slot && abi->base == UW_NO_REG)
		return "arm64 has no base register";
	if (rule->cfa_kind >= UW_NR_CFA_KINDS)
		return "no such kind of CFA";
	if (rule->cfa_reg >= abi->nr_regs)
		return "no such register";
	if (rule->cfa_kind == UW_CFA_REG && rule->cfa_add)
		return "a CFA that is not in memory has one offset";
	why = check_place(rule->ra_place, rule->ra_reg, rule->ra_off, ra);
	if (why)
		return why;
	return check_place(rule->fp_place, rule->fp_reg, rule->fp_off, fp);
}

static const char *check_other(const struct uw_rule *rule, enum uw_arch arch)
{
	bool clean = !rule->cfa_kind && !rule->cfa_reg && !rule->ra_place && !rule->ra_reg && !rule->fp_place &&
		     !rule->fp_reg && !rule->base_slot && !rule->cfa_add && !rule->ra_off && !rule->fp_off;

	if (rule->cfa_off && (rule->kind != UW_RULE_SIGFRAME || uw_abis[arch].word != 4))
		clean = false;
	return clean ? NULL : "only a rule of kind FRAME has such fields";
}

int uw_rule_check(const struct uw_rule *rule, enum uw_arch arch, const char **why)
{
	if (arch >= UW_NR_ARCHES || !uw_abis[arch].word)
		*why = "no such architecture";
	else if (rule->kind >= UW_NR_RULE_KINDS)
		*why = "no such kind of rule";
	else if (rule->kind == UW_RULE_FRAME || rule->kind == UW_RULE_READ || rule->kind == UW_RULE_CLONE)
		*why = check_frame(rule, arch);
	else
		*why = check_other(rule, arch);
	return *why ? -EINVAL : 0;
}

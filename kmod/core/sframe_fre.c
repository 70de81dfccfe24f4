// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Rows of an SFrame function, each turned into a rule.
 *
 * A default row has signed offsets: of the CFA from SP or FP, then, as far as
 * the header does not fix them, of the return address and of FP from the CFA.
 * What is not there is unchanged: FP in its register, the return address in
 * the link register.
 *
 * A flexible row (V3) has pairs of a control word and an offset, in the same
 * order; a control word of 0 has no offset and stands for "not there".
 *
 * No data words at all: the outermost function. Before a late version 2, tools
 * did not say so and wrote an ordinary row.
 *
 * What the bytes do not show: the rows that ld up to 2.47 makes for
 * .plt.got say SP + 16 where SP + 8 is right.
 */
#include "sframe_parts.h"

struct fre {
	u64 at;   /* position in the section */
	u32 next; /* the word to be used next */
	u32 nr_words;
	u32 word_bytes;
	bool base_is_sp;
	u32 word[SFRAME_FRE_MAX_WORDS];
};

static s32 sign_extend(u32 word, u32 bytes)
{
	if (bytes == 1)
		return (s8)word;
	if (bytes == 2)
		return (s16)word;
	return (s32)word;
}

static bool has_word(const struct fre *fre)
{
	return fre->next < fre->nr_words;
}

static u32 take_word(struct fre *fre)
{
	return fre->word[fre->next++];
}

static s32 take_offset(struct fre *fre)
{
	return sign_extend(take_word(fre), fre->word_bytes);
}

static int read_words(struct uw_sframe *sf, struct uw_bytes *cursor, struct fre *fre)
{
	u8 info = uw_bytes_u8(cursor);
	u32 i;

	fre->nr_words = SFRAME_FRE_NR_WORDS(info);
	fre->word_bytes = 1u << SFRAME_FRE_WORD_SIZE(info);
	fre->base_is_sp = SFRAME_FRE_BASE_IS_SP(info);
	if (SFRAME_FRE_WORD_SIZE(info) >= SFRAME_FRE_NR_WORD_SIZES)
		return uw_sframe_refuse(sf, fre->at, "unknown width of data words");
	if (fre->nr_words > SFRAME_FRE_MAX_WORDS)
		return uw_sframe_refuse(sf, fre->at, "more than 6 data words");
	for (i = 0; i < fre->nr_words; i++)
		fre->word[i] = (u32)uw_bytes_uint(cursor, fre->word_bytes);
	if (cursor->bad)
		return uw_sframe_refuse(sf, fre->at, "row reaches past the end of the rows");
	return 0;
}

/* The places that rows leave out; of RBX they never speak. */
static void fixed_places(const struct uw_sframe *sf, struct uw_rule *rule)
{
	if (sf->in.arch == UW_ARCH_X86_64)
		rule->base_slot = UW_BASE_LOST;
	if (sf->fixed_ra_off) {
		rule->ra_place = UW_PLACE_CFA_MEM;
		rule->ra_off = sf->fixed_ra_off;
	}
	if (sf->fixed_fp_off) {
		rule->fp_place = UW_PLACE_CFA_MEM;
		rule->fp_off = sf->fixed_fp_off;
	}
}

static void lower_default(const struct uw_sframe *sf, struct fre *fre, struct uw_rule *rule)
{
	rule->cfa_reg = fre->base_is_sp ? uw_arch_sp(sf->in.arch) : uw_arch_fp(sf->in.arch);
	rule->cfa_off = take_offset(fre);
	if (!sf->fixed_ra_off && has_word(fre)) {
		rule->ra_place = UW_PLACE_CFA_MEM;
		rule->ra_off = take_offset(fre);
	}
	if (!sf->fixed_fp_off && has_word(fre)) {
		rule->fp_place = UW_PLACE_CFA_MEM;
		rule->fp_off = take_offset(fre);
	}
}

/* One entity of a flexible row; false if its offset is missing. */
static bool flex_place(struct fre *fre, u32 control, u8 *place, u8 *reg, s32 *off)
{
	bool by_reg = SFRAME_CONTROL_REG(control);
	bool deref = SFRAME_CONTROL_DEREF(control);

	if (!has_word(fre))
		return false;
	*reg = 0;
	if (by_reg) {
		u32 number = SFRAME_CONTROL_REGNUM(control);

		*reg = number < UW_NR_REGS ? (u8)number : UW_NR_REGS;
		*place = deref ? UW_PLACE_REG_MEM : UW_PLACE_REG_VAL;
	} else {
		*place = deref ? UW_PLACE_CFA_MEM : UW_PLACE_CFA_VAL;
	}
	*off = take_offset(fre);
	return true;
}

static int lower_flex(struct uw_sframe *sf, struct fre *fre, struct uw_rule *rule)
{
	const char *missing = "control word without an offset";
	u32 control = take_word(fre);
	u8 place;

	if (!SFRAME_CONTROL_REG(control))
		return uw_sframe_refuse(sf, fre->at, "CFA is not relative to a register");
	if (!flex_place(fre, control, &place, &rule->cfa_reg, &rule->cfa_off))
		return uw_sframe_refuse(sf, fre->at, missing);
	if (place == UW_PLACE_REG_MEM)
		rule->cfa_kind = UW_CFA_MEM;

	control = has_word(fre) ? take_word(fre) : 0;
	if (control && !flex_place(fre, control, &rule->ra_place, &rule->ra_reg, &rule->ra_off))
		return uw_sframe_refuse(sf, fre->at, missing);
	control = has_word(fre) ? take_word(fre) : 0;
	if (control && !flex_place(fre, control, &rule->fp_place, &rule->fp_reg, &rule->fp_off))
		return uw_sframe_refuse(sf, fre->at, missing);
	return 0;
}

static int lower_words(struct uw_sframe *sf, bool flex, struct fre *fre, struct uw_rule *rule)
{
	const char *why;
	int err = 0;

	rule->kind = UW_RULE_FRAME;
	fixed_places(sf, rule);
	if (flex)
		err = lower_flex(sf, fre, rule);
	else
		lower_default(sf, fre, rule);
	if (err)
		return err;
	if (has_word(fre))
		return uw_sframe_refuse(sf, fre->at, "more data words than have a meaning");
	if (uw_rule_check(rule, sf->in.arch, &why))
		return uw_sframe_refuse(sf, fre->at, why);
	return 0;
}

int uw_sframe_fre_read(struct uw_sframe *sf, const struct uw_sframe_fde *fde, struct uw_bytes *cursor, u32 *start,
		       struct uw_rule *rule)
{
	struct fre fre = { .at = cursor->pos };
	int err;

	memset(rule, 0, sizeof(*rule));
	*start = (u32)uw_bytes_uint(cursor, fde->start_bytes);
	err = read_words(sf, cursor, &fre);
	if (err)
		return err;
	if (fre.nr_words)
		return lower_words(sf, fde->flex, &fre, rule);
	rule->kind = UW_RULE_OUTERMOST;
	return 0;
}

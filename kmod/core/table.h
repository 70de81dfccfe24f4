/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Row tables. A draft collects rows in the caller's memory; a table is the
 * packed, immutable result, in the smaller of two forms. Both begin with
 *
 *   rule[]   the different rules, 24 bytes each
 *
 * Wide, a little more than 4 bytes a row:
 *
 *   block[]  one u32 per 256 bytes to 64 KiB of text, whatever gives about 16 to
 *            32 rows a block: the number of its first row; and one more: the
 *            number of rows
 *   row[]    { start offset within the block, number of the rule }
 *
 * Narrow, about 2.5 bytes a row, where rows lie close and most have one of the
 * first 255 rules:
 *
 *   rare[]   { row, number of the rule }, of rows with another one
 *   block[]  one u32 per 64 KiB of text: the number of its first row
 *   part[]   257 u16 a block, one per 256 bytes of it: the number of the first
 *            row there, counted from the block's; and one more: how many the
 *            block has
 *   narrow[] { start offset within the 256 bytes, number of the rule or 255 }
 */
#ifndef UW_TABLE_H
#define UW_TABLE_H

#include "types.h"

#define UW_MAX_ROWS  (16u << 20)
#define UW_MAX_RULES 65535u

/* Same layout as struct uwind_row. */
struct uw_draft_row {
	u32 start;
	u32 rule;
};

/*
 * Rows being collected. The caller gives the memory; hash (may be NULL when
 * rows and rules are given ready-made) has hash_mask + 1 entries, a power of
 * two above max_rules, all zero at the start.
 */
struct uw_draft {
	struct uw_draft_row *rows;
	struct uw_rule *rules;
	u32 *hash;
	u32 hash_mask;
	u32 nr_rows, max_rows;
	u32 nr_rules, max_rules;
};

/*
 * Append a row. start must not be below the last row's; at the same start the
 * new row replaces the old one; a rule equal to the row's before makes no new
 * row. Equal rules share a number (except for a few, if they are made to collide).
 * Returns 0, -EINVAL (order), -E2BIG (no room for the row or the rule).
 */
int uw_draft_add(struct uw_draft *draft, u32 start, const struct uw_rule *rule);

/*
 * Validate ready-made rows and rules: strictly rising starts, rule numbers in
 * range, every rule meaningful for arch, at least one row.
 * Returns 0; -EINVAL with *reject filled (offset: index of the row or rule); -EINTR:
 * the port gave up.
 */
int uw_draft_check(const struct uw_draft *draft, enum uw_arch arch, struct uw_reject *reject);

/* 0 if rule can be applied on arch, else -EINVAL with *why set. */
int uw_rule_check(const struct uw_rule *rule, enum uw_arch arch, const char **why);

struct uw_table_row {
	u16 low;
	u16 rule;
};

struct uw_narrow_row {
	u8 low;
	u8 rule;
};

struct uw_rare_row {
	u32 row;
	u32 rule;
};

struct uw_table {
	const u32 *block;
	const struct uw_table_row *row; /* NULL: the table is narrow */
	const struct uw_narrow_row *narrow;
	const u16 *part;
	const struct uw_rare_row *rare;
	const struct uw_rule *rule;
	u32 first_block; /* start of the first row >> block_shift */
	u32 nr_blocks;
	u32 nr_rows;
	u32 nr_rules;
	u32 nr_rare;
	u8 block_shift; /* log2 of a block's bytes of text */
};

/* How a draft is packed. */
struct uw_table_form {
	u64 bytes; /* of memory that it takes */
	u32 nr_rare;
	bool narrow;
};

/* The smaller one; if the port gives up, the wide one. */
struct uw_table_form uw_table_form_of(const struct uw_draft *draft);

/*
 * Pack a draft that is valid into mem (8-byte aligned, form->bytes long), in its form.
 * 0, or -EINTR: the port gave up, and table is not filled.
 */
int uw_table_build(struct uw_table *table, void *mem, const struct uw_draft *draft, const struct uw_table_form *form);

/*
 * The rule for an offset, or NULL if there is no row or its rule is
 * UW_RULE_NONE. The last row reaches to the end of the address space: a draft
 * ends with a row of kind UW_RULE_NONE where its text ends.
 */
const struct uw_rule *uw_table_find(const struct uw_table *table, u64 offset);

#endif

// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Row tables: collect a draft, validate it, pack it, look rows up.
 */
#include "table.h"

/*
 * A draft's rules are found again by open addressing. Anyone who writes a section
 * can make rules collide, so a search gives up after this many slots: the rule
 * is then stored once more, which costs room and nothing else.
 */
#define MAX_PROBES 64u

/*
 * Blocks are as small as they can be with at least this many rows in each, on
 * average: a lookup reads the index and then few cache lines of rows.
 */
#define MIN_ROWS_PER_BLOCK 16u
#define MIN_BLOCK_SHIFT    8
#define MAX_BLOCK_SHIFT    16 /* a row keeps 16 bits of its offset */

struct rule_words {
	u64 word[3];
};

_Static_assert(sizeof(struct uw_rule) == sizeof(struct rule_words), "a rule has no padding");
_Static_assert(sizeof(struct uw_table_row) == 4, "a row is 4 bytes");

static struct rule_words words_of(const struct uw_rule *rule)
{
	struct rule_words words;

	memcpy(&words, rule, sizeof(words));
	return words;
}

static bool rules_equal(const struct uw_rule *rule, const struct rule_words *words)
{
	struct rule_words other = words_of(rule);

	return other.word[0] == words->word[0] && other.word[1] == words->word[1] && other.word[2] == words->word[2];
}

static u32 hash_of(const struct rule_words *words)
{
	u64 hash = words->word[0] * 0x9e3779b97f4a7c15ull;

	hash = (hash ^ (hash >> 29) ^ words->word[1]) * 0xbf58476d1ce4e5b9ull;
	hash = (hash ^ (hash >> 32) ^ words->word[2]) * 0x94d049bb133111ebull;
	return (u32)(hash >> 32);
}

/* The number of rule among the draft's rules, or -E2BIG. */
static int intern_rule(struct uw_draft *draft, const struct uw_rule *rule, u32 *number)
{
	struct rule_words words = words_of(rule);
	u32 slot = hash_of(&words) & draft->hash_mask;
	u32 *empty = NULL;
	u32 probes;

	for (probes = 0; probes < MAX_PROBES && !empty; probes++) {
		u32 entry = draft->hash[slot];

		if (!entry) {
			empty = &draft->hash[slot];
		} else if (rules_equal(&draft->rules[entry - 1], &words)) {
			*number = entry - 1;
			return 0;
		}
		slot = (slot + 1) & draft->hash_mask;
	}
	if (draft->nr_rules >= draft->max_rules)
		return -E2BIG;
	*number = draft->nr_rules++;
	draft->rules[*number] = *rule;
	if (empty)
		*empty = *number + 1;
	return 0;
}

int uw_draft_add(struct uw_draft *draft, u32 start, const struct uw_rule *rule)
{
	struct rule_words words = words_of(rule);
	u32 nr_rows = draft->nr_rows;
	u32 number;
	int err;

	if (nr_rows && start < draft->rows[nr_rows - 1].start)
		return -EINVAL;
	if (nr_rows && start == draft->rows[nr_rows - 1].start)
		nr_rows--;
	if (nr_rows && rules_equal(&draft->rules[draft->rows[nr_rows - 1].rule], &words)) {
		draft->nr_rows = nr_rows;
		return 0;
	}
	if (nr_rows >= draft->max_rows)
		return -E2BIG;
	err = intern_rule(draft, rule, &number);
	if (err)
		return err;
	draft->rows[nr_rows].start = start;
	draft->rows[nr_rows].rule = number;
	draft->nr_rows = nr_rows + 1;
	return 0;
}

static int refuse(struct uw_reject *reject, u64 offset, const char *why)
{
	reject->offset = offset;
	reject->why = why;
	return -EINVAL;
}

int uw_draft_check(const struct uw_draft *draft, enum uw_arch arch, struct uw_reject *reject)
{
	const char *why;
	u32 i;

	if (!draft->nr_rows)
		return refuse(reject, 0, "no rows");
	if (draft->nr_rows > UW_MAX_ROWS)
		return refuse(reject, UW_MAX_ROWS, "too many rows");
	if (draft->nr_rules > UW_MAX_RULES)
		return refuse(reject, UW_MAX_RULES, "too many rules");
	for (i = 0; i < draft->nr_rules; i++) {
		if (uw_port_pause(i))
			return -EINTR;
		if (uw_rule_check(&draft->rules[i], arch, &why))
			return refuse(reject, i, why);
	}
	for (i = 0; i < draft->nr_rows; i++) {
		if (uw_port_pause(i))
			return -EINTR;
		if (draft->rows[i].rule >= draft->nr_rules)
			return refuse(reject, i, "row names a rule that is not there");
		if (i && draft->rows[i].start <= draft->rows[i - 1].start)
			return refuse(reject, i, "rows do not rise");
	}
	return 0;
}

static u32 block_count(const struct uw_draft *draft, u32 shift)
{
	if (!draft->nr_rows)
		return 0;
	return (draft->rows[draft->nr_rows - 1].start >> shift) - (draft->rows[0].start >> shift) + 1;
}

static u8 block_shift(const struct uw_draft *draft)
{
	u8 shift = MAX_BLOCK_SHIFT;

	while (shift > MIN_BLOCK_SHIFT && block_count(draft, shift - 1u) <= draft->nr_rows / MIN_ROWS_PER_BLOCK)
		shift--;
	return shift;
}

#define NARROW_SHIFT 16
#define PART_SHIFT   8
#define PARTS        257u /* of a block, with the one that says how many rows it has */
#define RARE         255u /* and higher rules */

static u64 wide_bytes(const struct uw_draft *draft)
{
	return ((u64)block_count(draft, block_shift(draft)) + 1) * sizeof(u32) +
	       (u64)draft->nr_rows * sizeof(struct uw_table_row) + (u64)draft->nr_rules * sizeof(struct uw_rule);
}

static u64 narrow_bytes(const struct uw_draft *draft, u32 nr_rare)
{
	u64 bytes = (u64)block_count(draft, NARROW_SHIFT) * (sizeof(u32) + PARTS * sizeof(u16));

	return bytes + (u64)nr_rare * sizeof(struct uw_rare_row) + (u64)draft->nr_rows * sizeof(struct uw_narrow_row) +
	       (u64)draft->nr_rules * sizeof(struct uw_rule);
}

/* A block with a row at each byte would have too many for a u16. */
struct uw_table_form uw_table_form_of(const struct uw_draft *draft)
{
	const struct uw_table_form wide = { .bytes = wide_bytes(draft) };
	u32 nr_rare = 0, in_block = 0, block = 0;
	u32 i;

	if (!draft->nr_rows || narrow_bytes(draft, 0) >= wide.bytes)
		return wide;
	for (i = 0; i < draft->nr_rows && in_block <= 0xffff; i++) {
		const struct uw_draft_row *row = &draft->rows[i];

		if (uw_port_pause(i))
			return wide;
		nr_rare += row->rule >= RARE;
		in_block = row->start >> NARROW_SHIFT == block ? in_block + 1 : 1;
		block = row->start >> NARROW_SHIFT;
	}
	if (in_block > 0xffff || narrow_bytes(draft, nr_rare) >= wide.bytes)
		return wide;
	return (struct uw_table_form){ .bytes = narrow_bytes(draft, nr_rare), .nr_rare = nr_rare, .narrow = true };
}

static int copy_rules(struct uw_rule *rule, const struct uw_draft *draft)
{
	u32 i;

	for (i = 0; i < draft->nr_rules; i++) {
		if (uw_port_pause(i))
			return -EINTR;
		rule[i] = draft->rules[i];
	}
	return 0;
}

static int build_wide(struct uw_table *table, void *mem, const struct uw_draft *draft)
{
	u8 shift = block_shift(draft);
	u32 nr_blocks = block_count(draft, shift);
	u32 first = nr_blocks ? draft->rows[0].start >> shift : 0;
	struct uw_rule *rule = mem;
	u32 *block = (u32 *)(rule + draft->nr_rules);
	struct uw_table_row *row = (struct uw_table_row *)(block + nr_blocks + 1);
	u32 filled = 0; /* blocks whose first row is known */
	u32 i;

	for (i = 0; i < draft->nr_rows; i++) {
		const struct uw_draft_row *from = &draft->rows[i];

		if (uw_port_pause(i))
			return -EINTR;
		while (filled <= (from->start >> shift) - first)
			block[filled++] = i;
		row[i].low = (u16)(from->start & ((1u << shift) - 1));
		row[i].rule = (u16)from->rule;
	}
	block[nr_blocks] = draft->nr_rows;
	if (copy_rules(rule, draft))
		return -EINTR;

	*table = (struct uw_table){
		.block = block,
		.row = row,
		.rule = rule,
		.first_block = first,
		.nr_blocks = nr_blocks,
		.nr_rows = draft->nr_rows,
		.nr_rules = draft->nr_rules,
		.block_shift = shift,
	};
	return 0;
}

/* A narrow table's index while it is filled. */
struct index {
	u32 *block;
	u16 *part;
	u32 filled; /* parts whose first row is known */
};

/* Parts up to slot have no row before number row. As many as the table has rows may have none. -EINTR: the port gave up. */
static int fill_parts(struct index *index, u32 slot, u32 row)
{
	for (; index->filled <= slot; index->filled++) {
		u32 block = index->filled / PARTS;

		if (uw_port_pause(index->filled))
			return -EINTR;
		if (index->filled % PARTS == 0)
			index->block[block] = row;
		index->part[index->filled] = (u16)(row - index->block[block]);
	}
	return 0;
}

static int fill_narrow(const struct uw_table *table, struct index *index, struct uw_narrow_row *row,
		       struct uw_rare_row *rare, const struct uw_draft *draft)
{
	u32 i;

	for (i = 0; i < draft->nr_rows; i++) {
		const struct uw_draft_row *from = &draft->rows[i];
		u32 block = (from->start >> NARROW_SHIFT) - table->first_block;

		if (uw_port_pause(i) || fill_parts(index, block * PARTS + (u8)(from->start >> PART_SHIFT), i))
			return -EINTR;
		row[i].low = (u8)from->start;
		row[i].rule = (u8)(from->rule < RARE ? from->rule : RARE);
		if (from->rule >= RARE)
			*rare++ = (struct uw_rare_row){ .row = i, .rule = from->rule };
	}
	return fill_parts(index, table->nr_blocks * PARTS - 1, draft->nr_rows);
}

static int build_narrow(struct uw_table *table, void *mem, const struct uw_draft *draft, u32 nr_rare)
{
	u32 nr_blocks = block_count(draft, NARROW_SHIFT);
	struct uw_rule *rule = mem;
	struct uw_rare_row *rare = (struct uw_rare_row *)(rule + draft->nr_rules);
	struct index index = { .block = (u32 *)(rare + nr_rare) };
	struct uw_narrow_row *row;
	struct uw_table made;
	int err;

	index.part = (u16 *)(index.block + nr_blocks);
	row = (struct uw_narrow_row *)(index.part + nr_blocks * PARTS);
	made = (struct uw_table){
		.block = index.block,
		.narrow = row,
		.part = index.part,
		.rare = rare,
		.rule = rule,
		.first_block = draft->rows[0].start >> NARROW_SHIFT,
		.nr_blocks = nr_blocks,
		.nr_rows = draft->nr_rows,
		.nr_rules = draft->nr_rules,
		.nr_rare = nr_rare,
		.block_shift = NARROW_SHIFT,
	};
	err = copy_rules(rule, draft);
	if (!err)
		err = fill_narrow(&made, &index, row, rare, draft);
	if (!err)
		*table = made;
	return err;
}

int uw_table_build(struct uw_table *table, void *mem, const struct uw_draft *draft, const struct uw_table_form *form)
{
	return form->narrow ? build_narrow(table, mem, draft, form->nr_rare) : build_wide(table, mem, draft);
}

/*
 * The number of the last row at or below offset; the row before the block's
 * first, which may be row "-1", if the block has none there.
 *
 * With branches on purpose: walks repeat, so that they are predicted, and the
 * next load starts before the last one is there. Measured twice as fast as
 * conditional moves, with warm and with cold caches.
 */
static u32 last_row(const struct uw_table *table, u32 block, u16 low)
{
	u32 first = table->block[block];
	u32 end = table->block[block + 1];

	/* Invariant: rows below first are at or below low, rows from end are above. */
	while (first < end) {
		u32 middle = first + (end - first) / 2;

		if (table->row[middle].low <= low)
			first = middle + 1;
		else
			end = middle;
	}
	return first - 1;
}

/* The same of a narrow table, with an offset into the block. */
static u32 last_narrow_row(const struct uw_table *table, u32 block, u32 into)
{
	const u16 *part = &table->part[block * PARTS + (into >> PART_SHIFT)];
	u32 first = table->block[block] + part[0];
	u32 end = table->block[block] + part[1];
	u8 low = (u8)into;

	while (first < end) {
		u32 middle = first + (end - first) / 2;

		if (table->narrow[middle].low <= low)
			first = middle + 1;
		else
			end = middle;
	}
	return first - 1;
}

static u32 rare_rule(const struct uw_table *table, u32 row)
{
	u32 first = 0, end = table->nr_rare;

	while (end - first > 1) {
		u32 middle = first + (end - first) / 2;

		if (table->rare[middle].row <= row)
			first = middle;
		else
			end = middle;
	}
	return table->rare[first].rule;
}

static u32 rule_of_row(const struct uw_table *table, u32 row)
{
	if (table->row)
		return table->row[row].rule;
	if (table->narrow[row].rule < RARE)
		return table->narrow[row].rule;
	return rare_rule(table, row);
}

const struct uw_rule *uw_table_find(const struct uw_table *table, u64 offset)
{
	u64 block = offset >> table->block_shift;
	const struct uw_rule *rule;
	u32 row;

	if (block < table->first_block || !table->nr_rows)
		return NULL;
	block -= table->first_block;
	if (block >= table->nr_blocks)
		row = table->nr_rows - 1;
	else if (table->row)
		row = last_row(table, (u32)block, (u16)(offset & ((1u << table->block_shift) - 1)));
	else
		row = last_narrow_row(table, (u32)block, (u16)offset);
	if (row >= table->nr_rows)
		return NULL;
	rule = &table->rule[rule_of_row(table, row)];
	return rule->kind == UW_RULE_NONE ? NULL : rule;
}

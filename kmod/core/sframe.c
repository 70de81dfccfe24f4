// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * From an SFrame section to rows: the functions that lie in a segment, in the
 * order of their offsets, each ended by a row that says nothing.
 */
#include "sframe_parts.h"

#define ROW_OFFSET_MAX 0xffffffffull

/* Where a function comes to lie. */
struct place {
	u32 offset;
	u32 end;
	bool first; /* at the very start of its segment */
};

static int no_room(struct uw_sframe *sf, u64 at, int err)
{
	uw_sframe_refuse(sf, at, "no room for another row or rule");
	return err;
}

static bool overlaps(const struct uw_segment *segment, u64 start, u32 bytes)
{
	if (start < segment->address)
		return segment->address - start < bytes;
	return start - segment->address < segment->bytes;
}

static int place_in(struct uw_sframe *sf, const struct uw_segment *segment, u64 at, u64 start, u32 bytes,
		    struct place *place)
{
	u64 skipped = start - segment->address;

	if (start < segment->address || segment->bytes - skipped < bytes)
		return uw_sframe_refuse(sf, at, "function straddles a segment's end");
	if (segment->offset > ROW_OFFSET_MAX || skipped > ROW_OFFSET_MAX ||
	    segment->offset + skipped + bytes > ROW_OFFSET_MAX) {
		uw_sframe_refuse(sf, at, "function lies beyond 4 GiB");
		return -E2BIG;
	}
	place->offset = (u32)(segment->offset + skipped);
	place->end = place->offset + bytes;
	place->first = !skipped;
	return 0;
}

/* -ENOENT: in no segment, or empty. */
static int find_place(struct uw_sframe *sf, u32 i, struct place *place)
{
	u64 at = sf->fde_base + (u64)i * uw_sframe_fde_bytes(sf);
	u64 start;
	u32 bytes, n;
	int err;

	err = uw_sframe_fde_extent(sf, i, &start, &bytes);
	if (err)
		return err;
	if (!bytes)
		return -ENOENT;
	for (n = 0; n < sf->in.nr_segments; n++) {
		if (overlaps(&sf->in.segments[n], start, bytes))
			return place_in(sf, &sf->in.segments[n], at, start, bytes, place);
	}
	return -ENOENT;
}

/*
 * Functions are sorted as pairs { offset, number }, digit by digit from the lowest:
 * in linear time, whatever the input.
 */
#define SORT_BITS   8
#define SORT_DIGITS (1u << SORT_BITS)

static u32 digit_of(const struct uw_draft_row *pair, u32 shift)
{
	return pair->start >> shift & (SORT_DIGITS - 1);
}

/* Where the pairs of each digit begin. */
static int count_digits(struct uw_sframe *sf, const struct uw_draft_row *pairs, u32 count, u32 shift,
			u32 begin[SORT_DIGITS])
{
	u32 sum = 0;
	u32 i;

	memset(begin, 0, SORT_DIGITS * sizeof(*begin));
	for (i = 0; i < count; i++) {
		int err = uw_sframe_step(sf);

		if (err)
			return err;
		begin[digit_of(&pairs[i], shift)]++;
	}
	for (i = 0; i < SORT_DIGITS; i++) {
		u32 pairs_of_digit = begin[i];

		begin[i] = sum;
		sum += pairs_of_digit;
	}
	return 0;
}

/* From one array into the other, by one digit. */
static int sort_digit(struct uw_sframe *sf, const struct uw_draft_row *from, struct uw_draft_row *to, u32 count,
		      u32 shift)
{
	u32 begin[SORT_DIGITS];
	u32 i;
	int err;

	err = count_digits(sf, from, count, shift, begin);
	for (i = 0; !err && i < count; i++) {
		err = uw_sframe_step(sf);
		to[begin[digit_of(&from[i], shift)]++] = from[i];
	}
	return err;
}

/* An even number of digits: it ends where it began. */
static int sort_order(struct uw_sframe *sf, struct uw_draft_row *order, struct uw_draft_row *scratch, u32 count)
{
	u32 shift;
	int err = 0;

	for (shift = 0; !err && shift < 32; shift += 2 * SORT_BITS) {
		err = sort_digit(sf, order, scratch, count, shift);
		if (!err)
			err = sort_digit(sf, scratch, order, count, shift + SORT_BITS);
	}
	return err;
}

/*
 * The functions that count, by offset. The header's "sorted" is not believed:
 * some linkers set it wrongly, others never do. The draft's rows, of which there
 * are none yet, are the scratch of sorting.
 */
static int make_order(struct uw_sframe *sf, struct uw_draft *draft, struct uw_draft_row *order, u32 *count)
{
	bool sorted = true;
	u32 last = 0;
	u32 i;

	*count = 0;
	for (i = 0; i < sf->nr_fdes; i++) {
		struct place place;
		int err = uw_sframe_step(sf);

		if (!err)
			err = find_place(sf, i, &place);
		if (err == -ENOENT)
			continue;
		if (err)
			return err;
		sorted = sorted && place.offset >= last;
		last = place.offset;
		order[*count].start = place.offset;
		order[(*count)++].rule = i;
	}
	if (!*count)
		return -ENOENT;
	if (*count > draft->max_rows)
		return no_room(sf, sf->fde_base, -E2BIG);
	return sorted ? 0 : sort_order(sf, order, draft->rows, *count);
}

static int add_row(struct uw_sframe *sf, struct uw_draft *draft, u64 at, u32 start, const struct uw_rule *rule)
{
	int err = uw_draft_add(draft, start, rule);

	return err ? no_room(sf, at, err) : 0;
}

/* One pass over a function's rows; what lies at or after end is validated only. */
static int lower_rows(struct uw_sframe *sf, struct uw_draft *draft, const struct uw_sframe_fde *fde, u32 offset,
		      u32 end)
{
	struct uw_bytes cursor = { .data = sf->in.data, .pos = fde->fres, .end = sf->fre_base + sf->fre_bytes };
	u32 limit = fde->block_bytes ? fde->block_bytes : fde->bytes;
	u32 start, last = 0;
	struct uw_rule rule;
	u32 i;
	int err;

	for (i = 0; i < fde->nr_fres; i++) {
		u64 at = cursor.pos;

		err = uw_sframe_step(sf);
		if (!err)
			err = uw_sframe_fre_read(sf, fde, &cursor, &start, &rule);
		if (err)
			return err;
		if (i && start <= last)
			return uw_sframe_refuse(sf, at, "row starts do not rise");
		if (!i && start && fde->block_bytes)
			return uw_sframe_refuse(sf, at, "repeated block does not begin with a row");
		if (start >= limit)
			return uw_sframe_refuse(sf, at, "row starts after its function");
		last = start;
		err = start < end - offset ? add_row(sf, draft, at, offset + start, &rule) : 0;
		if (err)
			return err;
	}
	return 0;
}

/* Rows that repeat, as in a PLT, are written out. */
static int lower_blocks(struct uw_sframe *sf, struct uw_draft *draft, const struct uw_sframe_fde *fde,
			const struct place *place)
{
	u64 offset;
	int err;

	for (offset = place->offset; offset < place->end; offset += fde->block_bytes) {
		err = lower_rows(sf, draft, fde, (u32)offset, place->end);
		if (err)
			return err;
	}
	return 0;
}

/*
 * A signal handler returns to the first byte of the code that returns from the
 * signal, and a return address is looked up one byte earlier: there the row
 * must begin, unless that byte belongs to another function. What rows such a
 * function may have is not needed, as the ABI says where the registers are.
 */
static int lower_signal(struct uw_sframe *sf, struct uw_draft *draft, const struct uw_sframe_fde *fde,
			const struct place *place, u32 free)
{
	struct uw_rule rule = { .kind = UW_RULE_SIGFRAME };
	u32 before = !place->first && place->offset > free;
	int err;

	err = lower_rows(sf, draft, fde, place->offset, place->offset);
	return err ? err : add_row(sf, draft, fde->at, place->offset - before, &rule);
}

/* Without rows: version 3 means the outermost function, others mean nothing. */
static int lower_empty(struct uw_sframe *sf, struct uw_draft *draft, const struct uw_sframe_fde *fde,
		       const struct place *place)
{
	struct uw_rule rule = {
		.kind = sf->version == SFRAME_V3 ? UW_RULE_OUTERMOST : UW_RULE_NONE,
	};

	return add_row(sf, draft, fde->at, place->offset, &rule);
}

/* free: the end of the function before. */
static int lower_function(struct uw_sframe *sf, struct uw_draft *draft, u32 i, u32 *free)
{
	struct uw_rule none = { .kind = UW_RULE_NONE };
	struct uw_sframe_fde fde;
	struct place place;
	int err;

	err = uw_sframe_step(sf);
	if (!err)
		err = uw_sframe_fde_read(sf, i, &fde);
	if (!err)
		err = find_place(sf, i, &place);
	if (err)
		return err;
	if (place.offset < *free)
		return uw_sframe_refuse(sf, fde.at, "functions overlap");
	if (fde.signal)
		err = lower_signal(sf, draft, &fde, &place, *free);
	else if (!fde.nr_fres)
		err = lower_empty(sf, draft, &fde, &place);
	else if (fde.block_bytes)
		err = lower_blocks(sf, draft, &fde, &place);
	else
		err = lower_rows(sf, draft, &fde, place.offset, place.end);
	*free = place.end;
	return err ? err : add_row(sf, draft, fde.at, place.end, &none);
}

int uw_sframe_lower(struct uw_sframe *sf, struct uw_draft *draft, struct uw_draft_row *order)
{
	u32 free = 0;
	u32 count, i;
	int err;

	err = make_order(sf, draft, order, &count);
	for (i = 0; !err && i < count; i++)
		err = lower_function(sf, draft, order[i].rule, &free);
	return err;
}

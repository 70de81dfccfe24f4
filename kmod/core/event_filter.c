// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Checking the steps of a filter, and running it. What a step wants to see lies in the entry or it counts as
 * nothing, so nothing beyond the entry is read whatever the steps say.
 */
#include "event_filter.h"

/* Text in an entry, which need not end with a NUL. */
struct text {
	const u8 *at;
	u32 bytes;
};

static bool is_text(u8 kind)
{
	return kind != UW_FILTER_NUMBER && kind != UW_FILTER_CPU;
}

static bool is_next(u32 next, u32 step, u32 nr)
{
	return next == UW_FILTER_TAKE || next == UW_FILTER_LEAVE || (next > step && next < nr);
}

static bool has_compare(const struct uw_filter_step *step)
{
	if (is_text(step->kind))
		return step->compare == UW_FILTER_EQUAL || step->compare == UW_FILTER_NOT_EQUAL ||
		       step->compare == UW_FILTER_GLOB || step->compare == UW_FILTER_NOT_GLOB;
	return step->compare <= UW_FILTER_BITS;
}

static bool has_end(const struct uw_filter_step *step)
{
	u32 i = 0;

	while (i < UW_FILTER_TEXT && step->text[i])
		i++;
	return i < UW_FILTER_TEXT;
}

static bool is_width(u32 bytes)
{
	return bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8;
}

static const char *check_step(const struct uw_filter_step *step, u32 i, u32 nr)
{
	if (step->kind >= UW_NR_FILTER_KINDS)
		return "its kind is unknown";
	if (!has_compare(step))
		return "its kind cannot be compared like that";
	if (step->kind == UW_FILTER_NUMBER && !is_width(step->bytes))
		return "a number has 1, 2, 4 or 8 bytes";
	if (step->is_signed > 1 || step->reserved || step->reserved2)
		return "a reserved field is not 0";
	if (!has_end(step))
		return "its text does not end";
	if (!is_next(step->if_true, i, nr) || !is_next(step->if_false, i, nr))
		return "it goes on with no later step";
	return NULL;
}

const char *uw_filter_check(const struct uw_filter_step *steps, u32 nr, u32 *bad)
{
	const char *why = NULL;

	if (nr > UW_FILTER_MAX_STEPS)
		nr = UW_FILTER_MAX_STEPS;
	for (*bad = 0; *bad < nr && !why; ++*bad)
		why = check_step(&steps[*bad], *bad, nr);
	*bad -= why ? 1 : 0;
	return why;
}

static bool lies_in(const struct uw_filter_event *event, u32 offset, u32 bytes)
{
	return offset <= event->bytes && bytes <= event->bytes - offset;
}

/* 0: it is not there. */
static u64 read_number(const struct uw_filter_event *event, u32 offset, u32 bytes)
{
	u64 value = 0;
	u32 i;

	if (!lies_in(event, offset, bytes))
		return 0;
	for (i = 0; i < bytes; i++)
		value |= (u64)event->entry[offset + i] << (8 * i);
	return value;
}

static u64 extend(u64 value, u32 bytes)
{
	u32 unused = 64 - 8 * bytes;

	return (u64)((s64)(value << unused) >> unused);
}

static bool compare_numbers(const struct uw_filter_step *step, u64 value)
{
	bool less = step->is_signed ? (s64)value < (s64)step->value : value < step->value;

	switch (step->compare) {
	case UW_FILTER_EQUAL:
		return value == step->value;
	case UW_FILTER_NOT_EQUAL:
		return value != step->value;
	case UW_FILTER_LESS:
		return less;
	case UW_FILTER_LESS_EQUAL:
		return less || value == step->value;
	case UW_FILTER_GREATER:
		return !less && value != step->value;
	case UW_FILTER_GREATER_EQUAL:
		return !less;
	default:
		return value & step->value;
	}
}

static bool takes_number(const struct uw_filter_step *step, const struct uw_filter_event *event)
{
	u64 value;

	if (step->kind == UW_FILTER_CPU)
		return compare_numbers(step, event->cpu);
	value = read_number(event, step->offset, step->bytes);
	return compare_numbers(step, step->is_signed ? extend(value, step->bytes) : value);
}

/* To the NUL, or to the end. */
static struct text text_at(const u8 *at, u32 most)
{
	struct text text = { at, 0 };

	while (text.bytes < most && at[text.bytes])
		text.bytes++;
	return text;
}

static struct text entry_text(const struct uw_filter_event *event, u32 offset, u32 bytes)
{
	if (!bytes || !lies_in(event, offset, bytes))
		return (struct text){ event->entry, 0 };
	return text_at(event->entry + offset, bytes);
}

static struct text text_of(const struct uw_filter_step *step, const struct uw_filter_event *event)
{
	u32 place;

	if (step->kind == UW_FILTER_COMM)
		return text_at((const u8 *)event->comm, UW_FILTER_TEXT);
	if (step->kind == UW_FILTER_CHARS)
		return entry_text(event, step->offset, step->bytes);
	place = (u32)read_number(event, step->offset, 4);
	return entry_text(event, (place & 0xffff) + (step->kind == UW_FILTER_REL_LOC ? step->offset + 4u : 0),
			  place >> 16);
}

static bool is_equal(const char *pattern, struct text text)
{
	u32 i = 0;

	while (i < text.bytes && pattern[i] && text.at[i] == (u8)pattern[i])
		i++;
	return i == text.bytes && !pattern[i];
}

/* A set at pattern, which has '[' before it: whether c is in it. *after: what follows its ']', or NULL, if it has none. */
static bool set_has(const char *pattern, u8 c, const char **after)
{
	bool inverse = *pattern == '!', found = false;
	u8 first, last;

	pattern += inverse;
	do {
		first = last = (u8)*pattern++;
		if (first && pattern[0] == '-' && pattern[1] && pattern[1] != ']') {
			last = (u8)pattern[1];
			pattern += 2;
		}
		found |= first <= c && c <= last;
	} while (first && *pattern && *pattern != ']');
	*after = first && *pattern ? pattern + 1 : NULL;
	return found != inverse;
}

/* One character against what pattern begins with, which is no '*'. NULL: another one; else the rest of the pattern. */
static const char *match_one(const char *pattern, u8 c)
{
	const char *after;
	bool found;

	switch (*pattern) {
	case 0:
		return NULL;
	case '?':
		return pattern + 1;
	case '[':
		found = set_has(pattern + 1, c, &after);
		if (after)
			return found ? after : NULL;
		break;
	case '\\':
		pattern += !!pattern[1];
		break;
	}
	return (u8)*pattern == c ? pattern + 1 : NULL;
}

/* After each '*' the shortest stretch that lets the rest match: what is tried again is only the last one. */
static bool is_glob(const char *pattern, struct text text)
{
	const char *retry = NULL, *next;
	u32 i = 0, retry_at = 0;

	while (i < text.bytes) {
		if (*pattern == '*') {
			retry = ++pattern;
			retry_at = i;
			continue;
		}
		next = match_one(pattern, text.at[i]);
		if (next) {
			pattern = next;
			i++;
		} else if (retry) {
			pattern = retry;
			i = ++retry_at;
		} else {
			return false;
		}
	}
	while (*pattern == '*')
		pattern++;
	return !*pattern;
}

/* Of a longer text only its beginning is looked at, so that one step is bounded. */
static struct text shorten(struct text text)
{
	if (text.bytes > UW_FILTER_MOST_TEXT)
		text.bytes = UW_FILTER_MOST_TEXT;
	return text;
}

static bool takes_text(const struct uw_filter_step *step, const struct uw_filter_event *event)
{
	struct text text = shorten(text_of(step, event));

	switch (step->compare) {
	case UW_FILTER_EQUAL:
		return is_equal(step->text, text);
	case UW_FILTER_NOT_EQUAL:
		return !is_equal(step->text, text);
	case UW_FILTER_GLOB:
		return is_glob(step->text, text);
	default:
		return !is_glob(step->text, text);
	}
}

bool uw_filter_takes(const struct uw_filter_step *steps, const struct uw_filter_event *event)
{
	u32 next = 0;

	while (next < UW_FILTER_MAX_STEPS) {
		const struct uw_filter_step *step = &steps[next];
		bool taken = is_text(step->kind) ? takes_text(step, event) : takes_number(step, event);

		next = taken ? step->if_true : step->if_false;
	}
	return next == UW_FILTER_TAKE;
}

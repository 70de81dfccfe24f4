/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Filters of tracepoints: which events count, by the fields of the tracepoint's entry.
 *
 * A filter is a list of steps, made by short circuit from an expression. Each goes on with a later one,
 * so it ends after as many steps as it has.
 */
#ifndef UW_EVENT_FILTER_H
#define UW_EVENT_FILTER_H

#include "types.h"

#define UW_FILTER_MAX_STEPS 64u
#define UW_FILTER_TEXT      64u
#define UW_FILTER_MOST_TEXT 256u /* bytes of an entry's text that are compared */
#define UW_FILTER_TAKE      0xffffu
#define UW_FILTER_LEAVE     0xfffeu

enum uw_filter_kind {
	UW_FILTER_NUMBER,
	UW_FILTER_CHARS,
	UW_FILTER_DATA_LOC,
	UW_FILTER_REL_LOC,
	UW_FILTER_CPU,
	UW_FILTER_COMM,
	UW_NR_FILTER_KINDS,
};

enum uw_filter_compare {
	UW_FILTER_EQUAL,
	UW_FILTER_NOT_EQUAL,
	UW_FILTER_LESS,
	UW_FILTER_LESS_EQUAL,
	UW_FILTER_GREATER,
	UW_FILTER_GREATER_EQUAL,
	UW_FILTER_BITS,
	UW_FILTER_GLOB,
	UW_FILTER_NOT_GLOB,
	UW_NR_FILTER_COMPARES,
};

/* Same layout as struct uwind_filter_step, which documents it. */
struct uw_filter_step {
	u8 kind;
	u8 compare;
	u8 is_signed;
	u8 reserved;
	u16 offset;
	u16 bytes;
	u16 if_true;
	u16 if_false;
	u32 reserved2;
	u64 value;
	char text[UW_FILTER_TEXT];
};

/* What a filter looks at. */
struct uw_filter_event {
	const u8 *entry;
	u32 bytes;        /* of entry */
	u32 cpu;          /* that it happens on */
	const char *comm; /* NUL-terminated */
};

/* NULL: all nr steps are sound; else why step *bad is not. */
const char *uw_filter_check(const struct uw_filter_step *steps, u32 nr, u32 *bad);

/* Only of steps that were checked. */
bool uw_filter_takes(const struct uw_filter_step *steps, const struct uw_filter_event *event);

#endif

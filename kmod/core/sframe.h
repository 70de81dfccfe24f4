/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * SFrame sections, versions 1, 2 and 3, for AMD64 and AArch64 (little endian),
 * lowered to rows.
 */
#ifndef UW_SFRAME_H
#define UW_SFRAME_H

#include "table.h"

#define UW_MAX_SEGMENTS 16u

/* Same layout as struct uwind_segment. */
struct uw_segment {
	u64 address;
	u64 bytes;
	u64 offset;
};

struct uw_sframe_input {
	const u8 *data;
	u64 bytes;   /* upper bound: trailing bytes after the section are fine */
	u64 address; /* of data[0], in the space of segments[].address */
	const struct uw_segment *segments;
	u32 nr_segments;
	enum uw_arch arch; /* what the section must be for */
};

/* A section whose header has been validated. */
struct uw_sframe {
	struct uw_sframe_input in;
	u8 version;
	u8 flags;
	s8 fixed_fp_off;
	s8 fixed_ra_off;
	u32 nr_fdes;
	u32 nr_fres;
	u64 fde_base; /* offset of the first FDE in data */
	u64 fre_base;
	u64 fre_bytes;
	u64 max_rows;  /* enough for uw_sframe_lower(): at most UW_MAX_ROWS */
	u32 max_rules; /* likewise: at most UW_MAX_RULES */
	u32 steps;     /* of work so far: functions and rows that were read, moves of sorting */
	struct uw_reject reject;
};

/*
 * What a function may cost, in steps: it is read three times, and sorting moves
 * it eight times. At least 16 bytes of the section describe it, so that is less
 * than a step for each byte. A row is one step, and there are at most UW_MAX_ROWS
 * of them (as many as max_rows, to be exact): rows may repeat, and functions may
 * share them. The port is asked every UW_PAUSE_TURNS steps whether to go on.
 */
#define UW_SFRAME_FDE_STEPS 11u

/*
 * Validate the header and the extents of all FDEs' FRE lists; compute max_rows.
 * Returns 0; -EPROTONOSUPPORT: version, endianness or architecture is not
 * ours; -EBADMSG: broken; -E2BIG: more than UW_MAX_ROWS. sf->reject says where
 * and why. -EINTR: the port gave up.
 */
int uw_sframe_open(struct uw_sframe *sf, const struct uw_sframe_input *in);

/*
 * Validate everything else and append the rows of all functions that lie in a
 * segment to draft (empty, with hash). Functions outside every segment are
 * passed over; one that straddles a segment's end, or overlaps another, is
 * broken. order is scratch, nr_fdes entries.
 * Returns 0, -EBADMSG, -E2BIG; -ENOENT if no function lies in a segment; -EINTR:
 * the port gave up.
 */
int uw_sframe_lower(struct uw_sframe *sf, struct uw_draft *draft, struct uw_draft_row *order);

#endif

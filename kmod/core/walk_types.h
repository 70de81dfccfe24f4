/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * A walk, its frames, and what is found for each of them.
 */
#ifndef UW_WALK_TYPES_H
#define UW_WALK_TYPES_H

#include "types.h"

struct uw_along;
struct uw_plain;

/* One frame found. */
struct uw_frame {
	u64 pc;
	u64 offset;      /* of pc in the file, or in the range's own space */
	u32 file;        /* the port's number for the file; 0: none */
	u32 stack_bytes; /* from this frame's SP to its CFA; see rule.h */
	u8 method;       /* enum uw_method: how this frame was found */
	u32 id;          /* 0, or what names this frame and all outer ones: see uw_walk.ids_of */
};

struct uw_walk {
	struct uw_regs regs; /* in: the interrupted registers; is consumed */
	enum uw_arch arch;
	u32 max_frames;
	struct uw_frame *frames; /* max_frames entries */
	struct uw_plain *plain;  /* UW_PLAIN_SLOTS of earlier walks (plain.h); NULL: none */
	struct uw_along *along;  /* a trail of an earlier walk (trail.h); NULL: none. Only with plain */
	u32 nr_frames;           /* out */
	enum uw_stop stop;       /* out: never NONE */
	u32 nr_same;             /* out: so many outermost frames, with ids, are as in the thread's last walk */
	u64 ids_of;              /* out: equal ids of walks for which this is equal name equal frames, and stops */
};

/*
 * What the port knows about a code address, filled by
 * uw_port_find(port, address, found). Only rules for the walk's architecture.
 */
struct uw_found {
	struct uw_rule rule; /* a copy: valid if the result was 0 */
	u64 offset;
	u32 file;
	u32 table;    /* the port's number for the table, if there is a rule */
	u8 method;    /* enum uw_method of the table */
	bool lasting; /* the same is found as long as uw_port_key() is the same, if uw_port_covers() it */
};

/* A mapping of code: see uw_port_covers(). */
struct uw_covered {
	u64 start;
	u64 bytes; /* 0: none */
};

#endif

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
	u8 method;       /* enum uw_method: how this frame was found */
	u32 stack_bytes; /* from this frame's SP to its CFA; see rule.h */
};

/* What a walk remembers from frame to frame besides the registers. */
struct uw_progress {
	u8 method;    /* how the pc at hand was found */
	bool exact;   /* it is no return address */
	bool chained; /* it was found by a frame pointer */
	bool guessed; /* and by the first one of a chain */
	bool doubted; /* since a chain of one step, whatever came after it */
	bool aapcs;   /* Thumb code was left by r11: see compat_arm.h */
	u32 signal_frames;
};

/*
 * Where a walk first missed a table: as it was when it looked that pc up. With a table, what came after
 * it may have been other frames.
 */
struct uw_missed {
	struct uw_regs regs;
	struct uw_progress at;
	u32 nr_frames; /* that it had found */
	u32 file;      /* which has no table; 0: none was missed */
	u64 readable;  /* bytes from SP upwards that may be read. The walk leaves it alone: it is its caller's */
};

struct uw_walk {
	struct uw_regs regs; /* in: the interrupted registers; is consumed */
	enum uw_arch arch;
	u32 max_frames;
	u32 most_frames;          /* that the port may make room for, when those are used up */
	struct uw_frame *frames;  /* max_frames entries */
	struct uw_plain *plain;   /* UW_PLAIN_SLOTS of earlier walks (plain.h); NULL: none */
	struct uw_along *along;   /* a trail of an earlier walk (trail.h); NULL: none. Only with plain */
	struct uw_missed *missed; /* out: filled if it is not NULL; NULL: nobody can go on */
	u32 nr_frames;            /* out */
	u32 nr_filled;            /* out: so many are in frames; the others have to be asked for: see uw_walk_fill() */
	enum uw_stop stop;        /* out: never NONE */
	u32 nr_same;              /* out: so many outermost frames, with ids, are as in the thread's last walk */
	u32 nr_ids;               /* out: so many outermost frames may have ids: see uw_walk_id() */
	u64 ids_of;               /* out: equal ids of walks for which this is equal name equal frames, and stops */
};

/*
 * What the port knows about a code address, filled by
 * uw_port_find(port, address, found). Only rules for the walk's architecture.
 */
struct uw_found {
	struct uw_rule rule; /* a copy: valid if the result was 0 */
	u64 offset;
	u32 file;
	u32 table;    /* the port's number for the table that was asked last; 0: the file has none */
	u8 method;    /* enum uw_method of the table */
	bool lasting; /* the same is found as long as uw_port_key() is the same, if uw_port_covers() it */
};

/* A mapping of code: see uw_port_covers(). */
struct uw_covered {
	u64 start;
	u64 bytes; /* 0: none */
};

#endif

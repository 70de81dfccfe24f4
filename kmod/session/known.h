/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a message has already, by identity: found again without making the record.
 *
 * Belongs to a message (batch.h), and is as long its owner's. It is a cache: what is not in it is found by its
 * content, or written again.
 */
#ifndef UW_KNOWN_H
#define UW_KNOWN_H

#include <linux/sched.h>
#include <linux/types.h>

#include "core/walk_types.h"

#define UW_KNOWN_PARTS   64
#define UW_KNOWN_LEAVES  16
#define UW_KNOWN_THREADS 8

/* A part of a stack, with all parts below it: named by its innermost frame's id. */
struct uw_known_part {
	u64 ids_of; /* see struct uw_walk; 0: none */
	u32 id;
	u16 number; /* of its record */
	u16 parts;  /* so many, itself included */
};

/* A part of one frame, the innermost one, with another part below it. */
struct uw_known_leaf {
	struct uw_frame frame;
	u16 below;  /* number of that part */
	u16 number; /* of its record; 0: none */
};

/* What a record of a thread says, and what decides the rest of it. */
struct uw_known_thread {
	u64 start_time_ns;
	u64 exec_id;
	char comm[TASK_COMM_LEN];
	pid_t pid;
	u16 number; /* of its record; 0: none */
};

/* All zero: nothing. */
struct uw_known {
	struct uw_known_part parts[UW_KNOWN_PARTS];       /* by id */
	struct uw_known_leaf leaves[UW_KNOWN_LEAVES];     /* by pc */
	struct uw_known_thread threads[UW_KNOWN_THREADS]; /* by pid */
};

/* The part that begins with this frame of a walk, or NULL. */
const struct uw_known_part *uw_known_part(const struct uw_known *known, const struct uw_walk *walk, u32 frame);
/* Does nothing if the frame has no id. number is not 0. */
void uw_known_set_part(struct uw_known *known, const struct uw_walk *walk, u32 frame, u16 number, u16 parts);

/* The number of a part that is that frame alone, with that one below it, which is not 0; or 0. */
u16 uw_known_leaf(const struct uw_known *known, const struct uw_frame *frame, u16 below);
void uw_known_set_leaf(struct uw_known *known, const struct uw_frame *frame, u16 below, u16 number);

/* The number of the thread current, or 0. */
u16 uw_known_current(const struct uw_known *known);
void uw_known_set_current(struct uw_known *known, u16 number);

#endif

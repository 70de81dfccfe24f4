/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Named points where a test build holds a task, so that the window of a race is
 * as wide as the test wants. In any other build nothing of it is left.
 *
 * Built by make UWIND_STALL=1. Parameters: stall_point, stall_ms, stall_tid, fail_part; walk_again and again_* are
 * walk/again.c's.
 */
#ifndef UW_STALL_H
#define UW_STALL_H

#include <linux/types.h>

/* Tests name them by number. */
enum uw_stall_point {
	UW_STALL_NONE = 0,
	UW_STALL_SPACE_PASSED = 1, /* looking for a space, another mm's was met */
	UW_STALL_MESSAGE_SEND = 2, /* a message is complete, and not yet sent. Asleep */
	UW_STALL_INIT = 3,         /* a part of the module has begun; so has each before it */
	UW_STALL_BATCH_TAKEN = 4,  /* a task writes into a message. Asleep */
	UW_STALL_FAULT = 5,        /* a fault is allowed, and not yet resolved */
	UW_STALL_SECTION_READ = 6, /* a process was found to be visible, and is not yet read */
	UW_STALL_SPACES_TAKEN = 7, /* spaces were taken out of the table, and are not yet ended. Asleep */
	UW_STALL_CLIENT_HELD = 8,  /* a call has its file's mutex. Asleep */
	UW_STALL_RANGES_SEEN = 9,  /* a set's ranges were found, without a reference yet */
	UW_STALL_CHILD_BINDS = 10, /* a child is about to bind what it has inherited. Asleep */
};

/* What may fail later than at init. The numbers come after those of the module's parts. */
enum uw_stall_part {
	UW_STALL_PART_COUNTER = 100, /* a CPU's, as it comes online */
};

#ifdef UWIND_STALL
void uw_stall(enum uw_stall_point point);
void uw_stall_asleep(enum uw_stall_point point); /* Task context that may sleep */

/* Whether that part of the module, from 1, is made to fail. */
bool uw_stall_fails(unsigned int part);
#else
static inline void uw_stall(enum uw_stall_point point)
{
}

static inline void uw_stall_asleep(enum uw_stall_point point)
{
}

static inline bool uw_stall_fails(unsigned int part)
{
	return false;
}
#endif

#endif

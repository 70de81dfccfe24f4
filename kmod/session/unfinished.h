/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Walks that ended for want of a table: how much of them a session gets, so that its reader can go on with them.
 */
#ifndef UW_UNFINISHED_H
#define UW_UNFINISHED_H

#include <linux/atomic.h>
#include <linux/types.h>

struct uw_answer;

#define UW_UNFINISHED_PLACES 256

/* Zeros, but for stack_bytes. Members are changed by any CPU. */
struct uw_unfinished {
	u32 stack_bytes;      /* of one at most; 0: none is wanted. Constant */
	unsigned long second; /* since boot. By cmpxchg() */
	unsigned long period; /* of ten minutes. By cmpxchg() */
	atomic64_t second_bytes;
	atomic64_t bytes; /* in the period */
	atomic_t missed
		[UW_UNFINISHED_PLACES]; /* samples in the period, by the file that was missed; some files share a place */
};

/* The answer, of which the session gets nr frames, could be gone on with. */
bool uw_unfinished_wanted(const struct uw_unfinished *unfinished, const struct uw_answer *answer, u32 nr);

/* Whether its limits allow another one, which counts from now on; task context. */
bool uw_unfinished_takes(struct uw_unfinished *unfinished, const struct uw_answer *answer);

/* So many bytes were sent. */
void uw_unfinished_charge(struct uw_unfinished *unfinished, u32 bytes);

#endif

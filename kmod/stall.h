/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Named points where a test build holds a task, so that the window of a race is
 * as wide as the test wants. In any other build nothing of it is left.
 *
 * Built by make UWIND_STALL=1. Parameters: stall_point, stall_ms, stall_tid.
 */
#ifndef UW_STALL_H
#define UW_STALL_H

enum uw_stall_point {
	UW_STALL_NONE,
	UW_STALL_SPACE_PASSED,  /* looking for a space, another mm's was met      */
	UW_STALL_MESSAGE_SEND,  /* a message is complete, and not yet sent. Asleep */
	UW_STALL_WORK_ENTER,    /* task work has begun, and holds no reference    */
	UW_STALL_BATCH_TAKEN,   /* a task writes into a message. Asleep           */
};

#ifdef UWIND_STALL
void uw_stall(enum uw_stall_point point);
void uw_stall_asleep(enum uw_stall_point point); /* Task context that may sleep   */
#else
static inline void uw_stall(enum uw_stall_point point)
{
}

static inline void uw_stall_asleep(enum uw_stall_point point)
{
}
#endif

#endif

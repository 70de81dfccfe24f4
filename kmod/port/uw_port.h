/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The kernel's side of the core's seam: types, and a rescheduling point in long loops.
 */
#ifndef UW_PORT_H
#define UW_PORT_H

/*
 * A variable that is set before it is used, and is too long to be cleared before that, as kernels do
 * (CONFIG_INIT_STACK_ALL_ZERO).
 */
#if __has_attribute(uninitialized)
#define UW_UNINITIALIZED __attribute__((uninitialized))
#else
#define UW_UNINITIALIZED
#endif

#define UW_PAUSE_TURNS 1024u /* of a long loop, between two looks at the world */

#include <linux/errno.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/string.h>
#include <linux/types.h>

/*
 * Called in long loops with a running number, as some kernels never preempt their
 * own code, and a caller that is killed must not keep its CPU and its locks.
 * 0, or -EINTR: give up. Process context.
 */
static inline int __must_check uw_port_pause(u32 turn)
{
	if (turn % UW_PAUSE_TURNS)
		return 0;
	cond_resched();
	return fatal_signal_pending(current) ? -EINTR : 0;
}

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The kernel's side of the core's seam: types, and a breath in long loops.
 */
#ifndef UW_PORT_H
#define UW_PORT_H

#include <linux/errno.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/types.h>

/* Called in long loops, as some kernels never preempt their own code. */
static inline void uw_port_relax(u32 turn)
{
	if (!(turn & 4095))
		cond_resched();
}

#endif

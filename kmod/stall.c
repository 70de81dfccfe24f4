// SPDX-License-Identifier: GPL-2.0
/*
 * Delays at named points, in test builds only. Busy waiting suits every context:
 * the task can still be preempted where the kernel allows it.
 */
#include <linux/delay.h>
#include <linux/module.h>

#include "stall.h"

static unsigned int stall_point;
module_param(stall_point, uint, 0644);
MODULE_PARM_DESC(stall_point, "where tasks are held: a value of enum uw_stall_point (0: nowhere)");

static unsigned int stall_ms = 5;
module_param(stall_ms, uint, 0644);
MODULE_PARM_DESC(stall_ms, "for how many milliseconds, at most 100 (5)");

void uw_stall(enum uw_stall_point point)
{
	if (unlikely(READ_ONCE(stall_point) == point))
		mdelay(min(READ_ONCE(stall_ms), 100u));
}

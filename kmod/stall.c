// SPDX-License-Identifier: GPL-2.0
/*
 * Delays at named points, in test builds only. Busy waiting suits every context:
 * the task can still be preempted where the kernel allows it. A task that sleeps
 * is like one that has no processor for a while: its control group has used up
 * its time, or its virtual processor does not run.
 */
#include <linux/delay.h>
#include <linux/jiffies.h>
#include <linux/module.h>
#include <linux/sched.h>

#include "stall.h"

static unsigned int stall_point;
module_param(stall_point, uint, 0644);
MODULE_PARM_DESC(stall_point, "where tasks are held: a value of enum uw_stall_point (0: nowhere)");

static unsigned int stall_ms = 5;
module_param(stall_ms, uint, 0644);
MODULE_PARM_DESC(stall_ms, "for how many milliseconds, at most 100, asleep 1,000 (5)");

static unsigned int stall_tid;
module_param(stall_tid, uint, 0644);
MODULE_PARM_DESC(stall_tid, "the only thread that is held (0: any)");

static unsigned int fail_part;
module_param(fail_part, uint, 0644);
MODULE_PARM_DESC(fail_part, "the part that does not begin at init, from 1 (0: none), or a value of enum uw_stall_part");

static bool stall_here(enum uw_stall_point point)
{
	unsigned int tid = READ_ONCE(stall_tid);

	return READ_ONCE(stall_point) == point && (!tid || task_pid_nr(current) == tid);
}

void uw_stall(enum uw_stall_point point)
{
	if (unlikely(stall_here(point)))
		mdelay(min(READ_ONCE(stall_ms), 100u));
}

void uw_stall_asleep(enum uw_stall_point point)
{
	might_sleep();
	if (unlikely(stall_here(point)))
		schedule_timeout_uninterruptible(msecs_to_jiffies(min(READ_ONCE(stall_ms), 1000u)));
}

bool uw_stall_fails(unsigned int part)
{
	return part == READ_ONCE(fail_part);
}

// SPDX-License-Identifier: GPL-2.0
/* Since Linux 7.2 whether a task may be dumped is kept by its exec, not by its mm. */
#include <linux/sched.h>
#include <linux/sched/exec_state.h>

int uw_probe(const struct task_struct *task);
int uw_probe(const struct task_struct *task)
{
	return rcu_dereference(task->exec_state)->dumpable;
}

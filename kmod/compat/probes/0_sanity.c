// SPDX-License-Identifier: GPL-2.0
/* Compiles on every kernel: if it does not, the headers or the compiler are at fault, and no probe says anything. */
#include <linux/module.h>
#include <linux/sched.h>

struct task_struct *uw_probe(void);
struct task_struct *uw_probe(void)
{
	return current;
}

MODULE_LICENSE("GPL");

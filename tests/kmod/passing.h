/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A module that comes, works in functions of its own, and goes: writing to the parameter work_ms keeps the writer busy for
 * so long, and insmod is kept busy for init_ms. The two modules of this differ in their functions' names only, so that
 * one's code may lie where the other's did. PASSING(name): a name of the module's own.
 */
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/sched.h>

static u32 counted;

static noinline void PASSING(inner)(void)
{
	u32 i;

	for (i = 0; i < 5000; i++)
		WRITE_ONCE(counted, counted * 3 + i);
}

static noinline void PASSING(outer)(u32 ms)
{
	u64 end = ktime_get_ns() + (u64)ms * NSEC_PER_MSEC;

	while (ktime_get_ns() < end) {
		PASSING(inner)();
		cond_resched();
	}
}

static noinline int PASSING(work)(const char *text, const struct kernel_param *parameter)
{
	u32 ms;
	int err = kstrtou32(text, 0, &ms);

	if (err || ms > 60000)
		return err ?: -EINVAL;
	PASSING(outer)(ms);
	return 0;
}

static const struct kernel_param_ops work_ops = { .set = PASSING(work) };
module_param_cb(work_ms, &work_ops, NULL, 0200);

static uint init_ms;
module_param(init_ms, uint, 0);

static noinline void __init PASSING(begin)(void)
{
	u64 end = ktime_get_ns() + (u64)min(init_ms, 60000u) * NSEC_PER_MSEC;
	u32 i;

	while (ktime_get_ns() < end)
		for (i = 0; i < 5000; i++)
			WRITE_ONCE(counted, counted * 5 + i);
}

static int __init passing_init(void)
{
	PASSING(begin)();
	return 0;
}
module_init(passing_init);

static void __exit passing_exit(void)
{
}
module_exit(passing_exit);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Comes, works and goes, for tests of uwind");

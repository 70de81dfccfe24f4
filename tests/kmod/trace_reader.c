// SPDX-License-Identifier: GPL-2.0
/*
 * A task that looks at user memory for a while in a probe of a system call, as
 * far as others can see: it is a reader of RCU tasks trace until it has to
 * end, or for 30 seconds.
 */
#include <linux/completion.h>
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/rcupdate_trace.h>

#define LONGEST_S 30

static struct task_struct *reader;
static DECLARE_COMPLETION(begun);

static int hold(void *unused)
{
	unsigned int i;

	rcu_read_lock_trace();
	complete(&begun);
	for (i = 0; i < LONGEST_S * 10 && !kthread_should_stop(); i++)
		schedule_timeout_idle(HZ / 10);
	rcu_read_unlock_trace();
	while (!kthread_should_stop())
		schedule_timeout_idle(HZ / 10);
	return 0;
}

static int __init trace_reader_init(void)
{
	if (!IS_ENABLED(CONFIG_TASKS_TRACE_RCU))
		return -EOPNOTSUPP;
	reader = kthread_run(hold, NULL, "trace_reader");
	if (IS_ERR(reader))
		return PTR_ERR(reader);
	wait_for_completion(&begun);
	return 0;
}

static void __exit trace_reader_exit(void)
{
	kthread_stop(reader);
}

module_init(trace_reader_init);
module_exit(trace_reader_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("a reader of RCU tasks trace");

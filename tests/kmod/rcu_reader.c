// SPDX-License-Identifier: GPL-2.0
/*
 * A task that is in a read section of RCU on CPU 1 until it has to end, or for two
 * minutes: nothing that waits for RCU is freed meanwhile, and nothing else runs there.
 * After rcupdate.rcu_cpu_stall_timeout the kernel complains.
 */
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/rcupdate.h>

#define LONGEST_MS 120000

static struct task_struct *reader;
static DECLARE_COMPLETION(begun);

static int hold(void *unused)
{
	unsigned int i;

	preempt_disable();
	rcu_read_lock();
	complete(&begun);
	for (i = 0; i < LONGEST_MS && !kthread_should_stop(); i++)
		mdelay(1);
	rcu_read_unlock();
	preempt_enable();
	while (!kthread_should_stop())
		schedule_timeout_idle(HZ / 10);
	return 0;
}

static int __init rcu_reader_init(void)
{
	reader = kthread_create(hold, NULL, "rcu_reader");
	if (IS_ERR(reader))
		return PTR_ERR(reader);
	kthread_bind(reader, 1);
	wake_up_process(reader);
	wait_for_completion(&begun);
	return 0;
}

static void __exit rcu_reader_exit(void)
{
	kthread_stop(reader);
}

module_init(rcu_reader_init);
module_exit(rcu_reader_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("a reader of RCU");

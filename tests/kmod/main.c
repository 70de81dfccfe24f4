// SPDX-License-Identifier: GPL-2.0
/*
 * Which triggers fire, and on whose behalf: see stress.h. The debugfs file uwind_stress has the
 * account. Commands that are written to it: "ask" (one request, for the writer's stack) and
 * "cancel" (take back one that was asked in a task's context, as of one that sleeps).
 */
#include <linux/debugfs.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "borrowed.h"
#include "stress.h"

static unsigned int period_us = 200;
module_param(period_us, uint, 0444);
MODULE_PARM_DESC(period_us, "mean time between two triggers on a CPU");

static char *contexts = "";
module_param(contexts, charp, 0444);
MODULE_PARM_DESC(contexts, "any of softirq, hardirq and nmi");

static unsigned int limit;
module_param(limit, uint, 0444);
MODULE_PARM_DESC(limit, "requests of its own in each context; 0: ask in the name of the sessions");

static bool sleepers;
module_param(sleepers, bool, 0444);
MODULE_PARM_DESC(sleepers, "ask of each task that goes to sleep in nanosleep()");

static struct dentry *file;

void hit(enum context context, struct pt_regs *regs)
{
	if (limit)
		ledger_ask(context, regs);
	else
		hits_ask(regs);
}

bool is_wanted(enum context context)
{
	return !limit || ledger_wants(context);
}

static int account_show(struct seq_file *out, void *unused)
{
	if (limit)
		ledger_show(out);
	else
		hits_show(out);
	return 0;
}

static int account_open(struct inode *inode, struct file *opened)
{
	return single_open(opened, account_show, NULL);
}

static ssize_t account_write(struct file *opened, const char __user *user, size_t bytes, loff_t *at)
{
	char word[8] = {};

	if (bytes >= sizeof(word))
		return -EINVAL;
	if (copy_from_user(word, user, bytes))
		return -EFAULT;
	if (!strcmp(word, "cancel"))
		return limit && ledger_cancel() ? bytes : -ENOENT;
	if (strcmp(word, "ask"))
		return -EINVAL;
	hit(IN_TASK, NULL);
	return bytes;
}

static const struct file_operations account_fops = {
	.owner = THIS_MODULE,
	.open = account_open,
	.read = seq_read,
	.write = account_write,
	.llseek = seq_lseek,
	.release = single_release,
};

static int going_to_sleep(struct kprobe *probe, struct pt_regs *regs)
{
	hit(IN_TASK, NULL);
	return 0;
}

static struct kprobe probe = { .symbol_name = "hrtimer_nanosleep", .pre_handler = going_to_sleep };

static void stop(void)
{
	if (sleepers)
		unregister_kprobe(&probe);
	senders_stop();
	spoil_stop();
	if (limit)
		ledger_stop();
}

static int start(void)
{
	int err = limit ? ledger_start(limit) : 0;

	if (err)
		return err;
	err = sleepers ? register_kprobe(&probe) : 0;
	if (err)
		sleepers = false;
	if (!err)
		err = spoil_start();
	if (!err)
		err = senders_start(period_us, strstr(contexts, "softirq"), strstr(contexts, "hardirq"),
				    strstr(contexts, "nmi"));
	if (err)
		stop();
	return err;
}

static int __init stress_init(void)
{
	int err = borrow();

	if (err)
		return err;
	err = start();
	if (err)
		give_back();
	else
		file = debugfs_create_file("uwind_stress", 0600, NULL, NULL, &account_fops);
	return err;
}

static void __exit stress_exit(void)
{
	debugfs_remove(file);
	stop();
	give_back();
}

module_init(stress_init);
module_exit(stress_exit);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Fires triggers in every context on every CPU");

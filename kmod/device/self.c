// SPDX-License-Identifier: GPL-2.0
/*
 * The unprivileged device: a process and the sections of its own memory.
 *
 * Tables made here belong to nobody but the mm they are bound in: no owner,
 * no file, charged to the user.
 */
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/sched.h>

#include "access/quota.h"
#include "device/ioctl.h"
#include "device/self.h"
#include "device/table_input.h"
#include "stats.h"
#include "store/ranges.h"
#include "store/registry.h"
#include "store/table_store.h"
#include "store/tie.h"
#include "uwind.h"

/* What owns the tables: stands for "their mm". */
static const char self_owner;

static struct uw_stored_table *self_table(struct uwind_self_add *arg, struct uw_quota *quota)
{
	struct uw_segment text = {
		.address = arg->text_start,
		.bytes = arg->text_end - arg->text_start,
		.offset = 0,
	};
	struct uw_section section = {
		.data = arg->sframe_start,
		.bytes = arg->sframe_end - arg->sframe_start,
		.address = arg->sframe_start,
		.segments = &text,
		.nr_segments = 1,
	};
	const struct uw_maker maker = { .owner = &self_owner, .quota = quota };
	struct uw_reject reject = {};
	struct uw_stored_table *stored = uw_table_from_section(&section, &maker, &reject);

	uw_ioctl_reject(&reject, &arg->bad_offset, arg->bad_why, sizeof(arg->bad_why));
	return stored;
}

static int self_bind(struct uwind_self_add *arg, struct uw_quota *quota)
{
	struct uwind_range range = { .start = arg->text_start, .end = arg->text_end };
	struct uw_stored_table *stored;
	int err = uw_quota_begin_input(quota);

	if (err)
		return err;
	stored = self_table(arg, quota);
	uw_quota_end_input(quota);
	if (IS_ERR(stored))
		return PTR_ERR(stored);
	err = uw_registry_bind(current->mm, stored, &range, 1, arg->sframe_start);
	if (err)
		uw_tie_destroy(&self_owner, stored->number);
	else
		uw_table_store_disown(stored);
	return err;
}

static int self_add(void *context, void *data)
{
	struct uwind_self_add *arg = data;
	struct uw_quota *quota;
	int err;

	if (arg->reserved || !arg->sframe_start || arg->sframe_end <= arg->sframe_start ||
	    arg->sframe_end - arg->sframe_start > UWIND_MAX_SECTION_BYTES || arg->text_end <= arg->text_start ||
	    arg->text_end > TASK_SIZE_MAX || arg->text_end - arg->text_start > U32_MAX)
		return -EINVAL;
	quota = uw_quota_get(GFP_KERNEL_ACCOUNT);
	if (!quota)
		return -ENOMEM;
	err = self_bind(arg, quota);
	uw_quota_put(quota);
	if (err && err != -EINTR)
		uw_stats_section_refused();
	return err;
}

static int self_remove(void *context, void *data)
{
	struct uwind_self_remove *arg = data;
	struct uw_range_set *set = uw_registry_bound(current->mm);

	if (arg->reserved)
		return -EINVAL;
	return set ? uw_range_set_remove_section(set, arg->sframe_start) : -ENOENT;
}

static int self_next(void *context, void *data)
{
	struct uwind_self_next *arg = data;
	struct uw_range_set *set = uw_registry_bound(current->mm);
	struct uw_ranges *ranges = set ? uw_range_set_get(set) : NULL;
	u32 i;

	arg->found = 0;
	for (i = 0; ranges && i < ranges->nr && !arg->found; i++) {
		const struct uw_range *range = &ranges->range[i];

		if (range->start <= arg->after || !range->section || READ_ONCE(range->died))
			continue;
		arg->found = 1;
		arg->text_start = range->start;
		arg->text_end = range->end;
		arg->sframe_start = range->section;
	}
	uw_ranges_put(ranges);
	return 0;
}

static const struct uw_ioctl self_ioctls[] = {
	{ UWIND_IOC_ABI, sizeof(struct uwind_abi), false, uw_ioctl_abi },
	{ UWIND_IOC_SELF_ADD, sizeof(struct uwind_self_add), false, self_add },
	{ UWIND_IOC_SELF_REMOVE, sizeof(struct uwind_self_remove), false, self_remove },
	{ UWIND_IOC_SELF_NEXT, sizeof(struct uwind_self_next), false, self_next },
};

static long self_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	return uw_ioctl_run(self_ioctls, ARRAY_SIZE(self_ioctls), NULL, false, cmd, arg);
}

static bool serving;

static int self_open(struct inode *inode, struct file *file)
{
	return READ_ONCE(serving) ? 0 : -ENODEV;
}

static const struct file_operations self_fops = {
	.owner = THIS_MODULE,
	.open = self_open,
	.unlocked_ioctl = self_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
};

static struct miscdevice self_device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "uwind-self",
	.fops = &self_fops,
	.mode = 0666,
};

int uw_self_init(void)
{
	return misc_register(&self_device);
}

void uw_self_serve(void)
{
	WRITE_ONCE(serving, true);
}

void uw_self_exit(void)
{
	misc_deregister(&self_device);
}

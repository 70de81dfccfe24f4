// SPDX-License-Identifier: GPL-2.0
/*
 * The descriptor: it traces from its making to its closing, and its reader gets a record of each slot that has a stack.
 */
#include <linux/anon_inodes.h>
#include <linux/err.h>
#include <linux/fcntl.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "kernel/kstack.h"
#include "kernel/kstack_look.h"

/* A record as it is built, of either type. */
union record {
	struct uwind_kstack_head head;
	struct uwind_kstack_counts counts;
	u8 stack[sizeof(struct uwind_kstack_stack) + UWIND_KSTACK_FRAMES * sizeof(struct uwind_kstack_frame)];
};

static_assert(sizeof(union record) <= UWIND_KSTACK_READ_BYTES);

static atomic_t nr_kstacks;

static void kstack_free(struct uw_kstack *kstack)
{
	ftrace_free_filter(&kstack->ops);
	uw_kstack_store_deinit(&kstack->store);
	kfree(kstack);
	atomic_dec(&nr_kstacks);
}

static int kstack_release(struct inode *inode, struct file *file)
{
	struct uw_kstack *kstack = file->private_data;

	unregister_ftrace_function(&kstack->ops); /* and waits for those who look */
	kstack_free(kstack);
	return 0;
}

/* Those who look at entries hold it for a moment. */
static int slot_hold(struct uw_kstack_slot *slot)
{
	for (;;) {
		preempt_disable();
		if (uw_kstack_slot_try(slot))
			return 0;
		preempt_enable();
		if (fatal_signal_pending(current))
			return -EINTR;
		cond_resched();
		cpu_relax();
	}
}

static void slot_give(struct uw_kstack_slot *slot)
{
	uw_kstack_slot_release(slot);
	preempt_enable();
}

/* 0: it has none. */
static int record_slot(union record *record, struct uw_kstack_slot *slot, u32 type)
{
	u32 bytes = 0;
	int err;

	if (!slot || !READ_ONCE(slot->depth))
		return 0;
	err = slot_hold(slot);
	if (err)
		return err;
	if (slot->depth) {
		bytes = sizeof(slot->stack) + slot->stack.nr_frames * sizeof(slot->frames[0]);
		memcpy(record->stack, &slot->stack, sizeof(slot->stack));
		memcpy(record->stack + sizeof(slot->stack), slot->frames, bytes - sizeof(slot->stack));
	}
	slot_give(slot);
	record->head = (struct uwind_kstack_head){ bytes, type };
	return bytes;
}

/* The record with that number: counts, then slots. Its bytes; 0: there is none. */
static int record_fill(union record *record, const struct uw_kstack_store *store, u64 number)
{
	u32 type;
	struct uw_kstack_slot *slot;

	if (number) {
		slot = uw_kstack_store_slot(store, number - 1, &type);
		return record_slot(record, slot, type);
	}
	memset(&record->counts, 0, sizeof(record->counts));
	uw_kstack_store_counts(store, &record->counts);
	record->head = (struct uwind_kstack_head){ sizeof(record->counts), UWIND_KSTACK_RECORD_COUNTS };
	return sizeof(record->counts);
}

/* *position counts records. As much as there is room for. */
static ssize_t records_read(union record *record, const struct uw_kstack_store *store, char __user *user, size_t room,
			    loff_t *position)
{
	size_t done = 0;
	int bytes;

	for (; *position <= uw_kstack_store_slots(store); ++*position) {
		bytes = record_fill(record, store, *position);
		if (bytes < 0)
			return done ?: bytes;
		if (bytes > room - done)
			return done ?: -EINVAL;
		if (copy_to_user(user + done, record, bytes))
			return done ?: -EFAULT;
		done += bytes;
		cond_resched();
	}
	return done;
}

static ssize_t kstack_read(struct file *file, char __user *user, size_t room, loff_t *position)
{
	const struct uw_kstack *kstack = file->private_data;
	union record *record = kmalloc(sizeof(*record), GFP_KERNEL_ACCOUNT);
	ssize_t done;

	if (!record)
		return -ENOMEM;
	done = records_read(record, &kstack->store, user, room, position);
	kfree(record);
	return done;
}

static loff_t kstack_llseek(struct file *file, loff_t offset, int whence)
{
	const struct uw_kstack *kstack = file->private_data;
	loff_t end = uw_kstack_store_slots(&kstack->store) + 1;

	return fixed_size_llseek(file, offset, whence, end);
}

static const struct file_operations kstack_fops = {
	.owner = THIS_MODULE,
	.read = kstack_read,
	.llseek = kstack_llseek,
	.release = kstack_release,
};

static int filter_set(struct uw_kstack *kstack, const struct uwind_kstack *arg)
{
	unsigned long *addresses;
	int err;

	if (!arg->nr_functions)
		return 0;
	addresses = vmemdup_user(u64_to_user_ptr(arg->functions), arg->nr_functions * sizeof(u64));
	if (IS_ERR(addresses))
		return PTR_ERR(addresses);
	err = ftrace_set_filter_ips(&kstack->ops, addresses, arg->nr_functions, 0, 1);
	kvfree(addresses);
	return err == -ENOENT ? -EINVAL : err;
}

static int kstack_check(const struct uwind_kstack *arg)
{
	const bool by_task = arg->flags & UWIND_KSTACK_BY_TASK;

	if ((arg->flags & ~UWIND_KSTACK_BY_TASK) || by_task == !arg->nr_tasks ||
	    arg->nr_tasks > UWIND_MAX_KSTACK_TASKS || arg->nr_functions > UWIND_MAX_FUNCTIONS ||
	    !arg->functions == !!arg->nr_functions)
		return -EINVAL;
	return 0;
}

static int kstack_start(struct uw_kstack *kstack, const struct uwind_kstack *arg)
{
	int err;

	kstack->ops.func = uw_kstack_look;
	kstack->ops.flags = UW_FTRACE_FLAGS;
	err = uw_kstack_store_init(&kstack->store, arg->nr_tasks) ?: filter_set(kstack, arg);
	return err ?: register_ftrace_function(&kstack->ops);
}

int uw_kstack_open(const struct uwind_kstack *arg)
{
	struct uw_kstack *kstack;
	int err = kstack_check(arg);

	if (err)
		return err;
	kstack = kzalloc(sizeof(*kstack), GFP_KERNEL_ACCOUNT);
	if (!kstack)
		return -ENOMEM;
	if (atomic_inc_return(&nr_kstacks) > UWIND_MAX_KSTACKS)
		err = -EBUSY;
	err = err ?: kstack_start(kstack, arg);
	if (err) {
		kstack_free(kstack);
		return err;
	}
	err = anon_inode_getfd("[uwind-kstack]", &kstack_fops, kstack, O_RDONLY | O_CLOEXEC);
	if (err < 0) {
		unregister_ftrace_function(&kstack->ops);
		kstack_free(kstack);
	}
	return err;
}

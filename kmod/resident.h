/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What stays in the kernel when uwind.ko goes: the interface of uwind_resident1.ko.
 *
 * FROZEN. The module that was loaded first stays until the next boot, also across
 * upgrades of uwind: a later uwind.ko must work with it. So nothing here and nothing
 * in resident.c changes its meaning or its layout, and resident.c includes no other
 * file of ours (the kernel compares the types that it has seen). What must change
 * gets another number: uwind_resident2.ko, uw_resident2_…, beside the older one.
 *
 * The life of a work:
 *
 *   IDLE    its user's. To queue it: set QUEUED, then
 *           task_work_add(task, &work->head, TWA_RESUME); if that fails, IDLE again
 *   QUEUED  its task runs uw_resident1_run() some day, which takes a reference to
 *           user->owner, sets IDLE, calls user->run(), and drops the reference; or
 *           finds the owner on its way out, and sets IDLE only: the owner frees it
 *   LEFT    its user has gone, and uw_resident1_run() frees it
 *
 * A user that goes (its references can no longer be taken) exchanges QUEUED for LEFT
 * in each work, frees those that it finds IDLE, and calls synchronize_rcu() before
 * its memory goes. No step of that waits for a task.
 */
#ifndef UW_RESIDENT_H
#define UW_RESIDENT_H

#include <linux/atomic.h>
#include <linux/mm.h>
#include <linux/mmu_notifier.h>
#include <linux/module.h>
#include <linux/rcupdate.h>
#include <linux/refcount.h>
#include <linux/slab.h>
#include <linux/task_work.h>

enum uw_resident_state {
	UW_RESIDENT_IDLE,
	UW_RESIDENT_QUEUED,
	UW_RESIDENT_LEFT,
};

/* What an object is freed by. */
enum uw_resident_memory {
	UW_RESIDENT_KMALLOC, /* kfree() */
	UW_RESIDENT_PAGES,   /* it holds a reference to the pages that it is in */
};

struct uw_resident_work;

struct uw_resident_user {
	struct module *owner;
	void (*run)(struct uw_resident_work *work); /* in the task; may free the work */
};

/* At the beginning of the object. */
struct uw_resident_work {
	struct callback_head head;           /* func: uw_resident1_run */
	const struct uw_resident_user *user; /* Set once; memory of its owner */
	u32 state;                           /* enum uw_resident_state */
	u32 memory;                          /* enum uw_resident_memory. Set once */
};

static_assert(offsetof(struct uw_resident_work, head) == 0);
static_assert(offsetof(struct uw_resident_work, user) == 16);
static_assert(offsetof(struct uw_resident_work, state) == 24);
static_assert(offsetof(struct uw_resident_work, memory) == 28);
static_assert(sizeof(struct uw_resident_work) == 32);
static_assert(sizeof(struct uw_resident_user) == 16);

static inline void uw_resident_free(struct uw_resident_work *work)
{
	if (work->memory == UW_RESIDENT_PAGES)
		put_page(virt_to_head_page(work));
	else
		kfree(work);
}

/* What a work's head.func is. */
void uw_resident1_run(struct callback_head *head);

/*
 * What mmu_notifier_ops.free_notifier is: frees the kmalloc() object that begins with
 * the notifier, after an RCU grace period besides the notifiers' own.
 */
void uw_resident1_free_notifier(struct mmu_notifier *notifier);

/*
 * What somebody has given up, and the kernel frees by RCU only: while it waits for that,
 * it is owed. Counted here as nothing but its turn in RCU's queue shows when it is free,
 * and uwind.ko may have gone by then.
 */
struct uw_resident_account {
	struct uw_resident_account *all; /* also counted there; NULL: this is it. Refers to it */
	atomic64_t owed;
	refcount_t refs; /* its owner's, and one for each debt and account */
};

/* By kmalloc(), like an account. Each counts for one. */
struct uw_resident_debt {
	struct rcu_head rcu;
	struct uw_resident_account *account; /* it holds a reference */
};

static inline void uw_resident_account_put(struct uw_resident_account *account)
{
	while (account && refcount_dec_and_test(&account->refs)) {
		struct uw_resident_account *all = account->all;

		kfree(account);
		account = all;
	}
}

/* The function to call_rcu() a debt with, after what is owed: counts it back, and frees it. */
void uw_resident1_settle(struct rcu_head *rcu);

#endif

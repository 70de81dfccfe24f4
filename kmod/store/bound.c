// SPDX-License-Identifier: GPL-2.0
/*
 * Watching what is unmapped of an mm.
 *
 * Memory that somebody bound a table to may be unmapped, and other code put in its
 * place, without a trace in the VMA: anonymous memory has no identity. So a range
 * ends with the MMU notifier's event, before munmap() returns.
 *
 * To register one is expensive, and others pay: it takes every lock of every
 * mapping (mm_take_all_locks()), under a mutex of the whole system, and holds the
 * locks of shared files while others want to map them. So only an mm in which
 * something is bound is watched, never one that is merely sampled, and only if it
 * has not too many mappings. And a worker takes those locks: the task that binds may be
 * in a control group that has used its time up, or has hundreds of tasks that want to
 * run, and would then hold the locks while it does not run. The worker's time is charged
 * to nobody, but it is less than the mappings have cost their maker. Nor does the worker
 * wait for locks that such a task holds already, as one that truncates a file of many
 * mappings does: it takes the locks when all are free.
 *
 * What may still be running when it ends: callbacks under the notifiers' SRCU. They
 * touch nothing but this object, and the kernel frees it after that grace period,
 * by a function that may run when the module is long gone: see resident.h.
 */
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/rmap.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include "resident.h"
#include "store/bound.h"

/* For a task that holds the mmap_lock of mm for writing, and waits. On its stack; the worker's until it returns. */
struct uw_registration {
	struct work_struct work;
	struct mmu_notifier *notifier;
	struct mm_struct *mm;
	int err; /* Set by: the worker */
};

static struct workqueue_struct *register_queue;

/* May run under reclaim and may not block: marks, and frees nothing. */
static int bound_invalidate(struct mmu_notifier *notifier, const struct mmu_notifier_range *range)
{
	struct uw_bound *bound = container_of(notifier, struct uw_bound, notifier);

	if (range->event == MMU_NOTIFY_UNMAP)
		uw_range_set_kill(&bound->set, range->start, range->end);
	return 0;
}

/* The end of the mm: what was bound is charged to somebody, and is given back soon. */
static void bound_release(struct mmu_notifier *notifier, struct mm_struct *mm)
{
	container_of(notifier, struct uw_bound, notifier)->ended();
}

/* To lockdep, the task that acts under mmap_lock is the one that holds it. */
static void bound_lock_given(struct mm_struct *mm)
{
	rwsem_release(&mm->mmap_lock.dep_map, _RET_IP_);
}

static void bound_lock_taken(struct mm_struct *mm)
{
	rwsem_acquire(&mm->mmap_lock.dep_map, 0, 1, _RET_IP_);
}

static bool bound_lock_is_busy(struct vm_area_struct *vma)
{
	return (vma->vm_file && rwsem_is_locked(&vma->vm_file->f_mapping->i_mmap_rwsem)) ||
	       (vma->anon_vma && rwsem_is_locked(&vma->anon_vma->root->rwsem));
}

/* A task that takes one of them after this look is waited for: a moment, unless it is stopped just then. */
static bool bound_would_wait(struct mm_struct *mm)
{
	struct vm_area_struct *vma;

	lockdep_assert_held_write(&mm->mmap_lock);
	for (vma = find_vma(mm, 0); vma; vma = find_vma(mm, vma->vm_end))
		if (bound_lock_is_busy(vma))
			return true;
	return false;
}

static void bound_register_work(struct work_struct *work)
{
	struct uw_registration *registration = container_of(work, struct uw_registration, work);

	bound_lock_taken(registration->mm);
	if (bound_would_wait(registration->mm))
		registration->err = -EBUSY;
	else
		registration->err = __mmu_notifier_register(registration->notifier, registration->mm);
	bound_lock_given(registration->mm);
}

static int bound_register(struct mmu_notifier *notifier, struct mm_struct *mm)
{
	struct uw_registration registration = { .notifier = notifier, .mm = mm };

	INIT_WORK_ONSTACK(&registration.work, bound_register_work);
	bound_lock_given(mm);
	queue_work(register_queue, &registration.work);
	flush_work(&registration.work);
	bound_lock_taken(mm);
	destroy_work_on_stack(&registration.work);
	return registration.err;
}

struct uw_bound *uw_bound_create(struct mm_struct *mm, void (*ended)(void))
{
	struct uw_bound *bound;
	int err;

	lockdep_assert_held_write(&mm->mmap_lock);
	if (mm->map_count > UW_MAX_WATCHED_MAPPINGS)
		return ERR_PTR(-EFBIG);
	bound = kzalloc(sizeof(*bound), GFP_KERNEL_ACCOUNT);
	if (!bound)
		return ERR_PTR(-ENOMEM);
	uw_range_set_init(&bound->set);
	bound->ended = ended;
	bound->ops.invalidate_range_start = bound_invalidate;
	bound->ops.release = bound_release;
	bound->ops.free_notifier = uw_resident1_free_notifier;
	bound->notifier.ops = &bound->ops;
	err = bound_register(&bound->notifier, mm);
	if (!err)
		return bound;
	kfree(bound);
	return ERR_PTR(err);
}

void uw_bound_destroy(struct uw_bound *bound)
{
	struct uw_ranges *ranges;

	spin_lock(&bound->set.lock);
	ranges = rcu_replace_pointer(bound->set.ranges, NULL, true);
	spin_unlock(&bound->set.lock);
	uw_ranges_put(ranges);
	mmu_notifier_put(&bound->notifier);
}

int uw_bound_init(void)
{
	register_queue = alloc_workqueue("uwind_bound", WQ_UNBOUND | WQ_HIGHPRI, 1);
	return register_queue ? 0 : -ENOMEM;
}

void uw_bound_exit(void)
{
	destroy_workqueue(register_queue);
}

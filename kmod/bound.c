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
 * has not too many mappings.
 *
 * Who may still be running when it ends: callbacks under the notifiers' SRCU. They
 * touch nothing but this object, and the kernel frees it after that grace period,
 * by a function that may run when the module is long gone: see resident.h.
 */
#include <linux/err.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "bound.h"
#include "resident.h"
#include "space.h"

/* May run under reclaim and may not block: marks, and frees nothing. */
static int uw_bound_invalidate(struct mmu_notifier *notifier, const struct mmu_notifier_range *range)
{
	struct uw_bound *bound = container_of(notifier, struct uw_bound, notifier);

	if (range->event == MMU_NOTIFY_UNMAP)
		uw_range_set_kill(&bound->set, range->start, range->end);
	return 0;
}

/* The end of the mm: what was bound is charged to somebody, and is given back soon. */
static void uw_bound_release(struct mmu_notifier *notifier, struct mm_struct *mm)
{
	uw_space_mm_ended();
}

struct uw_bound *uw_bound_create(struct mm_struct *mm)
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
	bound->ops.invalidate_range_start = uw_bound_invalidate;
	bound->ops.release = uw_bound_release;
	bound->ops.free_notifier = uw_resident1_free_notifier;
	bound->notifier.ops = &bound->ops;
	err = __mmu_notifier_register(&bound->notifier, mm);
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

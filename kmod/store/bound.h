/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The ranges of one mm that somebody bound: they end when they are unmapped.
 */
#ifndef UW_BOUND_H
#define UW_BOUND_H

#include <linux/mmu_notifier.h>

#include "store/ranges.h"

/* Ranges of one mm. */
#define UW_MAX_BOUND_RANGES 4096

/*
 * Mappings of an mm that is to be watched. The kernel stops tasks that map the same
 * files meanwhile: see bound.c.
 */
#define UW_MAX_WATCHED_MAPPINGS 1024

/* Lifetime: from uw_bound_create() to uw_bound_destroy() and the notifiers' grace period. */
struct uw_bound {
	struct mmu_notifier notifier; /* Order: first member, as what frees it takes it for the object */
	struct mmu_notifier_ops ops;  /* here, as they outlive the module. Set once */
	void (*ended)(void);          /* Set once */
	struct uw_range_set set;      /* Protected by: its own rules */
};

/*
 * Begin to watch an mm; the caller holds mm_users, and mmap_lock for writing. ended
 * is called when the mm has ended, in any context, until uw_bound_destroy() and the
 * notifiers' grace period.
 * -EBUSY: somebody has a lock of one of its mappings; -EFBIG: more mappings than
 * that; -ENOMEM.
 */
struct uw_bound *uw_bound_create(struct mm_struct *mm, void (*ended)(void));

/*
 * Give its ranges back. Invalidations may still run until mmu_notifier_synchronize();
 * then the kernel frees the object.
 */
void uw_bound_destroy(struct uw_bound *bound);

int uw_bound_init(void);
void uw_bound_exit(void);

#endif

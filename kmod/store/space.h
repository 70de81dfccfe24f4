/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A space: what is known about the memory of one mm. It ends with the mm.
 */
#ifndef UW_SPACE_H
#define UW_SPACE_H

#include <linux/mm_types.h>
#include <linux/rhashtable-types.h>

#include "store/bound.h"
#include "store/ranges.h"

/* Bound the memory of one space. */
#define UW_MAX_MAPPED_RANGES   1024
#define UW_MAX_READABLE_RANGES 256

struct uw_quota;

/*
 * Lifetime: until its mm has no users, or the module goes; then a grace period of RCU for those who look for another
 * mm's space. Set before it is in the table, then constant, unless a member's comment says otherwise.
 */
struct uw_space {
	u64 number;                   /* unique while the module is loaded */
	struct mm_struct *mm;         /* holds a reference to the struct, so that its address is not used again */
	struct rhash_head node;       /* Protected by: the hash table's locks to write, RCU to read */
	struct list_head ended;       /* Owned by: the task that took it out of the table */
	struct rcu_head rcu;          /* Owned by: the same */
	struct uw_quota *quota;       /* whose share it takes, which keeps the account; NULL: nobody's */
	atomic64_t walks;             /* where the kernel counts no changes */
	struct uw_range_set mapped;   /* text that walks have found in VMAs. Protected by: its own rules */
	struct uw_range_set readable; /* memory that walks may read: start and end only. Protected by: its own rules */
	struct uw_bound *bound;       /* owned. Protected by: mmap_lock to write; set once. See uw_space_bound() */
};

/*
 * The space of an mm, or NULL. Any context. The caller holds mm_users, as current
 * does for its own mm: for so long, and until the module goes, the space stays.
 */
struct uw_space *uw_space_find(struct mm_struct *mm);

/* The same, made if need be, on current's account. ERR_PTR: -ENOMEM; -EDQUOT, -ENOSPC (too many). Atomic. */
struct uw_space *uw_space_get(struct mm_struct *mm);

/*
 * Begin to watch its mm, if that is not done yet, so that ranges can be bound.
 * Errors: see uw_bound_create(), of which -EBUSY comes after a second; -EINTR:
 * current is killed. Takes mmap_lock for writing.
 */
int uw_space_watch(struct uw_space *space);

/* What is bound there, or NULL: it is not watched. */
static inline struct uw_bound *uw_space_bound(const struct uw_space *space)
{
	return smp_load_acquire(&space->bound);
}

/* The bound ranges, or NULL. Under rcu_read_lock(). */
static inline const struct uw_ranges *uw_space_bound_ranges(const struct uw_space *space)
{
	const struct uw_bound *bound = uw_space_bound(space);

	return bound ? rcu_dereference(bound->set.ranges) : NULL;
}

/* The epoch in which a walk begins: a range of the caches that was looked at in it is true. */
static inline u64 uw_space_epoch(struct uw_space *space)
{
	return UW_MM_SEQUENCE ? uw_mm_sequence(space->mm) : atomic64_inc_return(&space->walks);
}

/* The epoch for what is looked at now, under mmap_lock, by a walk that began in that one. */
static inline u64 uw_space_epoch_locked(const struct uw_space *space, u64 epoch)
{
	lockdep_assert_held_read(&space->mm->mmap_lock);
	return UW_MM_SEQUENCE ? uw_mm_sequence(space->mm) : epoch;
}

static inline bool uw_range_is_true(const struct uw_range *range, u64 epoch)
{
	u64 looked = READ_ONCE(range->epoch);

	if (unlikely(range->refused) && !uw_range_refusal_holds(range))
		return false;
	return UW_MM_SEQUENCE ? looked == epoch : looked >= epoch;
}

u32 uw_space_count(void);
int uw_space_init(void);
void uw_space_exit(void);

#endif

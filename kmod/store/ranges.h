/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sets of address ranges: sorted arrays that are never changed but replaced, so
 * that a walk searches them without a lock.
 */
#ifndef UW_RANGES_H
#define UW_RANGES_H

#include <linux/jiffies.h>
#include <linux/rcupdate.h>
#include <linux/refcount.h>
#include <linux/spinlock.h>
#include <linux/types.h>

struct file;
struct uw_file;
struct uw_stored_table;

/* One range. Immutable in a set, but for what the last two unions say. */
struct uw_range {
	u64 start, end;
	u64 offset;                     /* of start, in the file or the table's own space */
	struct uw_file *file;           /* holds a reference; NULL: memory without a file */
	const struct file *refused;     /* mapped there, and was refused room. To be compared only */
	struct uw_stored_table *stored; /* holds a reference; bound ranges only */
	union {
		u64 section;    /* bound: self-registered: address of its .sframe, else 0 */
		u64 refused_at; /* mapped: when a file was refused, jiffies */
	};
	union {
		/* Bound: the set's number of that death. Protected by: the set's lock to write, once; READ_ONCE(). */
		u64 died;
		/* Mapped, readable: when it was last looked at. Written under mmap_lock for reading; READ_ONCE(). */
		u64 epoch;
	};
};

#define UW_REFUSED_AGAIN HZ /* after that time a file that was refused is asked for again */

static inline bool uw_range_refusal_holds(const struct uw_range *range)
{
	return range->refused && jiffies - range->refused_at < UW_REFUSED_AGAIN;
}

/* Ranges sorted by start, without overlaps among the living. Lifetime: refs, then a grace period of RCU. */
struct uw_ranges {
	refcount_t refs;         /* the set's, and one for each uw_range_set_get() */
	struct rcu_head rcu;     /* Owned by: the task that dropped the last reference */
	u32 nr;                  /* Set before it is shared */
	struct uw_range range[]; /* Set before it is shared, but for what uw_range says */
};

/* Lifetime: from uw_range_set_init() to uw_range_set_destroy(). */
struct uw_range_set {
	spinlock_t lock;                /* Order: outside quota_lock */
	u64 deaths;                     /* Protected by: lock to write; READ_ONCE(). Grows */
	u64 changes;                    /* Protected by: lock to write; see uw_range_set_changes(). Grows */
	struct uw_ranges __rcu *ranges; /* holds a reference; NULL: empty. Protected by: lock to write, RCU to read */
};

void uw_range_set_init(struct uw_range_set *set);

/*
 * A number that grows when the set has changed; whoever finds a new range in it finds that it has grown
 * already. It does not grow when a range is looked at again. Any context.
 */
static inline u64 uw_range_set_changes(const struct uw_range_set *set)
{
	return smp_load_acquire(&set->changes);
}

/* Give back what is in it. Nobody reads or changes the set any more. */
void uw_range_set_destroy(struct uw_range_set *set);

/*
 * Add bound ranges, all or none; takes over their references if it returns 0.
 * -EEXIST: overlaps a living one; -ENOSPC: more than max would live; -ENOMEM.
 */
int uw_range_set_add(struct uw_range_set *set, const struct uw_range *ranges, u32 nr, u32 max, gfp_t gfp);

/*
 * Put one range in the place of those that it overlaps: this set is a cache, and
 * begins anew when max are in it. Takes over references if it returns 0. -ENOMEM.
 */
int uw_range_set_replace(struct uw_range_set *set, const struct uw_range *range, u32 max);

/* End the bound ranges that overlap [start, end). Allocates and frees nothing. */
void uw_range_set_kill(struct uw_range_set *set, u64 start, u64 end);

/* End the bound range at start, or all of a section. -ENOENT. */
int uw_range_set_remove_start(struct uw_range_set *set, u64 start);
int uw_range_set_remove_section(struct uw_range_set *set, u64 section);

/* The ranges with a reference, or NULL. Any context. */
struct uw_ranges *uw_range_set_get(struct uw_range_set *set);
void uw_ranges_put(struct uw_ranges *ranges);

/* A bound range was unmapped or removed before that death, or its table is gone. */
bool uw_range_was_dead(const struct uw_range *range, u64 death);

/* The range that covers address, or NULL; dead or not. Under rcu_read_lock(). */
const struct uw_range *uw_ranges_find(const struct uw_ranges *ranges, u64 address);

/* The same; hint: where the last one was, which is likely again. */
static inline const struct uw_range *uw_ranges_find_near(const struct uw_ranges *ranges, u64 address, u32 *hint)
{
	const struct uw_range *range;

	if (!ranges)
		return NULL;
	range = &ranges->range[*hint];
	if (*hint < ranges->nr && address - range->start < range->end - range->start)
		return range;
	range = uw_ranges_find(ranges, address);
	if (range)
		*hint = range - ranges->range;
	return range;
}

/* The bound range that lives and covers address, or NULL. Under rcu_read_lock(). */
const struct uw_range *uw_ranges_find_living(const struct uw_ranges *ranges, u64 address);

#endif

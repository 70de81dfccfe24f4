/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A space: what is known about the memory of one mm. It is watched
 * by an mmu notifier and ends with the mm.
 */
#ifndef UW_SPACE_H
#define UW_SPACE_H

#include <linux/mmu_notifier.h>
#include <linux/rcupdate.h>
#include <linux/refcount.h>
#include <linux/spinlock.h>
#include <linux/types.h>

struct uw_file;
struct uw_kept;

/* Bounds the memory of one space. */
#define UW_MAX_SPACE_RANGES 4096

enum uw_space_set {
	UW_SPACE_BOUND,    /* explicit ranges of text, inherited by fork         */
	UW_SPACE_MAPPED,   /* text that walks have found in VMAs                 */
	UW_SPACE_READABLE, /* memory that walks may read: start and end only     */
	UW_NR_SPACE_SETS,
};

/* One range. Immutable, but for dead. */
struct uw_range {
	u64 start, end;
	u64 offset;           /* of start, in the file or the table's own space  */
	struct uw_file *file; /* holds a reference; NULL: memory without a file  */
	struct uw_kept *kept; /* holds a reference; explicit ranges only         */
	u64 section;          /* self-registered: address of its .sframe, else 0 */
	bool dead;            /* was unmapped, at least in part. Set once        */
};

/* Ranges sorted by start, without overlaps among the living. */
struct uw_ranges {
	refcount_t refs;
	struct rcu_head rcu;
	u32 nr;
	struct uw_range range[];
};

struct uw_space {
	struct mmu_notifier notifier; /* first: kfree() takes it for the object  */
	struct mmu_notifier_ops ops;  /* here, as they outlive the module        */
	struct mm_struct *mm;         /* Lifetime: held by the notifier          */
	struct hlist_node node;       /* Protected by: spaces_lock to write; RCU */
	struct list_head reap;        /* Protected by: spaces_lock               */
	spinlock_t lock;              /* Order: innermost but for files_lock     */
	/* Protected by: lock to write, RCU to read */
	struct uw_ranges __rcu *sets[UW_NR_SPACE_SETS];
};

/* current->mm's space, or NULL. Lock-free. */
struct uw_space *uw_space_find(struct mm_struct *mm);

/*
 * The space of a live mm (the caller holds mm_users), made if need be.
 * ERR_PTR: -EINTR (a signal is pending: later), -ENOMEM, -ENOSPC (too many).
 * Takes mmap_lock for writing.
 */
struct uw_space *uw_space_get(struct mm_struct *mm);

/*
 * Add ranges, all or none; takes over their references if it returns 0.
 * The caller holds mmap_lock, so that none of them is unmapped meanwhile.
 * -EEXIST: overlaps a living range of the same set; -ENOSPC; -ENOMEM.
 */
int uw_space_add(struct uw_space *space, enum uw_space_set set,
		 const struct uw_range *ranges, u32 nr, gfp_t gfp);

/* End what overlaps [start, end). */
void uw_space_forget(struct uw_space *space, enum uw_space_set set, u64 start, u64 end);

/* End the bound range at start, or all of a section. -ENOENT. */
int uw_space_remove_start(struct uw_space *space, u64 start);
int uw_space_remove_section(struct uw_space *space, u64 section);

/* The living range that covers address, or NULL. Under rcu_read_lock(). */
const struct uw_range *uw_ranges_find(const struct uw_ranges *ranges, u64 address);

/* The same for mapped ranges; hint: where the last one was, which is likely again. */
static inline const struct uw_range *uw_ranges_find_near(const struct uw_ranges *ranges,
							 u64 address, u32 *hint)
{
	const struct uw_range *range;

	if (!ranges)
		return NULL;
	range = &ranges->range[*hint];
	if (*hint < ranges->nr && address - range->start < range->end - range->start &&
	    !READ_ONCE(range->dead))
		return range;
	range = uw_ranges_find(ranges, address);
	if (range)
		*hint = range - ranges->range;
	return range;
}

bool uw_space_has_bound(const struct uw_space *space);

/* The bound ranges, with a reference, or NULL. */
struct uw_ranges *uw_space_bound_get(struct uw_space *space);
void uw_ranges_put(struct uw_ranges *ranges);

u32 uw_space_count(void);
void uw_space_exit(void);

#endif

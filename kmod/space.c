// SPDX-License-Identifier: GPL-2.0
/*
 * Spaces: one per mm that was walked or that somebody bound ranges in.
 *
 * A space begins with the first walk and ends in two phases. uw_space_release()
 * runs when the mm is torn down (or uw_space_exit() when the module goes): no
 * new reader finds the space and its ranges are given back. Then the notifier
 * is put, and the kernel frees the object after its own grace period by the
 * kfree() that we gave it as ops.free_notifier: kernel text, which may run when
 * the module is long gone. Who may still be running in between: invalidations
 * of a live mm, which find no ranges; uw_space_exit() waits for them.
 */
#include <linux/hash.h>
#include <linux/mm.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include "file_store.h"
#include "space.h"
#include "table_store.h"

#define UW_SPACE_BUCKET_BITS 10
#define UW_MAX_SPACES 32768

static DEFINE_SPINLOCK(spaces_lock);
static struct hlist_head buckets[1 << UW_SPACE_BUCKET_BITS]; /* Protected by: spaces_lock */
static LIST_HEAD(reap_list);                                 /* Protected by: spaces_lock */
static atomic_t nr_spaces;

/* It was unmapped, or the table that was bound here is gone. */
static bool uw_range_is_dead(const struct uw_range *range)
{
	return READ_ONCE(range->dead) || (range->kept && READ_ONCE(range->kept->dead));
}

static void uw_range_put(const struct uw_range *range)
{
	if (range->file)
		uw_file_put(range->file);
	if (range->kept)
		uw_table_store_put(range->kept);
}

void uw_ranges_put(struct uw_ranges *ranges)
{
	u32 i;

	if (!ranges || !refcount_dec_and_test(&ranges->refs))
		return;
	for (i = 0; i < ranges->nr; i++)
		uw_range_put(&ranges->range[i]);
	kvfree_rcu(ranges, rcu);
}

/* The index of the first range that ends behind address. */
static u32 uw_ranges_index(const struct uw_ranges *ranges, u64 address)
{
	u32 low = 0, high = ranges->nr;

	while (low < high) {
		u32 middle = low + (high - low) / 2;

		if (ranges->range[middle].end <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

const struct uw_range *uw_ranges_find(const struct uw_ranges *ranges, u64 address)
{
	const struct uw_range *range;
	u32 i;

	if (!ranges)
		return NULL;
	i = uw_ranges_index(ranges, address);
	if (i == ranges->nr)
		return NULL;
	range = &ranges->range[i];
	return address >= range->start && !uw_range_is_dead(range) ? range : NULL;
}

static struct hlist_head *uw_space_bucket(struct mm_struct *mm)
{
	return &buckets[hash_ptr(mm, UW_SPACE_BUCKET_BITS)];
}

struct uw_space *uw_space_find(struct mm_struct *mm)
{
	struct uw_space *space, *found = NULL;

	rcu_read_lock();
	hlist_for_each_entry_rcu(space, uw_space_bucket(mm), node)
		if (space->mm == mm) {
			found = space;
			break;
		}
	rcu_read_unlock();
	return found;
}

static void uw_ranges_kill(struct uw_ranges *ranges, u64 start, u64 end)
{
	u32 i;

	if (!ranges)
		return;
	for (i = uw_ranges_index(ranges, start); i < ranges->nr; i++) {
		if (ranges->range[i].start >= end)
			break;
		WRITE_ONCE(ranges->range[i].dead, true);
	}
}

/* May run under reclaim and may not block: marks, and frees nothing. */
static int uw_space_invalidate(struct mmu_notifier *notifier,
			       const struct mmu_notifier_range *range)
{
	struct uw_space *space = container_of(notifier, struct uw_space, notifier);
	unsigned int i;

	if (range->event != MMU_NOTIFY_UNMAP)
		return 0;
	spin_lock(&space->lock);
	for (i = 0; i < UW_NR_SPACE_SETS; i++)
		uw_ranges_kill(rcu_dereference_protected(space->sets[i], true), range->start,
			       range->end);
	spin_unlock(&space->lock);
	return 0;
}

/* First phase of the end: whoever unhashed the space gives its ranges back. */
static void uw_space_make_dead(struct uw_space *space)
{
	struct uw_ranges *sets[UW_NR_SPACE_SETS];
	unsigned int i;

	spin_lock(&space->lock);
	for (i = 0; i < UW_NR_SPACE_SETS; i++)
		sets[i] = rcu_replace_pointer(space->sets[i], NULL, true);
	spin_unlock(&space->lock);
	for (i = 0; i < UW_NR_SPACE_SETS; i++)
		uw_ranges_put(sets[i]);
}

/* Second phase. Not from the notifier's own callbacks. */
static void uw_space_put(struct uw_space *space)
{
	atomic_dec(&nr_spaces);
	mmu_notifier_put(&space->notifier);
}

static void uw_space_reap(struct work_struct *work)
{
	struct uw_space *space, *next;
	LIST_HEAD(list);

	spin_lock(&spaces_lock);
	list_splice_init(&reap_list, &list);
	spin_unlock(&spaces_lock);
	list_for_each_entry_safe(space, next, &list, reap)
		uw_space_put(space);
}

static DECLARE_WORK(reap_work, uw_space_reap);

static void uw_space_release(struct mmu_notifier *notifier, struct mm_struct *mm)
{
	struct uw_space *space = container_of(notifier, struct uw_space, notifier);
	bool ours;

	spin_lock(&spaces_lock);
	ours = !hlist_unhashed(&space->node);
	if (ours)
		hlist_del_init_rcu(&space->node);
	spin_unlock(&spaces_lock);
	if (!ours)
		return;
	uw_space_make_dead(space);
	spin_lock(&spaces_lock);
	list_add(&space->reap, &reap_list);
	spin_unlock(&spaces_lock);
	schedule_work(&reap_work);
}

static struct uw_space *uw_space_create(struct mm_struct *mm)
{
	struct uw_space *space = kzalloc(sizeof(*space), GFP_NOWAIT | __GFP_NOWARN);

	if (!space)
		return NULL;
	space->mm = mm;
	spin_lock_init(&space->lock);
	space->ops.invalidate_range_start = uw_space_invalidate;
	space->ops.release = uw_space_release;
	space->ops.free_notifier = (void (*)(struct mmu_notifier *))(void *)kfree;
	space->notifier.ops = &space->ops;
	return space;
}

static struct uw_space *uw_space_get_locked(struct mm_struct *mm)
{
	struct uw_space *space = uw_space_find(mm);
	int err;

	if (space)
		return space;
	if (atomic_read(&nr_spaces) >= UW_MAX_SPACES)
		return ERR_PTR(-ENOSPC);
	space = uw_space_create(mm);
	if (!space)
		return ERR_PTR(-ENOMEM);
	err = __mmu_notifier_register(&space->notifier, mm);
	if (err) {
		kfree(space);
		return ERR_PTR(err);
	}
	atomic_inc(&nr_spaces);
	spin_lock(&spaces_lock);
	hlist_add_head_rcu(&space->node, uw_space_bucket(mm));
	spin_unlock(&spaces_lock);
	return space;
}

struct uw_space *uw_space_get(struct mm_struct *mm)
{
	struct uw_space *space = uw_space_find(mm);

	if (space)
		return space;
	if (mmap_write_lock_killable(mm))
		return ERR_PTR(-EINTR);
	space = uw_space_get_locked(mm);
	mmap_write_unlock(mm);
	return space;
}

/* Both sets in order, without the dead; no references yet. */
static int uw_ranges_merge(struct uw_ranges *merged, const struct uw_ranges *old,
			   const struct uw_range *ranges, u32 nr)
{
	u32 i = 0, j = 0, nr_old = old ? old->nr : 0;

	while (i < nr_old || j < nr) {
		const struct uw_range *next;

		if (i < nr_old && uw_range_is_dead(&old->range[i])) {
			i++;
			continue;
		}
		if (j == nr || (i < nr_old && old->range[i].start < ranges[j].start))
			next = &old->range[i++];
		else
			next = &ranges[j++];
		if (merged->nr && merged->range[merged->nr - 1].end > next->start)
			return -EEXIST;
		merged->range[merged->nr++] = *next;
	}
	return 0;
}

/* References for what is new in merged; those of nr ranges are the caller's. */
static void uw_ranges_get_refs(const struct uw_ranges *merged, const struct uw_range *ranges,
			       u32 nr)
{
	u32 i, j = 0;

	for (i = 0; i < merged->nr; i++) {
		const struct uw_range *range = &merged->range[i];

		if (j < nr && range->start == ranges[j].start) {
			j++;
			continue;
		}
		if (range->file)
			refcount_inc(&range->file->refs);
		if (range->kept)
			uw_table_store_get(range->kept);
	}
}

int uw_space_add(struct uw_space *space, enum uw_space_set set,
		 const struct uw_range *ranges, u32 nr, gfp_t gfp)
{
	struct uw_ranges __rcu **slot = &space->sets[set];
	struct uw_ranges *old, *merged;
	u32 room;
	int err;

	rcu_read_lock();
	old = rcu_dereference(*slot);
	room = (old ? old->nr : 0) + nr + 8;
	rcu_read_unlock();
	if (room > UW_MAX_SPACE_RANGES)
		return -ENOSPC;
	merged = kvzalloc(struct_size(merged, range, room), gfp);
	if (!merged)
		return -ENOMEM;
	refcount_set(&merged->refs, 1);
	spin_lock(&space->lock);
	old = rcu_dereference_protected(*slot, true);
	if ((old ? old->nr : 0) + nr > room)
		err = -ENOMEM; /* others added more than 8 meanwhile: next time */
	else
		err = uw_ranges_merge(merged, old, ranges, nr);
	if (!err) {
		uw_ranges_get_refs(merged, ranges, nr);
		rcu_assign_pointer(*slot, merged);
	}
	spin_unlock(&space->lock);
	if (err)
		kvfree(merged);
	else
		uw_ranges_put(old);
	return err;
}

void uw_space_forget(struct uw_space *space, enum uw_space_set set, u64 start, u64 end)
{
	spin_lock(&space->lock);
	uw_ranges_kill(rcu_dereference_protected(space->sets[set], true), start, end);
	spin_unlock(&space->lock);
}

/* Ends are only marked: the next merge drops them, and their references. */
static int uw_space_remove(struct uw_space *space, u64 start, u64 section)
{
	struct uw_ranges *ranges;
	int err = -ENOENT;
	u32 i;

	spin_lock(&space->lock);
	ranges = rcu_dereference_protected(space->sets[UW_SPACE_BOUND], true);
	for (i = 0; ranges && i < ranges->nr; i++) {
		struct uw_range *range = &ranges->range[i];

		if (range->dead || range->section != section ||
		    (!section && range->start != start))
			continue;
		WRITE_ONCE(range->dead, true);
		err = 0;
	}
	spin_unlock(&space->lock);
	if (!err)
		uw_space_add(space, UW_SPACE_BOUND, NULL, 0, GFP_KERNEL);
	return err;
}

int uw_space_remove_start(struct uw_space *space, u64 start)
{
	return uw_space_remove(space, start, 0);
}

int uw_space_remove_section(struct uw_space *space, u64 section)
{
	return section ? uw_space_remove(space, 0, section) : -ENOENT;
}

bool uw_space_has_bound(const struct uw_space *space)
{
	return rcu_access_pointer(space->sets[UW_SPACE_BOUND]);
}

struct uw_ranges *uw_space_bound_get(struct uw_space *space)
{
	struct uw_ranges *ranges;

	rcu_read_lock();
	ranges = rcu_dereference(space->sets[UW_SPACE_BOUND]);
	if (ranges && !refcount_inc_not_zero(&ranges->refs))
		ranges = NULL;
	rcu_read_unlock();
	return ranges;
}

u32 uw_space_count(void)
{
	return atomic_read(&nr_spaces);
}

static struct uw_space *uw_space_pop(struct hlist_head *bucket)
{
	struct uw_space *space;

	spin_lock(&spaces_lock);
	space = hlist_entry_safe(bucket->first, struct uw_space, node);
	if (space)
		hlist_del_init_rcu(&space->node);
	spin_unlock(&spaces_lock);
	return space;
}

void uw_space_exit(void)
{
	struct uw_space *space;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(buckets); i++)
		while ((space = uw_space_pop(&buckets[i]))) {
			uw_space_make_dead(space);
			uw_space_put(space);
		}
	mmu_notifier_synchronize();
	flush_work(&reap_work);
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Sorted arrays of ranges under RCU.
 *
 * Two kinds of sets are made of them. Bound ranges were asked for; they end one
 * by one, which is only marked, since a task that unmaps memory may neither allocate
 * nor wait. The mark is the number of the death: anyone who noted how many deaths there
 * had been knows for ever which ranges lived then. The next array that is made
 * leaves the dead out, and gives their references back.
 *
 * Mapped and readable ranges are a cache of VMAs. None of them dies: each says
 * when it was last compared with its VMA, and a new one takes the place of those
 * that it overlaps. What was unmapped and is never met again stays until the
 * cache is full, and then all of it goes.
 */
#include <linux/mm.h>
#include <linux/slab.h>

#include "stall.h"
#include "store/file_store.h"
#include "store/ranges.h"
#include "store/table_store.h"

#define UW_ADD_TRIES 16 /* in a set that others add to at the same time */
#define UW_ADD_SPARE 8  /* which may add so much meanwhile */

bool uw_range_was_dead(const struct uw_range *range, u64 death)
{
	u64 died = READ_ONCE(range->died);

	return (died && died <= death) || (range->stored && READ_ONCE(range->stored->dead));
}

static bool range_is_dead(const struct uw_range *range)
{
	return uw_range_was_dead(range, U64_MAX);
}

static void range_get(const struct uw_range *range)
{
	if (range->file)
		refcount_inc(&range->file->refs);
	if (range->stored)
		uw_table_store_bind_copy(range->stored);
}

static void range_put(const struct uw_range *range)
{
	if (range->file)
		uw_file_put(range->file);
	if (range->stored)
		uw_table_store_unbind(range->stored);
}

static struct uw_ranges *ranges_create(u32 room, gfp_t gfp)
{
	struct uw_ranges *ranges = kvzalloc(struct_size(ranges, range, room), gfp);

	if (ranges)
		refcount_set(&ranges->refs, 1);
	return ranges;
}

void uw_ranges_put(struct uw_ranges *ranges)
{
	u32 i;

	if (!ranges || !refcount_dec_and_test(&ranges->refs))
		return;
	for (i = 0; i < ranges->nr; i++)
		range_put(&ranges->range[i]);
	kvfree_rcu(ranges, rcu);
}

/* The index of the first range that ends after address. */
static u32 ranges_index(const struct uw_ranges *ranges, u64 address)
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
	u32 i;

	if (!ranges)
		return NULL;
	i = ranges_index(ranges, address);
	return i < ranges->nr && address >= ranges->range[i].start ? &ranges->range[i] : NULL;
}

const struct uw_range *uw_ranges_find_living(const struct uw_ranges *ranges, u64 address)
{
	const struct uw_range *range = uw_ranges_find(ranges, address);

	return range && !range_is_dead(range) ? range : NULL;
}

void uw_range_set_init(struct uw_range_set *set)
{
	spin_lock_init(&set->lock);
	RCU_INIT_POINTER(set->ranges, NULL);
	set->deaths = 0;
	set->changes = 0;
}

void uw_range_set_destroy(struct uw_range_set *set)
{
	uw_ranges_put(rcu_replace_pointer(set->ranges, NULL, true));
}

struct uw_ranges *uw_range_set_get(struct uw_range_set *set)
{
	struct uw_ranges *ranges;

	rcu_read_lock();
	do {
		ranges = rcu_dereference(set->ranges);
		uw_stall(UW_STALL_RANGES_SEEN);
	} while (ranges && !refcount_inc_not_zero(&ranges->refs));
	rcu_read_unlock();
	return ranges;
}

static struct uw_ranges *range_set_locked(struct uw_range_set *set)
{
	return rcu_dereference_protected(set->ranges, lockdep_is_held(&set->lock));
}

static void range_set_change(struct uw_range_set *set)
{
	lockdep_assert_held(&set->lock);
	smp_store_release(&set->changes, set->changes + 1);
}

/* Counted before, for those who find what is new, and after, for those who must not find what is old. */
static void range_set_publish(struct uw_range_set *set, struct uw_ranges *ranges)
{
	range_set_change(set);
	rcu_assign_pointer(set->ranges, ranges);
	range_set_change(set);
}

static u32 range_set_living(struct uw_range_set *set)
{
	const struct uw_ranges *ranges;
	u32 i, living = 0;

	rcu_read_lock();
	ranges = rcu_dereference(set->ranges);
	for (i = 0; ranges && i < ranges->nr; i++)
		living += !range_is_dead(&ranges->range[i]);
	rcu_read_unlock();
	return living;
}

/* Both sets in order, without the dead; no references yet. -EAGAIN: no room. */
static int ranges_merge(struct uw_ranges *merged, u32 room, const struct uw_ranges *old, const struct uw_range *ranges,
			u32 nr)
{
	u32 i = 0, j = 0, nr_old = old ? old->nr : 0;

	while (i < nr_old || j < nr) {
		const struct uw_range *next;

		if (i < nr_old && range_is_dead(&old->range[i])) {
			i++;
			continue;
		}
		if (j == nr || (i < nr_old && old->range[i].start < ranges[j].start))
			next = &old->range[i++];
		else
			next = &ranges[j++];
		if (merged->nr && merged->range[merged->nr - 1].end > next->start)
			return -EEXIST;
		if (merged->nr == room)
			return -EAGAIN;
		merged->range[merged->nr++] = *next;
	}
	return 0;
}

/* References for what is new in merged; those of nr ranges are the caller's. */
static void ranges_get_refs(const struct uw_ranges *merged, const struct uw_range *ranges, u32 nr)
{
	u32 i, j = 0;

	for (i = 0; i < merged->nr; i++) {
		if (j < nr && merged->range[i].start == ranges[j].start)
			j++;
		else
			range_get(&merged->range[i]);
	}
}

/* -EAGAIN: others have added too much since room was reckoned. */
static int range_set_try_add(struct uw_range_set *set, const struct uw_range *ranges, u32 nr, u32 room, gfp_t gfp)
{
	struct uw_ranges *old, *merged = ranges_create(room, gfp);
	int err;

	if (!merged)
		return -ENOMEM;
	spin_lock(&set->lock);
	old = range_set_locked(set);
	err = ranges_merge(merged, room, old, ranges, nr);
	if (!err) {
		ranges_get_refs(merged, ranges, nr);
		range_set_publish(set, merged);
	}
	spin_unlock(&set->lock);
	if (err)
		kvfree(merged);
	else
		uw_ranges_put(old);
	return err;
}

int uw_range_set_add(struct uw_range_set *set, const struct uw_range *ranges, u32 nr, u32 max, gfp_t gfp)
{
	int err = -EAGAIN, i;

	for (i = 0; i < UW_ADD_TRIES && err == -EAGAIN; i++) {
		u32 room = range_set_living(set) + nr;

		if (room > max)
			return -ENOSPC;
		room = min(room + UW_ADD_SPARE, max);
		err = range_set_try_add(set, ranges, nr, room, gfp);
	}
	return err == -EAGAIN ? -ENOMEM : err;
}

static bool ranges_overlap(const struct uw_range *a, const struct uw_range *b)
{
	return a->start < b->end && b->start < a->end;
}

/* The range among those of old that it does not overlap, or alone. */
static void ranges_place(struct uw_ranges *placed, u32 room, const struct uw_ranges *old, const struct uw_range *range)
{
	u32 i = 0, nr_old = old && old->nr < room ? old->nr : 0;

	for (; i < nr_old && old->range[i].end <= range->start; i++)
		placed->range[placed->nr++] = old->range[i];
	placed->range[placed->nr++] = *range;
	for (; i < nr_old; i++)
		if (!ranges_overlap(&old->range[i], range))
			placed->range[placed->nr++] = old->range[i];
}

int uw_range_set_replace(struct uw_range_set *set, const struct uw_range *range, u32 max)
{
	struct uw_ranges *old, *placed;
	u32 room;

	rcu_read_lock();
	old = rcu_dereference(set->ranges);
	room = min((old ? old->nr : 0) + 1 + UW_ADD_SPARE, max);
	rcu_read_unlock();
	placed = ranges_create(room, GFP_NOWAIT | __GFP_NOWARN | __GFP_ACCOUNT);
	if (!placed)
		return -ENOMEM;
	spin_lock(&set->lock);
	old = range_set_locked(set);
	ranges_place(placed, room, old, range);
	ranges_get_refs(placed, range, 1);
	range_set_publish(set, placed);
	spin_unlock(&set->lock);
	uw_ranges_put(old);
	return 0;
}

void uw_range_set_kill(struct uw_range_set *set, u64 start, u64 end)
{
	struct uw_ranges *ranges;
	u32 i;

	spin_lock(&set->lock);
	ranges = range_set_locked(set);
	for (i = ranges ? ranges_index(ranges, start) : 0; ranges && i < ranges->nr; i++) {
		struct uw_range *range = &ranges->range[i];

		if (range->start >= end)
			break;
		if (!range->died)
			WRITE_ONCE(range->died, set->deaths + 1);
	}
	WRITE_ONCE(set->deaths, set->deaths + 1);
	range_set_change(set);
	spin_unlock(&set->lock);
}

/* Ends are only marked: making the array anew drops them, and their references. */
static int range_set_remove(struct uw_range_set *set, u64 start, u64 section)
{
	struct uw_ranges *ranges;
	int err = -ENOENT;
	u32 i;

	spin_lock(&set->lock);
	ranges = range_set_locked(set);
	for (i = 0; ranges && i < ranges->nr; i++) {
		struct uw_range *range = &ranges->range[i];

		if (range->died || range->section != section || (!section && range->start != start))
			continue;
		WRITE_ONCE(range->died, set->deaths + 1);
		err = 0;
	}
	WRITE_ONCE(set->deaths, set->deaths + 1);
	range_set_change(set);
	spin_unlock(&set->lock);
	if (!err)
		uw_range_set_add(set, NULL, 0, U32_MAX, GFP_KERNEL_ACCOUNT);
	return err;
}

int uw_range_set_remove_start(struct uw_range_set *set, u64 start)
{
	return range_set_remove(set, start, 0);
}

int uw_range_set_remove_section(struct uw_range_set *set, u64 section)
{
	return section ? range_set_remove(set, 0, section) : -ENOENT;
}

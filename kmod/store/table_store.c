// SPDX-License-Identifier: GPL-2.0
/*
 * Kept tables: numbers, references, the budget.
 */
#include <linux/atomic.h>
#include <linux/cred.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/slab.h>

#include "access/quota.h"
#include "store/table_store.h"
#include "uwind.h"

static DEFINE_MUTEX(store_mutex);
static LIST_HEAD(all_tables); /* Protected by: store_mutex. Order: rising numbers */
static u32 last_number;       /* Protected by: store_mutex                      */
static atomic64_t bytes_used;
static atomic64_t nr_refused;
static atomic64_t nr_distrusted;
static atomic_t nr_tables;

static int uw_budget_take(u64 bytes)
{
	if ((u64)atomic64_add_return(bytes, &bytes_used) <= uw_quota_table_budget())
		return 0;
	atomic64_sub(bytes, &bytes_used);
	atomic64_inc(&nr_refused);
	return -ENOSPC;
}

/* The user's part, all users' part, and what everybody shares. */
static int uw_charge(const struct uw_maker *maker, u64 bytes)
{
	int err = uw_quota_charge_table(maker->quota, bytes, maker->viewer);

	if (err)
		return err;
	err = uw_budget_take(bytes);
	if (err)
		uw_quota_uncharge_table(maker->quota, bytes);
	return err;
}

static void uw_uncharge(struct uw_quota *quota, u64 bytes)
{
	atomic64_sub(bytes, &bytes_used);
	uw_quota_uncharge_table(quota, bytes);
}

/* The table in memory of its own. ERR_PTR: -ENOMEM, -EINTR. */
static struct uw_kept *uw_kept_build(const struct uw_draft *draft, u64 bytes)
{
	struct uw_kept *kept = kvmalloc(bytes, GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
	int err;

	if (!kept)
		return ERR_PTR(-ENOMEM);
	memset(kept, 0, sizeof(*kept));
	err = uw_table_build(&kept->table, kept->memory, draft);
	if (!err)
		return kept;
	kvfree(kept);
	return ERR_PTR(err);
}

struct uw_kept *uw_table_store_add(const struct uw_draft *draft, u8 method, enum uw_arch arch,
				   const struct uw_maker *maker)
{
	u64 bytes = sizeof(struct uw_kept) + uw_table_bytes(draft);
	struct uw_kept *kept;
	int err = uw_charge(maker, bytes);

	if (err)
		return ERR_PTR(err);
	kept = uw_kept_build(draft, bytes);
	if (IS_ERR(kept)) {
		uw_uncharge(maker->quota, bytes);
		return kept;
	}
	refcount_set(&kept->refs, 1);
	INIT_LIST_HEAD(&kept->tied);
	kept->method = method;
	kept->arch = arch;
	kept->bytes = bytes;
	kept->maker = *maker;
	if (maker->viewer)
		get_cred(maker->viewer);
	kept->owner_pid = task_tgid_nr(current);
	atomic_inc(&nr_tables);
	mutex_lock(&store_mutex);
	kept->number = ++last_number;
	list_add_tail(&kept->all, &all_tables);
	mutex_unlock(&store_mutex);
	return kept;
}

void uw_table_store_put(struct uw_kept *kept)
{
	if (!refcount_dec_and_test(&kept->refs))
		return;
	uw_uncharge(kept->maker.quota, kept->bytes);
	put_cred(kept->maker.viewer);
	atomic_dec(&nr_tables);
	kvfree_rcu(kept, rcu);
}

int uw_table_store_bind(struct uw_kept *kept)
{
	int err = uw_quota_charge(kept->maker.quota, UW_QUOTA_RANGES, 1);

	if (!err)
		uw_table_store_get(kept);
	return err;
}

void uw_table_store_bind_copy(struct uw_kept *kept)
{
	uw_quota_charge_copy(kept->maker.quota, UW_QUOTA_RANGES, 1);
	uw_table_store_get(kept);
}

void uw_table_store_unbind(struct uw_kept *kept)
{
	uw_quota_uncharge(kept->maker.quota, UW_QUOTA_RANGES, 1);
	uw_table_store_put(kept);
}

struct uw_kept *uw_table_store_find(const void *owner, u32 number)
{
	struct uw_kept *kept, *found = NULL;

	mutex_lock(&store_mutex);
	list_for_each_entry(kept, &all_tables, all) {
		if (kept->number != number || kept->maker.owner != owner)
			continue;
		uw_table_store_get(kept);
		found = kept;
		break;
	}
	mutex_unlock(&store_mutex);
	return found;
}

static bool uw_kept_shown(const struct uw_kept *kept, const struct cred *viewer)
{
	return !viewer || (kept->maker.viewer && uw_viewer_is(kept->maker.viewer, viewer));
}

struct uw_kept *uw_table_store_next(const struct cred *viewer, u32 after)
{
	struct uw_kept *kept, *found = NULL;

	mutex_lock(&store_mutex);
	list_for_each_entry(kept, &all_tables, all) {
		if (kept->number <= after || !uw_kept_shown(kept, viewer))
			continue;
		uw_table_store_get(kept);
		found = kept;
		break;
	}
	mutex_unlock(&store_mutex);
	return found;
}

bool uw_table_store_distrust(struct uw_kept *kept)
{
	if (xchg(&kept->dead, true))
		return false;
	atomic64_inc(&nr_distrusted);
	return true;
}

struct uw_kept *uw_table_store_take(const void *owner, u32 number)
{
	struct uw_kept *kept, *found = NULL;

	mutex_lock(&store_mutex);
	list_for_each_entry(kept, &all_tables, all) {
		if (kept->number != number || kept->maker.owner != owner)
			continue;
		list_del(&kept->all);
		found = kept;
		break;
	}
	mutex_unlock(&store_mutex);
	return found;
}

void uw_table_store_take_all(const void *owner, struct list_head *taken)
{
	struct uw_kept *kept, *next;

	mutex_lock(&store_mutex);
	list_for_each_entry_safe(kept, next, &all_tables, all)
		if (kept->maker.owner == owner)
			list_move_tail(&kept->all, taken);
	mutex_unlock(&store_mutex);
}

void uw_table_store_disown(struct uw_kept *kept)
{
	mutex_lock(&store_mutex);
	list_del(&kept->all);
	mutex_unlock(&store_mutex);
	uw_table_store_put(kept);
}

void uw_table_store_stats(struct uwind_stats *stats)
{
	stats->nr_tables = atomic_read(&nr_tables);
	stats->table_bytes = atomic64_read(&bytes_used);
	stats->table_budget_bytes = uw_quota_table_budget();
	stats->tables_refused = atomic64_read(&nr_refused);
	stats->tables_distrusted = atomic64_read(&nr_distrusted);
}

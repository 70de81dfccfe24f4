// SPDX-License-Identifier: GPL-2.0
/*
 * Stored tables: numbers, references, the budget.
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
static u32 last_number;       /* Protected by: store_mutex */
static atomic64_t bytes_used;
static atomic64_t nr_refused;
static atomic64_t nr_corrupt;
static atomic_t nr_tables;

static int budget_take(u64 bytes)
{
	if ((u64)atomic64_add_return(bytes, &bytes_used) <= uw_quota_table_budget())
		return 0;
	atomic64_sub(bytes, &bytes_used);
	atomic64_inc(&nr_refused);
	return -ENOSPC;
}

/* The user's part, all users' part, and what everybody shares. */
static int charge_table(const struct uw_maker *maker, u64 bytes)
{
	int err = uw_quota_charge_table(maker->quota, bytes, maker->viewer);

	if (err)
		return err;
	err = budget_take(bytes);
	if (err)
		uw_quota_uncharge_table(maker->quota, bytes);
	return err;
}

static void uncharge_table(struct uw_quota *quota, u64 bytes)
{
	atomic64_sub(bytes, &bytes_used);
	uw_quota_uncharge_table(quota, bytes);
}

/* The table in memory of its own. ERR_PTR: -ENOMEM, -EINTR. */
static struct uw_stored_table *stored_table_build(const struct uw_draft *draft, const struct uw_table_form *form,
						  u64 bytes)
{
	struct uw_stored_table *stored = kvmalloc(bytes, GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
	int err;

	if (!stored)
		return ERR_PTR(-ENOMEM);
	memset(stored, 0, sizeof(*stored));
	err = uw_table_build(&stored->table, stored->memory, draft, form);
	if (!err)
		return stored;
	kvfree(stored);
	return ERR_PTR(err);
}

struct uw_stored_table *uw_table_store_add(const struct uw_draft *draft, u8 method, enum uw_arch arch,
					   const struct uw_maker *maker)
{
	const struct uw_table_form form = uw_table_form_of(draft);
	u64 bytes = sizeof(struct uw_stored_table) + form.bytes;
	struct uw_stored_table *stored;
	int err;

	might_sleep();
	err = charge_table(maker, bytes);
	if (err)
		return ERR_PTR(err);
	stored = stored_table_build(draft, &form, bytes);
	if (IS_ERR(stored)) {
		uncharge_table(maker->quota, bytes);
		return stored;
	}
	refcount_set(&stored->refs, 1);
	INIT_LIST_HEAD(&stored->tied);
	stored->method = method;
	stored->arch = arch;
	stored->bytes = bytes;
	stored->maker = *maker;
	if (maker->viewer)
		get_cred(maker->viewer);
	stored->owner_pid = task_tgid_nr(current);
	atomic_inc(&nr_tables);
	mutex_lock(&store_mutex);
	stored->number = ++last_number;
	list_add_tail(&stored->all, &all_tables);
	mutex_unlock(&store_mutex);
	return stored;
}

void uw_table_store_put(struct uw_stored_table *stored)
{
	if (!refcount_dec_and_test(&stored->refs))
		return;
	uncharge_table(stored->maker.quota, stored->bytes);
	put_cred(stored->maker.viewer);
	atomic_dec(&nr_tables);
	kvfree_rcu(stored, rcu);
}

int uw_table_store_bind(struct uw_stored_table *stored)
{
	int err = uw_quota_charge(stored->maker.quota, UW_QUOTA_RANGES, 1);

	if (!err)
		uw_table_store_get(stored);
	return err;
}

void uw_table_store_bind_copy(struct uw_stored_table *stored)
{
	uw_quota_charge_copy(stored->maker.quota, UW_QUOTA_RANGES, 1);
	uw_table_store_get(stored);
}

void uw_table_store_unbind(struct uw_stored_table *stored)
{
	uw_quota_uncharge(stored->maker.quota, UW_QUOTA_RANGES, 1);
	uw_table_store_put(stored);
}

static struct uw_stored_table *find_owned(const void *owner, u32 number)
{
	struct uw_stored_table *stored;

	lockdep_assert_held(&store_mutex);
	list_for_each_entry(stored, &all_tables, all)
		if (stored->number == number && stored->maker.owner == owner)
			return stored;
	return NULL;
}

struct uw_stored_table *uw_table_store_find(const void *owner, u32 number)
{
	struct uw_stored_table *stored;

	mutex_lock(&store_mutex);
	stored = find_owned(owner, number);
	if (stored)
		uw_table_store_get(stored);
	mutex_unlock(&store_mutex);
	return stored;
}

static bool stored_table_shown(const struct uw_stored_table *stored, const struct cred *viewer)
{
	return !viewer || (stored->maker.viewer && uw_viewer_is(stored->maker.viewer, viewer));
}

struct uw_stored_table *uw_table_store_next(const struct cred *viewer, u32 after)
{
	struct uw_stored_table *stored, *found = NULL;

	mutex_lock(&store_mutex);
	list_for_each_entry(stored, &all_tables, all) {
		if (stored->number <= after || !stored_table_shown(stored, viewer))
			continue;
		uw_table_store_get(stored);
		found = stored;
		break;
	}
	mutex_unlock(&store_mutex);
	return found;
}

bool uw_table_store_mark_corrupt(struct uw_stored_table *stored)
{
	if (xchg(&stored->dead, true))
		return false;
	atomic64_inc(&nr_corrupt);
	return true;
}

struct uw_stored_table *uw_table_store_take(const void *owner, u32 number)
{
	struct uw_stored_table *stored;

	mutex_lock(&store_mutex);
	stored = find_owned(owner, number);
	if (stored)
		list_del(&stored->all);
	mutex_unlock(&store_mutex);
	return stored;
}

void uw_table_store_take_all(const void *owner, struct list_head *taken)
{
	struct uw_stored_table *stored, *next;

	mutex_lock(&store_mutex);
	list_for_each_entry_safe(stored, next, &all_tables, all)
		if (stored->maker.owner == owner)
			list_move_tail(&stored->all, taken);
	mutex_unlock(&store_mutex);
}

void uw_table_store_disown(struct uw_stored_table *stored)
{
	mutex_lock(&store_mutex);
	list_del(&stored->all);
	mutex_unlock(&store_mutex);
	uw_table_store_put(stored);
}

void uw_table_store_stats(struct uwind_stats *stats)
{
	stats->nr_tables = atomic_read(&nr_tables);
	stats->table_bytes = atomic64_read(&bytes_used);
	stats->table_budget_bytes = uw_quota_table_budget();
	stats->tables_refused = atomic64_read(&nr_refused);
	stats->tables_distrusted = atomic64_read(&nr_corrupt);
}

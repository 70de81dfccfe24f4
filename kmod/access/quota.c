// SPDX-License-Identifier: GPL-2.0
/*
 * Accounts: one exists as long as somebody refers to it, or anything is charged to it.
 *
 * The kernel frees a counter by RCU, and on an overloaded processor callbacks wait for
 * long: the thread that calls them gets its share and no more. A user who starts and stops
 * sessions meanwhile would have many times as many counters as are allowed. So a counter
 * that was given up stays charged until an RCU callback that was queued after its own has run.
 */
#include <linux/bug.h>
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/list.h>
#include <linux/minmax.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/uidgid.h>
#include <linux/user_namespace.h>

#include "access/quota.h"
#include "resident.h"

#define UW_QUOTA_PARTS   4    /* one user's is at most so much of what all have */
#define UW_QUOTA_ASKED   1024 /* requests of one user */
#define UW_QUOTA_COUNTED 4096 /* counters of one user's threads */

static unsigned int table_budget_mib = 256;
module_param(table_budget_mib, uint, 0644);
MODULE_PARM_DESC(table_budget_mib, "memory for tables, MiB; more are refused (256)");

static unsigned int max_files = 16384;
module_param(max_files, uint, 0644);
MODULE_PARM_DESC(max_files, "files that are tracked at once (16384)");

static unsigned int self_quota_kib = 16384;
module_param(self_quota_kib, uint, 0644);
MODULE_PARM_DESC(self_quota_kib, "table memory of one user's own sections, KiB (16384)");

static unsigned int self_quota_tables = 1024;
module_param(self_quota_tables, uint, 0644);
MODULE_PARM_DESC(self_quota_tables, "number of one user's own sections (1024)");

static unsigned int member_quota_kib = 32768;
module_param(member_quota_kib, uint, 0644);
MODULE_PARM_DESC(member_quota_kib, "table memory of one user who opens /dev/uwind without privilege, KiB (32768)");

static unsigned int input_quota_kib = 65536;
module_param(input_quota_kib, uint, 0644);
MODULE_PARM_DESC(input_quota_kib, "memory that making one user's table takes, KiB (65536)");

static unsigned int range_quota = 65536;
module_param(range_quota, uint, 0644);
MODULE_PARM_DESC(range_quota, "ranges that one user's tables are bound to (65536)");

static unsigned int space_quota = 4096;
module_param(space_quota, uint, 0644);
MODULE_PARM_DESC(space_quota, "processes of one user of which mappings are remembered (4096)");

/* Lifetime: while refs or used is not 0, or a counter is not freed yet. */
struct uw_quota {
	struct list_head node;                /* Protected by: quota_lock */
	kuid_t uid;                           /* Set once */
	u32 refs;                             /* Protected by: quota_lock */
	u64 used[UW_NR_QUOTAS];               /* Protected by: quota_lock */
	struct uw_resident_account *counters; /* given up, and not freed yet. Holds a reference. Set once */
	struct mutex input; /* held while a table of the user is made. Order: outside all other locks */
};

struct uw_limit {
	u64 part; /* of one user */
	u64 all;  /* of all users without privilege */
};

static DEFINE_SPINLOCK(quota_lock);
static LIST_HEAD(quotas);                        /* Protected by: quota_lock */
static u64 all_used[UW_NR_QUOTAS];               /* Protected by: quota_lock */
static struct uw_resident_account *all_counters; /* of all quotas. Set once */

u64 uw_quota_table_budget(void)
{
	return (u64)READ_ONCE(table_budget_mib) << 20;
}

u32 uw_quota_max_files(void)
{
	return READ_ONCE(max_files);
}

/* Half of what there is, of which one user may have a quarter, and no more than wanted. */
static struct uw_limit limit_half(u64 all, u64 wanted)
{
	return (struct uw_limit){ min(wanted, all / 2 / UW_QUOTA_PARTS), all / 2 };
}

static struct uw_limit limit_parts(u64 part)
{
	return (struct uw_limit){ part, part * UW_QUOTA_PARTS };
}

static struct uw_limit limit_bytes(bool member)
{
	u64 kib = member ? READ_ONCE(member_quota_kib) : READ_ONCE(self_quota_kib);

	return limit_half(uw_quota_table_budget(), kib << 10);
}

static struct uw_limit limit_of(enum uw_quota_kind kind)
{
	switch (kind) {
	case UW_QUOTA_TABLES:
		return limit_parts(READ_ONCE(self_quota_tables));
	case UW_QUOTA_INPUT:
		return limit_parts((u64)READ_ONCE(input_quota_kib) << 10);
	case UW_QUOTA_FILES:
		return limit_half(uw_quota_max_files(), U64_MAX);
	case UW_QUOTA_RANGES:
		return limit_parts(READ_ONCE(range_quota));
	case UW_QUOTA_ASKS:
		return limit_parts(UW_QUOTA_ASKED);
	case UW_QUOTA_COUNTERS:
		return limit_parts(UW_QUOTA_COUNTED);
	case UW_QUOTA_SPACES:
		return limit_parts(READ_ONCE(space_quota));
	default:
		return limit_bytes(false);
	}
}

/*
 * Up through the namespaces that current is in: the user who made one answers for all of
 * its ids. Of one that root made, its own root does, unless that is root, too.
 */
kuid_t uw_quota_user(const struct cred *cred)
{
	struct user_namespace *ns = cred->user_ns;
	kuid_t uid = cred->uid;

	for (; ns->parent; ns = ns->parent) {
		kuid_t root = make_kuid(ns, 0);

		if (!uid_eq(ns->owner, GLOBAL_ROOT_UID))
			uid = ns->owner;
		else if (uid_valid(root) && !uid_eq(root, GLOBAL_ROOT_UID))
			uid = root;
	}
	return uid;
}

static struct uw_quota *quota_find_locked(kuid_t uid)
{
	struct uw_quota *quota;

	lockdep_assert_held(&quota_lock);
	list_for_each_entry(quota, &quotas, node)
		if (uid_eq(quota->uid, uid))
			return quota;
	return NULL;
}

static struct uw_resident_account *quota_create_account(struct uw_resident_account *all, gfp_t gfp)
{
	struct uw_resident_account *account = kzalloc(sizeof(*account), gfp);

	if (!account)
		return NULL;
	refcount_set(&account->refs, 1);
	if (all)
		refcount_inc(&all->refs);
	account->all = all;
	return account;
}

static void quota_free(struct uw_quota *quota)
{
	if (!quota)
		return;
	uw_resident_account_put(quota->counters);
	kfree(quota);
}

static struct uw_quota *quota_create(kuid_t uid, gfp_t gfp)
{
	struct uw_quota *quota = kzalloc(sizeof(*quota), gfp);

	if (!quota)
		return NULL;
	quota->uid = uid;
	mutex_init(&quota->input);
	quota->counters = quota_create_account(all_counters, gfp);
	if (!quota->counters) {
		kfree(quota);
		return NULL;
	}
	return quota;
}

/* But for counters that are not freed yet. */
static bool quota_is_idle(const struct uw_quota *quota)
{
	u32 i;

	for (i = 0; i < UW_NR_QUOTAS; i++)
		if (quota->used[i])
			return false;
	return !quota->refs;
}

static void quota_end_locked(struct uw_quota *quota)
{
	lockdep_assert_held(&quota_lock);
	if (!quota_is_idle(quota) || atomic64_read(&quota->counters->owed))
		return;
	list_del(&quota->node);
	quota_free(quota);
}

/* Nothing reports when the last counter of one is freed. */
static void quota_end_idle_locked(void)
{
	struct uw_quota *quota, *next;

	lockdep_assert_held(&quota_lock);
	list_for_each_entry_safe(quota, next, &quotas, node)
		quota_end_locked(quota);
}

static struct uw_quota *quota_get_known(kuid_t uid)
{
	struct uw_quota *quota;

	spin_lock(&quota_lock);
	quota = quota_find_locked(uid);
	if (quota)
		quota->refs++;
	spin_unlock(&quota_lock);
	return quota;
}

/* Somebody else may have been faster: then fresh is freed. */
static struct uw_quota *quota_add(struct uw_quota *fresh)
{
	struct uw_quota *quota;

	spin_lock(&quota_lock);
	quota_end_idle_locked();
	quota = quota_find_locked(fresh->uid);
	if (!quota) {
		list_add(&fresh->node, &quotas);
		quota = fresh;
		fresh = NULL;
	}
	quota->refs++;
	spin_unlock(&quota_lock);
	quota_free(fresh);
	return quota;
}

struct uw_quota *uw_quota_get(gfp_t gfp)
{
	kuid_t uid = uw_quota_user(current_cred());
	struct uw_quota *quota = quota_get_known(uid);

	if (quota)
		return quota;
	quota = quota_create(uid, gfp);
	return quota ? quota_add(quota) : NULL;
}

void uw_quota_put(struct uw_quota *quota)
{
	spin_lock(&quota_lock);
	quota->refs--;
	quota_end_locked(quota);
	spin_unlock(&quota_lock);
}

static u64 quota_owed(const struct uw_resident_account *counters, enum uw_quota_kind kind)
{
	return kind == UW_QUOTA_COUNTERS ? atomic64_read(&counters->owed) : 0;
}

static int quota_check_locked(const struct uw_quota *quota, enum uw_quota_kind kind, u64 amount, struct uw_limit limit)
{
	u64 owed = quota_owed(quota->counters, kind), all_owed = quota_owed(all_counters, kind);

	lockdep_assert_held(&quota_lock);
	if (amount > limit.part || quota->used[kind] + owed > limit.part - amount)
		return -EDQUOT;
	return all_used[kind] + all_owed > limit.all - amount ? -ENOSPC : 0;
}

static void quota_add_locked(struct uw_quota *quota, enum uw_quota_kind kind, u64 amount)
{
	lockdep_assert_held(&quota_lock);
	quota->used[kind] += amount;
	all_used[kind] += amount;
}

static void quota_sub_locked(struct uw_quota *quota, enum uw_quota_kind kind, u64 amount)
{
	lockdep_assert_held(&quota_lock);
	quota->used[kind] -= amount;
	all_used[kind] -= amount;
}

int uw_quota_charge(struct uw_quota *quota, enum uw_quota_kind kind, u64 amount)
{
	int err;

	if (!quota)
		return 0;
	spin_lock(&quota_lock);
	err = quota_check_locked(quota, kind, amount, limit_of(kind));
	if (!err)
		quota_add_locked(quota, kind, amount);
	spin_unlock(&quota_lock);
	return err;
}

void uw_quota_charge_copy(struct uw_quota *quota, enum uw_quota_kind kind, u64 amount)
{
	if (!quota)
		return;
	spin_lock(&quota_lock);
	quota_add_locked(quota, kind, amount);
	spin_unlock(&quota_lock);
}

void uw_quota_uncharge(struct uw_quota *quota, enum uw_quota_kind kind, u64 amount)
{
	if (!quota)
		return;
	spin_lock(&quota_lock);
	quota_sub_locked(quota, kind, amount);
	quota_end_locked(quota);
	spin_unlock(&quota_lock);
}

struct uw_resident_debt *uw_quota_charge_counter(struct uw_quota *quota)
{
	struct uw_resident_debt *debt;
	int err;

	might_sleep();
	debt = kmalloc(sizeof(*debt), GFP_KERNEL_ACCOUNT);
	err = debt ? uw_quota_charge(quota, UW_QUOTA_COUNTERS, 1) : -ENOMEM;
	if (err) {
		kfree(debt);
		return ERR_PTR(err);
	}
	debt->account = quota->counters;
	refcount_inc(&quota->counters->refs);
	return debt;
}

void uw_quota_settle_counter(struct uw_quota *quota, struct uw_resident_debt *debt)
{
	atomic64_inc(&quota->counters->owed);
	atomic64_inc(&all_counters->owed);
	uw_quota_uncharge(quota, UW_QUOTA_COUNTERS, 1);
	call_rcu(&debt->rcu, uw_resident1_settle);
}

int uw_quota_charge_table(struct uw_quota *quota, u64 bytes, bool member)
{
	int err;

	if (!quota)
		return 0;
	spin_lock(&quota_lock);
	err = quota_check_locked(quota, UW_QUOTA_TABLES, 1, limit_of(UW_QUOTA_TABLES));
	if (!err)
		err = quota_check_locked(quota, UW_QUOTA_BYTES, bytes, limit_bytes(member));
	if (!err) {
		quota_add_locked(quota, UW_QUOTA_TABLES, 1);
		quota_add_locked(quota, UW_QUOTA_BYTES, bytes);
	}
	spin_unlock(&quota_lock);
	return err;
}

void uw_quota_uncharge_table(struct uw_quota *quota, u64 bytes)
{
	if (!quota)
		return;
	spin_lock(&quota_lock);
	quota_sub_locked(quota, UW_QUOTA_TABLES, 1);
	quota_sub_locked(quota, UW_QUOTA_BYTES, bytes);
	quota_end_locked(quota);
	spin_unlock(&quota_lock);
}

int uw_quota_begin_input(struct uw_quota *quota)
{
	might_sleep();
	return quota ? mutex_lock_killable(&quota->input) : 0;
}

void uw_quota_end_input(struct uw_quota *quota)
{
	if (quota)
		mutex_unlock(&quota->input);
}

int uw_quota_init(void)
{
	all_counters = quota_create_account(NULL, GFP_KERNEL);
	return all_counters ? 0 : -ENOMEM;
}

/* Those of which counters are not freed yet are still there. */
void uw_quota_exit(void)
{
	struct uw_quota *quota, *next;

	list_for_each_entry_safe(quota, next, &quotas, node) {
		WARN_ON_ONCE(!quota_is_idle(quota));
		quota_free(quota);
	}
	uw_resident_account_put(all_counters);
}

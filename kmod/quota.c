// SPDX-License-Identifier: GPL-2.0
/*
 * Accounts per user: an entry exists as long as its user holds a table or a file.
 */
#include <linux/cred.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/uidgid.h>

#include "quota.h"

#define UW_QUOTA_ASKS 1024 /* requests that SESSION_ASK made and nobody answered yet */

static unsigned int self_quota_kib = 16384;
module_param(self_quota_kib, uint, 0644);
MODULE_PARM_DESC(self_quota_kib, "table memory of one user's own sections, KiB (16384)");

static unsigned int self_quota_tables = 1024;
module_param(self_quota_tables, uint, 0644);
MODULE_PARM_DESC(self_quota_tables, "number of one user's own sections (1024)");

static unsigned int member_quota_kib = 65536;
module_param(member_quota_kib, uint, 0644);
MODULE_PARM_DESC(member_quota_kib, "table memory of one user who opens /dev/uwind without privilege, KiB (65536)");

struct uw_quota {
	struct list_head node; /* Protected by: quota_lock, like all members but input */
	kuid_t uid;
	u32 refs;
	u32 tables;
	u32 files;
	u32 asks;
	u64 bytes;
	struct mutex input;    /* one section of a user is copied and read at a time */
};

static DEFINE_SPINLOCK(quota_lock);
static LIST_HEAD(quotas);

static struct uw_quota *uw_quota_find_locked(kuid_t uid)
{
	struct uw_quota *quota;

	list_for_each_entry(quota, &quotas, node)
		if (uid_eq(quota->uid, uid))
			return quota;
	return NULL;
}

struct uw_quota *uw_quota_get(gfp_t gfp)
{
	struct uw_quota *fresh = kzalloc(sizeof(*fresh), gfp), *quota;

	spin_lock(&quota_lock);
	quota = uw_quota_find_locked(current_uid());
	if (!quota && fresh) {
		quota = fresh;
		fresh = NULL;
		quota->uid = current_uid();
		mutex_init(&quota->input);
		list_add(&quota->node, &quotas);
	}
	if (quota)
		quota->refs++;
	spin_unlock(&quota_lock);
	kfree(fresh);
	return quota;
}

static void uw_quota_put_locked(struct uw_quota *quota)
{
	if (--quota->refs)
		return;
	list_del(&quota->node);
	kfree(quota);
}

void uw_quota_put(struct uw_quota *quota)
{
	spin_lock(&quota_lock);
	uw_quota_put_locked(quota);
	spin_unlock(&quota_lock);
}

static u64 uw_quota_limit(bool member)
{
	return (u64)(member ? READ_ONCE(member_quota_kib) : READ_ONCE(self_quota_kib)) << 10;
}

int uw_quota_take(struct uw_quota *quota, u64 bytes, bool member)
{
	u64 limit = uw_quota_limit(member);
	int err = -EDQUOT;

	spin_lock(&quota_lock);
	if (quota->tables < READ_ONCE(self_quota_tables) && quota->bytes + bytes <= limit) {
		quota->tables++;
		quota->bytes += bytes;
		quota->refs++;
		err = 0;
	}
	spin_unlock(&quota_lock);
	return err;
}

void uw_quota_give(struct uw_quota *quota, u64 bytes)
{
	spin_lock(&quota_lock);
	quota->tables--;
	quota->bytes -= bytes;
	uw_quota_put_locked(quota);
	spin_unlock(&quota_lock);
}

int uw_quota_take_file(struct uw_quota *quota, u32 limit)
{
	int err = -EDQUOT;

	spin_lock(&quota_lock);
	if (quota->files < limit) {
		quota->files++;
		quota->refs++;
		err = 0;
	}
	spin_unlock(&quota_lock);
	return err;
}

void uw_quota_give_file(struct uw_quota *quota)
{
	spin_lock(&quota_lock);
	quota->files--;
	uw_quota_put_locked(quota);
	spin_unlock(&quota_lock);
}

bool uw_quota_take_ask(struct uw_quota *quota)
{
	bool has_room;

	spin_lock(&quota_lock);
	has_room = quota->asks < UW_QUOTA_ASKS;
	if (has_room) {
		quota->asks++;
		quota->refs++;
	}
	spin_unlock(&quota_lock);
	return has_room;
}

void uw_quota_give_ask(struct uw_quota *quota)
{
	spin_lock(&quota_lock);
	quota->asks--;
	uw_quota_put_locked(quota);
	spin_unlock(&quota_lock);
}

int uw_quota_begin_input(struct uw_quota *quota, u64 bytes, bool member)
{
	if (bytes > uw_quota_limit(member))
		return -EDQUOT;
	return mutex_lock_killable(&quota->input);
}

void uw_quota_end_input(struct uw_quota *quota)
{
	mutex_unlock(&quota->input);
}

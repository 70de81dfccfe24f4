// SPDX-License-Identifier: GPL-2.0
/*
 * A table that is tied to a file applies wherever the file is mapped, in every process,
 * from now on. The oldest one made with privilege applies to everybody; those of other
 * users apply to tasks that their makers may see, where there is none for everybody.
 *
 * The lock is held for a few pointers. A walk that has copied a rule out goes on with
 * it when the table goes out of service; no new one finds the table.
 */
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

#include "access/viewer.h"
#include "store/file_store.h"
#include "store/table_store.h"
#include "store/tie.h"

#define UW_OWN_TABLES      64 /* of one file */
#define UW_OWN_TABLES_SAME 4  /* of these, of one viewer */

static DEFINE_SPINLOCK(ties_lock);
static u64 ties_changes; /* Protected by: ties_lock to write; uw_tie_changes() */

u64 uw_tie_changes(void)
{
	return smp_load_acquire(&ties_changes);
}

static void ties_change(void)
{
	lockdep_assert_held(&ties_lock);
	smp_store_release(&ties_changes, ties_changes + 1);
}

struct uw_stored_table *uw_tie_table(const struct uw_file *file)
{
	struct uw_stored_table *stored = rcu_dereference(file->in_service);

	if (stored)
		return stored;
	list_for_each_entry_rcu(stored, &file->own, tied)
		if (uw_stored_table_applies(stored))
			return stored;
	return NULL;
}

/* Room is kept for other viewers. */
static int tie_own(struct uw_file *file, struct uw_stored_table *stored)
{
	const struct uw_stored_table *other;
	u32 same = 0, all = 0;

	lockdep_assert_held(&ties_lock);
	list_for_each_entry(other, &file->own, tied) {
		same += uw_viewer_is(other->maker.viewer, stored->maker.viewer);
		all++;
	}
	if (same >= UW_OWN_TABLES_SAME || all >= UW_OWN_TABLES)
		return -ENOSPC;
	list_add_tail_rcu(&stored->tied, &file->own);
	return 0;
}

/* path is the table's if this returns 0. */
static int tie_locked(struct uw_file *file, struct uw_stored_table *stored, char *path)
{
	int err = 0;

	lockdep_assert_held(&ties_lock);
	if (stored->file || stored->dead)
		return -EEXIST;
	if (stored->maker.viewer)
		err = tie_own(file, stored);
	else
		list_add_tail(&stored->tied, &file->tied);
	if (err)
		return err;
	stored->file = file;
	stored->path = path;
	if (!stored->maker.viewer && !rcu_access_pointer(file->in_service))
		rcu_assign_pointer(file->in_service, stored);
	ties_change();
	return 0;
}

/* The path of an open file, as current sees it, or the vDSO's name. NULL: no memory. Sleeps. */
static char *tie_path(struct file *f)
{
	char *buffer, *path, *copy;

	if (!f)
		return kstrdup("[vdso]", GFP_KERNEL_ACCOUNT);
	buffer = kmalloc(PATH_MAX, GFP_KERNEL);
	if (!buffer)
		return NULL;
	path = file_path(f, buffer, PATH_MAX);
	copy = kstrdup(IS_ERR(path) ? "" : path, GFP_KERNEL_ACCOUNT);
	kfree(buffer);
	return copy;
}

int uw_tie_add(struct uw_stored_table *stored, struct file *f)
{
	struct uw_file *file;
	char *path;
	int err;

	might_sleep();
	if (f && !S_ISREG(file_inode(f)->i_mode))
		return -EINVAL;
	file = f ? uw_file_get_opened(f, stored->maker.quota) : uw_file_get_vdso(stored->arch);
	if (IS_ERR(file))
		return -ENOMEM;
	path = tie_path(f);
	uw_table_store_get(stored);
	spin_lock(&ties_lock);
	err = path ? tie_locked(file, stored, path) : -ENOMEM;
	spin_unlock(&ties_lock);
	if (err) {
		kfree(path);
		uw_table_store_put(stored);
		uw_file_put(file);
	}
	return err;
}

static void untie(struct uw_stored_table *stored)
{
	struct uw_file *file;
	char *path;

	spin_lock(&ties_lock);
	file = stored->file;
	path = stored->path;
	if (file) {
		stored->file = NULL;
		stored->path = NULL;
		list_del_rcu(&stored->tied);
		if (rcu_access_pointer(file->in_service) == stored)
			rcu_assign_pointer(file->in_service,
					   list_first_entry_or_null(&file->tied, struct uw_stored_table, tied));
	}
	ties_change();
	spin_unlock(&ties_lock);
	if (file) {
		kfree(path);
		uw_table_store_put(stored);
		uw_file_put(file);
	}
}

u32 uw_tie_file(struct uw_stored_table *stored, char *path, u32 path_bytes)
{
	u32 number = 0;

	path[0] = '\0';
	spin_lock(&ties_lock);
	if (stored->file) {
		number = stored->file->number;
		strscpy(path, stored->path, path_bytes);
	}
	spin_unlock(&ties_lock);
	return number;
}

bool uw_tie_retire_corrupt(struct uw_stored_table *stored)
{
	if (!uw_table_store_mark_corrupt(stored))
		return false;
	untie(stored);
	return true;
}

static void table_retire(struct uw_stored_table *stored)
{
	WRITE_ONCE(stored->dead, true);
	untie(stored);
	uw_table_store_put(stored);
}

int uw_tie_destroy(const void *owner, u32 number)
{
	struct uw_stored_table *stored;

	might_sleep();
	stored = uw_table_store_take(owner, number);
	if (!stored)
		return -ENOENT;
	table_retire(stored);
	return 0;
}

void uw_tie_destroy_all(const void *owner)
{
	struct uw_stored_table *stored, *next;
	LIST_HEAD(taken);

	might_sleep();
	uw_table_store_take_all(owner, &taken);
	list_for_each_entry_safe(stored, next, &taken, all)
		table_retire(stored);
}

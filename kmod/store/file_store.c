// SPDX-License-Identifier: GPL-2.0
/*
 * Files by identity and by number.
 *
 * A file is stored as numbers, not as a reference to its inode or struct file, which
 * would pin the file system, so that nobody could unmount it. It has no path: processes
 * may see it at different paths, and the first that met it does not decide for others.
 *
 * The store itself holds a reference, so that a program that runs again and again is one
 * file with one number. Only when there is no room are files evicted that nothing else
 * refers to, and of those only files that make room: if one user's part is used up, that
 * user's.
 */
#include <linux/cred.h>
#include <linux/dcache.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/hash.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/uidgid.h>
#include <linux/xarray.h>

#include "access/quota.h"
#include "store/file_store.h"

#define UW_FILE_BUCKET_BITS 10
#define UW_EVICT_SCAN       256 /* files that are looked at when there is no room */
#define UW_EVICT_MOST       32  /* files that go then */

static DEFINE_SPINLOCK(files_lock);
static struct hlist_head buckets[1 << UW_FILE_BUCKET_BITS]; /* Protected by: files_lock */
static DEFINE_XARRAY_ALLOC1(by_number);                     /* Protected by: files_lock */
static u32 next_number;                                     /* Protected by: files_lock */
static LIST_HEAD(all_files); /* Protected by: files_lock. Those that were looked at longest ago first */
static atomic_t nr_files;
static atomic64_t nr_refused;

/* One of 64-bit processes, one of 32-bit ones; their numbers are 1 and 2. */
#define UW_NR_VDSOS 2

static struct uw_file native_vdso = {
	.refs = REFCOUNT_INIT(1),
	.number = 1,
	.vdso = true,
	.tied = LIST_HEAD_INIT(native_vdso.tied),
	.own = LIST_HEAD_INIT(native_vdso.own),
};

static struct uw_file compat_vdso = {
	.refs = REFCOUNT_INIT(1),
	.number = 2,
	.vdso = true,
	.compat = true,
	.tied = LIST_HEAD_INIT(compat_vdso.tied),
	.own = LIST_HEAD_INIT(compat_vdso.own),
};

static struct uw_file *const vdso_files[UW_NR_VDSOS] = { &native_vdso, &compat_vdso };

static void take_id(struct uw_file_id *id, struct file *file)
{
	struct inode *inode = d_real_inode(file->f_path.dentry);

	/* An overlay maps the file underneath, and its descriptor is on top. */
	memset(id, 0, sizeof(*id));
	id->dev = inode->i_sb->s_dev;
	id->inode = inode->i_ino;
	id->generation = inode->i_generation;
	id->bytes = i_size_read(inode);
	id->mtime_ns = uw_inode_mtime_ns(inode);
}

static struct hlist_head *bucket_of(const struct uw_file_id *id)
{
	return &buckets[hash_64(id->inode ^ ((u64)id->dev << 32), UW_FILE_BUCKET_BITS)];
}

static struct uw_file *find_file(const struct uw_file_id *id)
{
	struct uw_file *file;

	hlist_for_each_entry_rcu(file, bucket_of(id), node, lockdep_is_held(&files_lock))
		if (!memcmp(&file->id, id, sizeof(*id)) && refcount_inc_not_zero(&file->refs))
			return file;
	return NULL;
}

static struct uw_file *create_file(const struct uw_file_id *id, struct uw_quota *quota, gfp_t gfp)
{
	struct uw_file *fresh = kzalloc(sizeof(*fresh), gfp);

	if (fresh) {
		refcount_set(&fresh->refs, 2); /* the store's and the caller's */
		INIT_LIST_HEAD(&fresh->tied);
		INIT_LIST_HEAD(&fresh->own);
		fresh->id = *id;
		fresh->quota = quota;
	}
	return fresh;
}

static void release_place(struct uw_quota *quota)
{
	uw_quota_uncharge(quota, UW_QUOTA_FILES, 1);
}

static void free_file(struct uw_file *file)
{
	xa_erase(&by_number, file->number);
	release_place(file->quota);
	kfree_rcu(file, rcu);
}

/* Whether there is more room for a user who was refused for that reason, if the file goes. */
static bool makes_room(const struct uw_file *file, const struct uw_quota *quota, int refused)
{
	switch (refused) {
	case -EDQUOT:
		return file->quota == quota;
	case -ENOSPC:
		return file->quota;
	}
	return true;
}

/*
 * Drop files that only the store refers to, at most so many, of at most so many that
 * are looked at; the next time others are looked at first.
 */
static void evict_files(const struct uw_quota *quota, int refused, u32 most, u32 scan)
{
	struct uw_file *file, *next;
	LIST_HEAD(evicted);
	LIST_HEAD(seen);

	spin_lock(&files_lock);
	list_for_each_entry_safe(file, next, &all_files, all) {
		if (!most || !scan--)
			break;
		if (!makes_room(file, quota, refused) || !refcount_dec_if_one(&file->refs)) {
			list_move_tail(&file->all, &seen);
			continue;
		}
		hlist_del_rcu(&file->node);
		list_move(&file->all, &evicted);
		atomic_dec(&nr_files);
		most--;
	}
	list_splice_tail(&seen, &all_files);
	spin_unlock(&files_lock);
	list_for_each_entry_safe(file, next, &evicted, all)
		free_file(file);
}

/* Returns the file that is in the store: fresh, or one that was faster. NULL: no memory. */
static struct uw_file *insert_file(struct uw_file *fresh)
{
	struct uw_file *file;
	int err;

	xa_lock(&by_number);
	err = __xa_alloc_cyclic(&by_number, &fresh->number, fresh, XA_LIMIT(UW_NR_VDSOS + 1, U32_MAX - 1), &next_number,
				GFP_NOWAIT | __GFP_NOWARN);
	xa_unlock(&by_number);
	if (err < 0) {
		release_place(fresh->quota);
		kfree(fresh);
		return NULL;
	}
	spin_lock(&files_lock);
	file = find_file(&fresh->id);
	if (!file) {
		hlist_add_head_rcu(&fresh->node, bucket_of(&fresh->id));
		list_add_tail(&fresh->all, &all_files);
		atomic_inc(&nr_files);
	}
	spin_unlock(&files_lock);
	if (!file)
		return fresh;
	free_file(fresh);
	return file;
}

/*
 * A file is charged to the user whose process ran it first, who may have a part of
 * the store only. One of root's, or one that a table is tied to, is charged to nobody. -EDQUOT: the
 * part is used up; -ENOSPC: all users' is; -ENFILE: the store is full.
 */
static int reserve_place(struct uw_quota *quota)
{
	if (atomic_read(&nr_files) >= uw_quota_max_files())
		return -ENFILE;
	return uw_quota_charge(quota, UW_QUOTA_FILES, 1);
}

/* Each refusal is counted: frames are without their file. */
static struct uw_file *refuse_file(int err)
{
	atomic64_inc(&nr_refused);
	return ERR_PTR(err);
}

static struct uw_file *add_file(const struct uw_file_id *id, struct uw_quota *quota, gfp_t gfp)
{
	struct uw_file *file;
	int err = reserve_place(quota);

	if (err) {
		evict_files(quota, err, UW_EVICT_MOST, UW_EVICT_SCAN);
		err = reserve_place(quota);
	}
	if (err)
		return refuse_file(err);
	file = create_file(id, quota, gfp);
	if (!file)
		release_place(quota);
	else
		file = insert_file(file);
	return file ?: refuse_file(-ENOMEM);
}

static struct uw_file *find_and_get(const struct uw_file_id *id)
{
	struct uw_file *file;

	rcu_read_lock();
	file = find_file(id);
	rcu_read_unlock();
	return file;
}

struct uw_file *uw_file_get_known(struct file *f)
{
	struct uw_file_id id;

	take_id(&id, f);
	return find_and_get(&id);
}

struct uw_file *uw_file_get_mapped(struct file *f)
{
	const gfp_t gfp = GFP_NOWAIT | __GFP_NOWARN;
	struct uw_quota *quota = NULL;
	struct uw_file_id id;
	struct uw_file *file;

	take_id(&id, f);
	file = find_and_get(&id);
	if (file)
		return file;
	if (!uid_eq(current_uid(), GLOBAL_ROOT_UID)) {
		quota = uw_quota_get(gfp);
		if (!quota)
			return refuse_file(-ENOMEM);
	}
	file = add_file(&id, quota, gfp);
	if (quota)
		uw_quota_put(quota);
	return file;
}

struct uw_file *uw_file_get_opened(struct file *f, struct uw_quota *quota)
{
	struct uw_file_id id;
	struct uw_file *file;

	might_sleep();
	take_id(&id, f);
	file = find_and_get(&id);
	return file ?: add_file(&id, quota, GFP_KERNEL);
}

bool uw_file_is(const struct uw_file *file, struct file *mapped)
{
	struct uw_file_id id;

	take_id(&id, mapped);
	return !memcmp(&file->id, &id, sizeof(id));
}

struct uw_file *uw_file_get_vdso(enum uw_arch arch)
{
	struct uw_file *file = vdso_files[uw_abis[arch].word == 4];

	refcount_inc(&file->refs);
	return file;
}

void uw_file_put(struct uw_file *file)
{
	WARN_ON_ONCE(refcount_dec_and_test(&file->refs));
}

struct uw_file *uw_file_find(u32 number)
{
	return number - 1 < UW_NR_VDSOS ? vdso_files[number - 1] : xa_load(&by_number, number);
}

static u32 announced_word(u32 session, bool with_path)
{
	return session << 1 | with_path;
}

bool uw_file_is_announced(const struct uw_file *file, unsigned int slot, u32 session, bool with_path)
{
	return READ_ONCE(file->announced[slot]) == announced_word(session, with_path);
}

void uw_file_set_announced(struct uw_file *file, unsigned int slot, u32 session, bool with_path)
{
	WRITE_ONCE(file->announced[slot], announced_word(session, with_path));
}

u32 uw_file_count(void)
{
	return atomic_read(&nr_files);
}

u64 uw_file_refused(void)
{
	return atomic64_read(&nr_refused);
}

void uw_file_exit(void)
{
	evict_files(NULL, -ENFILE, U32_MAX, U32_MAX);
	WARN_ON_ONCE(atomic_read(&nr_files));
	xa_destroy(&by_number);
}

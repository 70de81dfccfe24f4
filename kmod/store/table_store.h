/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The tables that are held in kernel memory: counted, budgeted, immutable.
 */
#ifndef UW_TABLE_STORE_H
#define UW_TABLE_STORE_H

#include <linux/list.h>
#include <linux/rcupdate.h>
#include <linux/refcount.h>
#include <linux/types.h>

#include "access/viewer.h"
#include "core/table.h"

struct cred;
struct uw_file;
struct uw_quota;

/* Who makes a table. Constant. */
struct uw_maker {
	const void *owner;         /* compared only */
	const struct cred *viewer; /* the table applies to tasks that it sees; NULL: to every task */
	struct uw_quota *quota;    /* NULL: made with privilege */
};

/* One table. Set before it is shared, then constant, unless a member's comment says otherwise. */
struct uw_stored_table {
	refcount_t refs;       /* the owner's, the file's, and one for each range. Lifetime: refs, then RCU */
	bool dead;             /* Set once, in any context. Read anywhere by READ_ONCE() */
	u8 method;             /* enum uw_method */
	u8 arch;               /* enum uw_arch of the code */
	u32 number;            /* Lifetime: unique while the module is loaded */
	pid_t owner_pid;       /* of the process that made it */
	u64 bytes;             /* charged to the budget, and to quota if any */
	struct uw_maker maker; /* holds a reference to the viewer; the charges keep the account */
	struct uw_file *file;  /* holds a reference; NULL: not tied. Protected by: ties_lock */
	char *path;            /* of the file, as the maker saw it. Owned. Protected by: ties_lock */
	struct list_head tied; /* in a list of file. Protected by: ties_lock to write, RCU to read */
	struct list_head all;  /* Protected by: store_mutex; owned by the task that took it out of the store */
	struct rcu_head rcu;   /* Owned by: the task that dropped the last reference */
	struct uw_table table; /* points into memory */
	u64 memory[];
};

/*
 * Pack a draft. Returns the table, with one reference for its owner, or
 * -ENOMEM, -ENOSPC (budget), -EDQUOT, -EINTR (a fatal signal). May sleep.
 */
struct uw_stored_table *uw_table_store_add(const struct uw_draft *draft, u8 method, enum uw_arch arch,
					   const struct uw_maker *maker);

static inline void uw_table_store_get(struct uw_stored_table *stored)
{
	refcount_inc(&stored->refs);
}

/* Any context that may take a spinlock; memory goes after a grace period. */
void uw_table_store_put(struct uw_stored_table *stored);

/*
 * A reference of a bound range, charged to the maker of the table: -EDQUOT, -ENOSPC. The
 * copy of a range that another set has already is not refused. As _put().
 */
int uw_table_store_bind(struct uw_stored_table *stored);
void uw_table_store_bind_copy(struct uw_stored_table *stored);
void uw_table_store_unbind(struct uw_stored_table *stored);

/* The owner's table, with a reference, or NULL. */
struct uw_stored_table *uw_table_store_find(const void *owner, u32 number);

/*
 * The next table with a number above after, with a reference, or NULL. A viewer
 * is shown what the same user made.
 */
struct uw_stored_table *uw_table_store_next(const struct cred *viewer, u32 after);

/* Does the table serve current? Any context, under rcu_read_lock(). */
static inline bool uw_stored_table_applies(const struct uw_stored_table *stored)
{
	return !READ_ONCE(stored->dead) && (!stored->maker.viewer || uw_viewer_sees_current(stored->maker.viewer));
}

/* The owner's table, which nobody finds here any more: the owner's reference is the caller's. NULL: no such table. */
struct uw_stored_table *uw_table_store_take(const void *owner, u32 number);
/* All of the owner's, by their member all. */
void uw_table_store_take_all(const void *owner, struct list_head *taken);

/* Count a table as corrupt, and let it apply to nobody. false: that was done before, or it was destroyed. */
bool uw_table_store_mark_corrupt(struct uw_stored_table *stored);

/* Drop the owner's reference, but leave the table in service: its ranges own it. */
void uw_table_store_disown(struct uw_stored_table *stored);

struct uwind_stats;
void uw_table_store_stats(struct uwind_stats *stats);

#endif

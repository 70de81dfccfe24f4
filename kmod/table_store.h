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

#include "core/table.h"

struct uw_file;
struct uw_quota;

/* One table. Everything but the members with a lock is set before it is shared. */
struct uw_kept {
	refcount_t refs;        /* owner, file and ranges                        */
	bool dead;              /* Protected by: nothing; set once, read anywhere */
	u8 method;              /* enum uw_method                                */
	u32 number;             /* Lifetime: unique while the module is loaded   */
	pid_t owner_pid;
	u64 bytes;              /* charged to the budget, and to quota if any    */
	struct uw_quota *quota; /* NULL: made with privilege                     */
	const void *owner;      /* the open file that made it; compared only     */
	struct uw_file *file;   /* Protected by: file_store's lock               */
	struct list_head tied;  /* Protected by: file_store's lock               */
	struct list_head all;   /* Protected by: the store's mutex               */
	struct rcu_head rcu;
	struct uw_table table;
	u64 memory[];           /* behind table                                  */
};

/*
 * Pack a draft. quota may be NULL. Returns the table, with one reference for
 * its owner, or -ENOMEM, -ENOSPC (budget), -EDQUOT. May sleep.
 */
struct uw_kept *uw_table_store_add(const struct uw_draft *draft, u8 method,
				   const void *owner, struct uw_quota *quota);

static inline void uw_table_store_get(struct uw_kept *kept)
{
	refcount_inc(&kept->refs);
}

/* Any context that may take a spinlock; memory goes after a grace period. */
void uw_table_store_put(struct uw_kept *kept);

/* The owner's table, with a reference, or NULL. */
struct uw_kept *uw_table_store_find(const void *owner, u32 number);

/* Any table with a number above after, with a reference, or NULL. */
struct uw_kept *uw_table_store_next(u32 after);

/* Take a table out of service and drop its owner's reference. -ENOENT. */
int uw_table_store_destroy(const void *owner, u32 number);
void uw_table_store_destroy_all(const void *owner);

/* Drop the owner's reference, but leave the table in service: its ranges own it. */
void uw_table_store_disown(struct uw_kept *kept);

struct uwind_stats;
void uw_table_store_stats(struct uwind_stats *stats);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which table applies to which file: tables go into service, and out of it.
 */
#ifndef UW_TIE_H
#define UW_TIE_H

#include <linux/types.h>

struct file;
struct uw_file;
struct uw_stored_table;

/*
 * Put a table into service for an open file, or the vDSO (NULL). Sleeps.
 * Returns 0, -EEXIST (tied already), -EINVAL (not a regular file), -ENOMEM,
 * -ENOSPC (too many tables that serve some viewer only).
 */
int uw_tie_add(struct uw_stored_table *stored, struct file *file);

/* The table that applies to current in this file, or NULL. Under rcu_read_lock(). */
struct uw_stored_table *uw_tie_table(const struct uw_file *file);

/* A number that grows when any table has gone into service or out of it, or is dead. Any context. */
u64 uw_tie_changes(void);

/* The number of the file that a table is tied to, and its path as the maker had it; 0: none. */
u32 uw_tie_file(struct uw_stored_table *stored, char *path, u32 path_bytes);

/*
 * Take a table out of service; it stays its owner's. The caller has a reference.
 * false: it was out of service. Any context that may take a spinlock.
 */
bool uw_tie_retire_corrupt(struct uw_stored_table *stored);

/* Take an owner's table, or all of them, out of service, and drop the owner's reference. -ENOENT. May sleep. */
int uw_tie_destroy(const void *owner, u32 number);
void uw_tie_destroy_all(const void *owner);

#endif

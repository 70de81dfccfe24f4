/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The files that executable mappings were met in.
 */
#ifndef UW_FILE_STORE_H
#define UW_FILE_STORE_H

#include <linux/list.h>
#include <linux/rcupdate.h>
#include <linux/refcount.h>
#include <linux/types.h>

#include "core/types.h"

struct file;
struct uw_stored_table;
struct uw_quota;

#define UW_FILE_SLOTS 16 /* sessions that files are announced to */

/* Which file, and which state of it. Taken from an open file, never from a caller. Constant, compared as bytes. */
struct uw_file_id {
	dev_t dev;
	u32 generation;
	u64 inode;
	u64 bytes;
	s64 mtime_ns;
};

/* Set before it is shared, then constant, unless a member's comment says otherwise. */
struct uw_file {
	refcount_t refs; /* the store's, one for each range, and one for each tied table */
	u32 number;      /* Lifetime: not reused while the module is loaded */
	bool vdso;
	bool compat;            /* vdso: of 32-bit processes */
	struct uw_quota *quota; /* whose share it takes, which keeps the account; NULL: nobody's */
	struct uw_file_id id;
	struct uw_stored_table __rcu *in_service; /* one of tied. Protected by: ties_lock to write, RCU to read */
	struct list_head tied;                    /* tables for everybody. Protected by: ties_lock */
	struct list_head own; /* tables that apply for a viewer only. Protected by: ties_lock to write, RCU to read */
	u32 announced[UW_FILE_SLOTS]; /* what the last session in the slot knows. By WRITE_ONCE(), READ_ONCE() */
	struct hlist_node node;       /* Protected by: files_lock to write, RCU to read */
	struct list_head all;         /* Protected by: files_lock; owned by the task that evicts the file */
	struct rcu_head rcu;          /* Owned by: the task that dropped the last reference */
};

/* A file mapped by current, with a reference. -ENOMEM, or -EDQUOT, -ENOSPC and -ENFILE: too many files. Atomic. */
struct uw_file *uw_file_get_mapped(struct file *file);

/* The same, if somebody met it before, else NULL. Any context. */
struct uw_file *uw_file_get_known(struct file *file);

/* An open file, with a reference, charged to quota (NULL: nobody). Errors as above. May sleep. */
struct uw_file *uw_file_get_opened(struct file *file, struct uw_quota *quota);

/* It is that file, in that state. Any context. */
bool uw_file_is(const struct uw_file *file, struct file *mapped);

/* The vDSO, with a reference. Never fails. */
struct uw_file *uw_file_get_vdso(enum uw_arch arch);

/* Any context that may take a spinlock. */
void uw_file_put(struct uw_file *file);

/* The file with that number. Under rcu_read_lock(). */
struct uw_file *uw_file_find(u32 number);

/* Whether the session with that number, in this slot, has been sent the file, with or without its path. Any context. */
bool uw_file_is_announced(const struct uw_file *file, unsigned int slot, u32 session, bool with_path);
void uw_file_set_announced(struct uw_file *file, unsigned int slot, u32 session, bool with_path);

u32 uw_file_count(void);
u64 uw_file_refused(void);
void uw_file_exit(void);

#endif

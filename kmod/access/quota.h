/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Limits on what users without privilege may use: one account for each of them, one
 * limit of each kind for an account, and one for all accounts together, which is at
 * least four times as much, so that one user cannot use up what is there for all.
 *
 * A user is the one who is accountable: in a user namespace, the user who made it, however
 * many ids are mapped there. What root made (a container, say) is an account of
 * its own, that of the namespace's root; where that is root itself, ids are mapped
 * to themselves, and each is a user as it is outside.
 */
#ifndef UW_QUOTA_H
#define UW_QUOTA_H

#include <linux/types.h>
#include <linux/uidgid.h>

struct cred;
struct uw_quota;
struct uw_resident_debt;

enum uw_quota_kind {
	UW_QUOTA_TABLES,   /* tables */
	UW_QUOTA_BYTES,    /* memory of tables */
	UW_QUOTA_INPUT,    /* memory that making a table takes, bytes */
	UW_QUOTA_FILES,    /* files that are tracked since the user's processes ran them first */
	UW_QUOTA_RANGES,   /* ranges that the user's tables are bound to */
	UW_QUOTA_ASKS,     /* requests that SESSION_ASK made and nobody answered yet */
	UW_QUOTA_COUNTERS, /* counters of threads */
	UW_QUOTA_SPACES,   /* processes of which mappings are remembered */
	UW_NR_QUOTAS,
};

/* The user who is accountable for a task with these credentials. Any context. */
kuid_t uw_quota_user(const struct cred *cred);

/* The account of that user, with a reference; NULL: no memory. */
struct uw_quota *uw_quota_get(gfp_t gfp);
void uw_quota_put(struct uw_quota *quota);

/*
 * Charge so much of a kind. -EDQUOT: the user's part is used up; -ENOSPC: all users'
 * is. NULL: made with privilege, not charged. Atomic. An account lasts as long as
 * anything is charged to it.
 */
int uw_quota_charge(struct uw_quota *quota, enum uw_quota_kind kind, u64 amount);
void uw_quota_uncharge(struct uw_quota *quota, enum uw_quota_kind kind, u64 amount);

/* The same whatever the limits, for a copy of what is charged already. */
void uw_quota_charge_copy(struct uw_quota *quota, enum uw_quota_kind kind, u64 amount);

/*
 * A counter of a thread: its charge lasts until the kernel has freed it. ERR_PTR as
 * above, or -ENOMEM. May sleep.
 */
struct uw_resident_debt *uw_quota_charge_counter(struct uw_quota *quota);
/* When the counter, if one was made, has been released. */
void uw_quota_settle_counter(struct uw_quota *quota, struct uw_resident_debt *debt);

/* A table and its memory. member: it was made through /dev/uwind, which allows more. */
int uw_quota_charge_table(struct uw_quota *quota, u64 bytes, bool member);
void uw_quota_uncharge_table(struct uw_quota *quota, u64 bytes);

/*
 * Around making a table: one at a time for each user. -EINTR (a fatal signal).
 * NULL: no waiting. Sleeps.
 */
int uw_quota_begin_input(struct uw_quota *quota);
void uw_quota_end_input(struct uw_quota *quota);

/* What the parameters allow in all, users with privilege included. */
u64 uw_quota_table_budget(void);
u32 uw_quota_max_files(void);

int uw_quota_init(void);
/* Nothing is charged to anybody any more. */
void uw_quota_exit(void);

#endif

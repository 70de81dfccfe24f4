/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What one user may hold in tables that were made without privilege.
 */
#ifndef UW_QUOTA_H
#define UW_QUOTA_H

#include <linux/types.h>

struct uw_quota;

/* The account of current's real user, with a reference; NULL: no memory. */
struct uw_quota *uw_quota_get(void);
void uw_quota_put(struct uw_quota *quota);

/* Charge one table; holds a reference until given back. -EDQUOT. Atomic. */
int uw_quota_take(struct uw_quota *quota, u64 bytes);
void uw_quota_give(struct uw_quota *quota, u64 bytes);

/*
 * Around copying and reading a section of so many bytes: one at a time for each
 * user, so that nobody fills memory with what is not charged yet. -EDQUOT,
 * -EINTR (a fatal signal). Sleeps.
 */
int uw_quota_begin_input(struct uw_quota *quota, u64 bytes);
void uw_quota_end_input(struct uw_quota *quota);

#endif

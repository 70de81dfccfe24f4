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

#endif

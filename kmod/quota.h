/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What one user may hold without privilege: tables of own sections, files that
 * are tracked because the user's processes ran them first, and requests for the
 * stacks of threads that sleep.
 */
#ifndef UW_QUOTA_H
#define UW_QUOTA_H

#include <linux/types.h>

struct uw_quota;

/* The account of current's real user, with a reference; NULL: no memory. */
struct uw_quota *uw_quota_get(gfp_t gfp);
void uw_quota_put(struct uw_quota *quota);

/*
 * Charge one table; holds a reference until given back. member: it was made
 * through /dev/uwind, which allows more. -EDQUOT. Atomic.
 */
int uw_quota_take(struct uw_quota *quota, u64 bytes, bool member);
void uw_quota_give(struct uw_quota *quota, u64 bytes);

/* The same for a file, of which a user may hold so many. */
int uw_quota_take_file(struct uw_quota *quota, u32 limit);
void uw_quota_give_file(struct uw_quota *quota);

/* The same for a request that is open. Returns false if the user has too many. */
bool uw_quota_take_ask(struct uw_quota *quota);
void uw_quota_give_ask(struct uw_quota *quota);

/*
 * Around copying and reading a section of so many bytes: one at a time for each
 * user, so that nobody fills memory with what is not charged yet. -EDQUOT,
 * -EINTR (a fatal signal). Sleeps.
 */
int uw_quota_begin_input(struct uw_quota *quota, u64 bytes, bool member);
void uw_quota_end_input(struct uw_quota *quota);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The bounded supply of request objects.
 */
#ifndef UW_SUPPLY_H
#define UW_SUPPLY_H

#include <linux/types.h>
#include <linux/uidgid.h>

#define UW_MAX_REQUESTS 16384

struct uw_request;
struct uw_work_kind;

/*
 * Take an idle one, which that user, if not root, holds until it is given back; NULL: none,
 * or the user holds too many. Any context. Asks for more when few are left.
 */
struct uw_request *uw_supply_take(kuid_t user);
void uw_supply_give(struct uw_request *request);

/* All that exist: 0 … uw_supply_count() - 1. They never go while loaded. */
struct uw_request *uw_supply_at(u32 index);
u32 uw_supply_count(void);
u32 uw_supply_taken(void);

/* Have at least the first requests. May sleep. kind: of their works, which lie in pages. */
int uw_supply_prepare(const struct uw_work_kind *kind);
void uw_supply_exit(void);

#endif

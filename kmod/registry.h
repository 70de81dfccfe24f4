/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The registry: which table covers an address of current's memory.
 */
#ifndef UW_REGISTRY_H
#define UW_REGISTRY_H

#include <linux/types.h>

struct mm_struct;
struct uw_kept;
struct uwind_range;

/* The mapping of a file in current's memory that a walk has met; false: unknown. */
bool uw_registry_mapping(u64 address, struct uwind_range *mapping);

/*
 * Bind a table to ranges of a live mm (the caller holds mm_users), all or
 * none. section: see struct uw_range. -EFAULT: not mapped executable.
 */
int uw_registry_bind(struct mm_struct *mm, struct uw_kept *kept,
		     const struct uwind_range *ranges, u32 nr, u64 section);

#endif

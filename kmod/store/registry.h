/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The registry: which tables are bound in an mm's memory, and which files walks met there.
 */
#ifndef UW_REGISTRY_H
#define UW_REGISTRY_H

#include <linux/types.h>

struct mm_struct;
struct uw_file;
struct uw_stored_table;
struct uw_range_set;
struct uw_ranges;
struct uwind_range;

/* The mapping of that file in current's memory, if a walk has met it; false: unknown. */
bool uw_registry_mapping(const struct uw_file *file, u64 address, struct uwind_range *mapping);

/*
 * The path of that file as current sees it, if it is mapped at that address, in a buffer
 * of PATH_MAX bytes. NULL: it is not, or that cannot be seen without waiting. Does not sleep.
 */
const char *uw_registry_path(const struct uw_file *file, u64 address, char *buffer);

/*
 * Bind a table to ranges of a live mm (the caller holds mm_users), all or
 * none. section: see struct uw_range. -EFAULT: not mapped executable; -EFBIG:
 * too many mappings; -EBUSY: others hold their locks; -EINTR: current is killed.
 */
int uw_registry_bind(struct mm_struct *mm, struct uw_stored_table *stored, const struct uwind_range *ranges, u32 nr,
		     u64 section);

/*
 * Bind to current's memory what lived in its parent's ranges after so many deaths,
 * as far as it is mapped executable here.
 */
int uw_registry_inherit(const struct uw_ranges *ranges, u64 deaths);

/* What is bound in an mm whose mm_users the caller holds, or NULL: nothing ever was. */
struct uw_range_set *uw_registry_bound(struct mm_struct *mm);

#endif

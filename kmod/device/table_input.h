/* SPDX-License-Identifier: GPL-2.0 */
/*
 * From bytes of user space to a stored table.
 */
#ifndef UW_TABLE_INPUT_H
#define UW_TABLE_INPUT_H

#include <linux/types.h>

#include "core/sframe.h"

struct mm_struct;
struct uw_stored_table;
struct uw_maker;
struct uw_process;
struct uwind_table_create;

/* A .sframe section to be made into a table. Constant. Lifetime: of the call that it is given to, like all of it. */
struct uw_section {
	u64 data;    /* address in the caller's memory, or the process's */
	u64 bytes;   /* 1 … UWIND_MAX_SECTION_BYTES */
	u64 address; /* in the space of segments[].address */
	const struct uw_segment *segments;
	u32 nr_segments;
	const struct uw_process *process; /* whose memory; NULL: the caller's */
};

/*
 * ERR_PTR as documented at UWIND_IOC_TABLE_CREATE; *reject is filled for
 * -EBADMSG and -EPROTONOSUPPORT.
 */
struct uw_stored_table *uw_table_from_section(const struct uw_section *section, const struct uw_maker *maker,
					      struct uw_reject *reject);

/* From ready-made rows and rules in the caller's memory. */
struct uw_stored_table *uw_table_from_rows(const struct uwind_table_create *arg, const struct uw_maker *maker,
					   struct uw_reject *reject);

#endif

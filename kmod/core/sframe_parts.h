/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * What the files of the SFrame reader share: sframe_header.c validates the
 * header, sframe_fde.c reads functions, sframe_fre.c their rows, and sframe.c
 * puts them in order.
 */
#ifndef UW_SFRAME_PARTS_H
#define UW_SFRAME_PARTS_H

#include "bytes.h"
#include "sframe.h"
#include "sframe_format.h"

/* One function, of any version. */
struct uw_sframe_fde {
	u64 at;          /* where it is described, for reject */
	u64 start;       /* address */
	u64 fres;        /* position of its first row */
	u32 bytes;       /* of text */
	u32 block_bytes; /* its rows repeat every so many bytes; 0: they do not */
	u32 nr_fres;
	u8 start_bytes; /* width of a row's start */
	bool signal;    /* code that returns from a signal handler */
	bool flex;
};

/* How far apart functions are described. */
static inline u32 uw_sframe_fde_bytes(const struct uw_sframe *sf)
{
	switch (sf->version) {
	case SFRAME_V1:
		return SFRAME_V1_FDE_BYTES;
	case SFRAME_V2:
		return SFRAME_V2_FDE_BYTES;
	default:
		return SFRAME_V3_FDE_BYTES;
	}
}

/* Counts work. 0, or -EINTR: give up. */
static inline int __attribute__((warn_unused_result)) uw_sframe_step(struct uw_sframe *sf)
{
	return uw_port_pause(++sf->steps);
}

/* Fills sf->reject and returns -EBADMSG. */
int uw_sframe_refuse(struct uw_sframe *sf, u64 offset, const char *why);

/* Read and validate function number i. 0 or -EBADMSG. */
int uw_sframe_fde_read(struct uw_sframe *sf, u32 i, struct uw_sframe_fde *fde);

/* Its address and size only, unvalidated except for overflow. */
int uw_sframe_fde_extent(struct uw_sframe *sf, u32 i, u64 *start, u32 *bytes);

/* Rows that function makes at most, its end included. */
u64 uw_sframe_fde_max_rows(const struct uw_sframe_fde *fde);

/*
 * Read the row at the cursor: *start is relative to the function, or to its
 * block. 0 or -EBADMSG.
 */
int uw_sframe_fre_read(struct uw_sframe *sf, const struct uw_sframe_fde *fde, struct uw_bytes *cursor, u32 *start,
		       struct uw_rule *rule);

#endif

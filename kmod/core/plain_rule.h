/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * What is left of a rule that is plain (plain.h), where it is remembered, and what is left of the registers.
 */
#ifndef UW_PLAIN_RULE_H
#define UW_PLAIN_RULE_H

#include "walk_types.h"

/* What a rule says, in words of 64 bits. */
struct uw_plain_rule {
	s16 cfa;      /* from SP, or FP, to the CFA; UW_PLAIN_END: the stack ends here, for the enum uw_stop in ra */
	s16 ra;       /* from the CFA to the return address; below 0 */
	s16 fp;       /* from the CFA to the caller's FP; below 0. 0: it is the same; UW_PLAIN_FP_LOST */
	u8 base_slot; /* see struct uwind_rule */
	u8 method;    /* enum uw_method, and flags */
};

#define UW_PLAIN_REACH   (8u * 32768) /* bytes: no word is further from the CFA */
#define UW_PLAIN_END     (-32768)
#define UW_PLAIN_FP_LOST (-32768)
#define UW_PLAIN_METHOD  0x1f
#define UW_PLAIN_BY_FP   0x80 /* the CFA is counted from FP */
/* On a trail (trail.h): */
#define UW_PLAIN_FP_USED 0x40 /* this step or an outer one counts from the FP before this step */
#define UW_PLAIN_FP_READ 0x20 /* an outer one counts from the FP that this step reads */

#define UW_PLAIN_BITS  9
#define UW_PLAIN_SLOTS (1u << UW_PLAIN_BITS)

/* A slot of a cache: the newest step of its hash. 64-bit ABIs only. */
struct uw_plain {
	u64 pc;
	u64 offset; /* of pc in the file: see struct uw_frame */
	u32 key;    /* uw_port_key() << 1, and 1 if pc is exact; 0: empty */
	u32 file;
	struct uw_plain_rule rule;
};

static __always_inline u32 uw_plain_slot(u64 pc)
{
	return (u32)(pc * 0x9e3779b97f4a7c15ull >> (64 - UW_PLAIN_BITS));
}

/* Where plain steps are: the registers that they change, and where the last step's code was. */
struct uw_plain_state {
	u64 pc;
	u64 sp;
	u64 fp;
	bool fp_known;
	u8 base_slot; /* of the last step that had one; 0: none */
	u8 method;    /* how the frame at pc was found */
	u32 key;      /* as in struct uw_plain */
	u64 base_cfa; /* its CFA */
	struct uw_covered covered;
};

#endif

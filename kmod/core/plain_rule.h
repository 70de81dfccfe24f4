/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * What is left of a rule that is plain (plain.h).
 */
#ifndef UW_PLAIN_RULE_H
#define UW_PLAIN_RULE_H

#include "types.h"

/* What a rule says, in words of 64 bits. */
struct uw_plain_rule {
	s16 cfa;      /* from SP, or FP, to the CFA; UW_PLAIN_END: the stack ends here, for the enum uw_stop in ra */
	s16 ra;       /* from the CFA to the return address */
	s16 fp;       /* from the CFA to the caller's FP; 0: it is the same; UW_PLAIN_FP_LOST */
	u8 base_slot; /* see struct uwind_rule */
	u8 method;    /* enum uw_method, and UW_PLAIN_BY_FP */
};

#define UW_PLAIN_END     (-32768)
#define UW_PLAIN_FP_LOST (-32768)
#define UW_PLAIN_BY_FP   0x80 /* the CFA is counted from FP */
#define UW_PLAIN_METHOD  0x7f

#endif

/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Where calls return to.
 */
#ifndef UW_CALL_SITE_H
#define UW_CALL_SITE_H

#include "types.h"

struct uw_port;

/*
 * Whether a call returns to ra, which on 32-bit Arm has bit 0 set for Thumb code.
 * NONE: yes. BAD_PC: no, or its code cannot be read without a fault. KILLED.
 */
enum uw_stop uw_call_site_check(struct uw_port *port, enum uw_arch arch, u64 ra);

#endif

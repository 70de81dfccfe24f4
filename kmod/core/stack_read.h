/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * One word of stack, or the reason why the walk ends there. For rule.c,
 * sigframe.c and compat_arm.c only; the last one reads the code before a return
 * address with it, too.
 */
#ifndef UW_STACK_READ_H
#define UW_STACK_READ_H

#include "uw_port_walk.h"

static inline enum uw_stop uw_stack_read(struct uw_port *port, u64 address, u64 *word)
{
	switch (uw_port_word(port, address, word)) {
	case 0:
		return UW_STOP_NONE;
	case -EACCES:
		return UW_STOP_REFUSED_READ;
	case -EINTR:
		return UW_STOP_KILLED;
	default:
		return UW_STOP_BAD_READ;
	}
}

#endif

/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * One word of stack, or the reason why the walk ends there. For rule.c,
 * sigframe.c, compat_arm.c and walk.c only; compat_arm.c reads the code before a
 * return address with it, too.
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

/* A caller's address that lies below SP: the frame was entered on another stack, or is broken. */
static inline enum uw_stop uw_stack_below(struct uw_port *port, u64 sp, u64 address)
{
	return uw_port_other_stack(port, sp, address) ? UW_STOP_STACK_SWITCH : UW_STOP_BACKWARDS;
}

#endif

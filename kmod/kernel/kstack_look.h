/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Looks at each function of the kernel that is entered.
 */
#ifndef UW_KSTACK_LOOK_H
#define UW_KSTACK_LOOK_H

#include <linux/ftrace.h>

#include "kernel/kstack_store.h"

struct uw_kstack {
	struct ftrace_ops ops;
	struct uw_kstack_store store;
};

/* For ops.func. Any context. */
void uw_kstack_look(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *ops, struct ftrace_regs *fregs);

#endif

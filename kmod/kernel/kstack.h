/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The deepest stacks of the kernel, for as long as a file descriptor is open.
 */
#ifndef UW_KSTACK_H
#define UW_KSTACK_H

#include <linux/errno.h>

#include "uwind.h"
#include "uwind_kstack.h"

#if defined(CONFIG_DYNAMIC_FTRACE) && (defined(CONFIG_ARM64) || defined(CONFIG_UNWINDER_ORC))
#define UW_KSTACK 1
#endif

/*
 * What arg asks for, of functions whose addresses lie in current's memory. Returns a file descriptor of current's;
 * -EINVAL, -EBUSY, -ENOMEM, -EFAULT, -EMFILE; -ENODEV: this kernel traces none of its functions. May sleep.
 */
#ifdef UW_KSTACK
int uw_kstack_open(const struct uwind_kstack *arg);
#else
static inline int uw_kstack_open(const struct uwind_kstack *arg)
{
	return -ENODEV;
}
#endif

#endif

// SPDX-License-Identifier: GPL-2.0
/*
 * Other modules as a trigger: they request stacks where no counter fires.
 */
#include <linux/export.h>

#include "trigger/trigger.h"
#include "uwind_kernel.h"

unsigned int uw_trigger_module(struct pt_regs *regs, u64 *cookie)
{
	return uw_trigger_all(regs, cookie);
}
EXPORT_SYMBOL_GPL(uw_trigger_module);

// SPDX-License-Identifier: GPL-2.0
/*
 * Other modules as a trigger: they know moments that no counter does.
 */
#include <linux/export.h>

#include "session.h"
#include "trigger_module.h"

unsigned int uw_trigger_module(struct pt_regs *regs)
{
	return uw_session_trigger_all(regs);
}
EXPORT_SYMBOL_GPL(uw_trigger_module);

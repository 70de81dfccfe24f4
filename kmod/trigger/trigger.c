// SPDX-License-Identifier: GPL-2.0
/*
 * Triggers that fire for everybody: see trigger.h.
 */
#include "trigger/trigger.h"

static uw_trigger_all_t fire_all; /* Set by: module init */

void uw_trigger_register_all(uw_trigger_all_t all)
{
	fire_all = all;
}

unsigned int uw_trigger_all(struct pt_regs *regs, u64 *cookie)
{
	return fire_all(regs, cookie);
}

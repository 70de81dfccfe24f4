// SPDX-License-Identifier: GPL-2.0
/*
 * What triggers have in common: see trigger.h.
 */
#include <linux/sched.h>
#include <linux/smp.h>

#include "core/event_filter.h"
#include "trigger/trigger.h"

bool uw_trigger_filter(const struct uw_trigger_owner *owner, const void *entry, u32 bytes)
{
	const struct uw_filter_event event = {
		.entry = entry,
		.bytes = bytes,
		.cpu = raw_smp_processor_id(),
		.comm = current->comm,
	};

	return !owner->steps || uw_filter_takes(owner->steps, &event);
}

static uw_trigger_all_t fire_all; /* Set by: module init */

void uw_trigger_register_all(uw_trigger_all_t all)
{
	fire_all = all;
}

unsigned int uw_trigger_all(struct pt_regs *regs, u64 *cookie)
{
	return fire_all(regs, cookie);
}

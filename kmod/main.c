// SPDX-License-Identifier: GPL-2.0
/*
 * uwind: user-space call stacks on stock kernels. The list of its parts.
 */
#include <linux/delay.h>
#include <linux/module.h>

#include "access/quota.h"
#include "device/control.h"
#include "device/netlink.h"
#include "device/self.h"
#include "request/deferred.h"
#include "request/release_hook.h"
#include "request/request.h"
#include "request/work.h"
#include "session/fork.h"
#include "session/outbox.h"
#include "session/running.h"
#include "stall.h"
#include "store/bound.h"
#include "store/file_store.h"
#include "store/space.h"
#include "trigger/bpf.h"
#include "trigger/cpu.h"
#include "walk/steps.h"

struct uw_part {
	int (*init)(void);  /* NULL: it comes into being when it is first asked */
	void (*exit)(void); /* NULL: nothing of it is left without the module */
};

/*
 * In this order; they end in reverse. What users can open comes last: the kernel frees
 * a module whose init has failed even if someone holds a reference.
 */
static const struct uw_part parts[] = {
	{ uw_quota_init, uw_quota_exit },
	{ NULL, uw_file_exit },
	{ uw_bound_init, uw_bound_exit },
	{ uw_space_init, uw_space_exit },
	{ NULL, uw_work_exit },
	{ NULL, uw_steps_exit },
	{ NULL, uw_request_exit },
	{ uw_deferred_setup, NULL },
	{ uw_running_setup, NULL },
	{ uw_outbox_setup, uw_outbox_exit },
	{ uw_trigger_cpu_setup, uw_trigger_cpu_exit },
	{ uw_netlink_init, uw_netlink_exit },
	{ uw_fork_init, uw_fork_exit },
	{ uw_release_hook_init, uw_release_hook_exit },
	{ uw_trigger_bpf_init, NULL },
	{ uw_self_init, uw_self_exit },
	{ uw_control_init, uw_control_exit },
};

static void parts_exit(unsigned int nr)
{
	while (nr--)
		if (parts[nr].exit)
			parts[nr].exit();
}

static int part_init(unsigned int part)
{
	if (uw_stall_fails(part + 1))
		return -ENOMEM;
	return parts[part].init ? parts[part].init() : 0;
}

/*
 * A task that tried to open a node of a module whose init failed was refused, and gives
 * the reference back on its way out.
 */
static void wait_for_openers(void)
{
	while (module_refcount(THIS_MODULE) > 1)
		msleep(1);
}

static int __init uwind_init(void)
{
	unsigned int part;
	int err;

	for (part = 0; part < ARRAY_SIZE(parts); part++) {
		err = part_init(part);
		if (err) {
			parts_exit(part);
			wait_for_openers();
			return err;
		}
		uw_stall(UW_STALL_INIT);
	}
	uw_self_serve();
	return 0;
}

/*
 * No file is open, so no session runs and no table is owned. What may still be
 * around: queued works (work.c), live spaces with self-registered ranges.
 */
static void __exit uwind_exit(void)
{
	parts_exit(ARRAY_SIZE(parts));
}

module_init(uwind_init);
module_exit(uwind_exit);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("User-space call stacks by SFrame, unwind tables and frame pointers");
MODULE_VERSION(UWIND_VERSION);

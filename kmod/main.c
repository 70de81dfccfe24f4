// SPDX-License-Identifier: GPL-2.0
/*
 * uwind: user-space call stacks on stock kernels. Init in order, exit in reverse.
 */
#include <linux/module.h>

#include "control.h"
#include "exit_hook.h"
#include "file_store.h"
#include "fork.h"
#include "netlink.h"
#include "request.h"
#include "self.h"
#include "sender.h"
#include "space.h"
#include "trigger_bpf.h"
#include "trigger_perf.h"
#include "work.h"

static int __init uw_init(void)
{
	int err = uw_space_init();

	if (err)
		return err;
	err = uw_sender_setup();
	if (err)
		goto exit_space;
	err = uw_trigger_perf_setup();
	if (err)
		goto exit_sender;
	err = uw_netlink_init();
	if (err)
		goto exit_trigger;
	err = uw_fork_init();
	if (err)
		goto exit_netlink;
	err = uw_self_init();
	if (err)
		goto exit_fork;
	uw_exit_hook_init();
	uw_trigger_bpf_init();
	err = uw_control_init();
	if (err)
		goto exit_hook;
	return 0;

exit_hook:
	uw_exit_hook_exit();
	uw_self_exit();
exit_fork:
	uw_fork_exit();
exit_netlink:
	uw_netlink_exit();
exit_trigger:
	uw_trigger_perf_exit();
	uw_work_exit();
exit_sender:
	uw_sender_exit();
exit_space:
	uw_space_exit();
	uw_file_exit();
	return err;
}

/*
 * No file is open, so no session runs and no table is owned. Who may still be
 * around: queued works (work.c), live spaces with self-registered ranges.
 */
static void __exit uw_exit(void)
{
	/* Five grace periods, one behind the other: rmmod should not take seconds. */
	rcu_expedite_gp();
	uw_control_exit();
	uw_exit_hook_exit();
	uw_self_exit();
	uw_fork_exit();
	uw_netlink_exit();
	uw_trigger_perf_exit();
	uw_sender_exit();
	uw_request_exit();
	uw_work_exit();
	uw_space_exit();
	uw_file_exit();
	rcu_unexpedite_gp();
}

module_init(uw_init);
module_exit(uw_exit);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("User-space call stacks by SFrame, unwind tables and frame pointers");
MODULE_VERSION(UWIND_VERSION);

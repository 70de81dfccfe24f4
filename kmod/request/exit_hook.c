// SPDX-License-Identifier: GPL-2.0
/*
 * A task that exits gives up its memory in exit_mm(), which begins with
 * exit_mm_release(); its task work comes later. The sched_process_exit tracepoint is
 * no help: until Linux 7.1 it came after exit_mm().
 *
 * A probe may not sleep, so that the walk reads only what is resident, which a
 * stack that was just in use is.
 */
#include <linux/kprobes.h>

#include "request/exit_hook.h"
#include "request/request.h"

static int exit_probe(struct kprobe *probe, struct pt_regs *regs)
{
	if (current->mm)
		uw_request_walk_last();
	return 0;
}

static struct kprobe probe = {
	.symbol_name = "exit_mm_release",
	.pre_handler = exit_probe,
};

static bool registered;

int uw_exit_hook_init(void)
{
	int err = register_kprobe(&probe);

	registered = !err;
	if (err)
		pr_notice("no probe of %s (%d): stacks asked for while a task exits are lost\n", probe.symbol_name,
			  err);
	return 0;
}

void uw_exit_hook_exit(void)
{
	if (!registered)
		return;
	/* Others' probes may hold this up, and grace periods are not expedited meanwhile. */
	disable_kprobe(&probe);
	rcu_expedite_gp();
	unregister_kprobe(&probe);
	rcu_unexpedite_gp();
}

// SPDX-License-Identifier: GPL-2.0
/*
 * A task that exits gives up its memory in exit_mm(), which begins with
 * exit_mm_release(), and one that executes a program in exec_mmap(), which calls
 * membarrier_exec_mmap() right before, under the task's alloc_lock; their task work comes
 * later. The tracepoints are no help: sched_process_exit came after exit_mm() until Linux 7.1,
 * and sched_process_exec comes when the other program is there.
 *
 * A probe may not sleep, so that the walk reads only what is resident, which a
 * stack that was just in use is.
 */
#include <linux/kprobes.h>

#include "request/release_hook.h"
#include "request/request.h"

static int release_probe(struct kprobe *probe, struct pt_regs *regs)
{
	if (current->mm)
		uw_request_walk_last();
	return 0;
}

struct release_hook {
	struct kprobe probe;
	const char *lost; /* without it */
	bool registered;
};

static struct release_hook hooks[] = {
	{ { .symbol_name = "exit_mm_release", .pre_handler = release_probe }, "while a task exits" },
	{ { .symbol_name = "membarrier_exec_mmap", .pre_handler = release_probe }, "before a task executes a program" },
};

static void hook_init(struct release_hook *hook)
{
	int err = register_kprobe(&hook->probe);

	hook->registered = !err;
	if (err)
		pr_notice("no probe of %s (%d): stacks asked for %s are lost\n", hook->probe.symbol_name, err,
			  hook->lost);
}

int uw_release_hook_init(void)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(hooks); i++)
		hook_init(&hooks[i]);
	return 0;
}

/* Others' probes may hold this up, and grace periods are not expedited meanwhile. */
void uw_release_hook_exit(void)
{
	struct kprobe *probes[ARRAY_SIZE(hooks)];
	int i, nr = 0;

	for (i = 0; i < ARRAY_SIZE(hooks); i++) {
		if (!hooks[i].registered)
			continue;
		disable_kprobe(&hooks[i].probe);
		probes[nr++] = &hooks[i].probe;
	}
	if (!nr)
		return;
	rcu_expedite_gp();
	unregister_kprobes(probes, nr);
	rcu_unexpedite_gp();
}

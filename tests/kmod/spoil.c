// SPDX-License-Identifier: GPL-2.0
/*
 * What a walk of one process finds for its program's code turns into no rule at all, as
 * if the table's memory had been written to since it was checked.
 */
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>

#include "stress.h"
#include "uwind.h"

static int spoil;
module_param(spoil, int, 0444);
MODULE_PARM_DESC(spoil, "process whose program's rules are spoiled; 0: nobody's");

static struct uwind_rule nothing = { .kind = 200 };

static void set_first_argument(struct pt_regs *regs, unsigned long value)
{
#ifdef CONFIG_X86_64
	regs->di = value;
#else
	regs->regs[0] = value;
#endif
}

/* uw_rule_apply(rule, arch, regs, ...): the walk's registers begin with pc. */
static int applying(struct kprobe *probe, struct pt_regs *regs)
{
	const u64 *pc = (const u64 *)regs_get_kernel_argument(regs, 2);

	if (current->tgid == spoil && current->mm && *pc >= current->mm->start_code && *pc < current->mm->end_code)
		set_first_argument(regs, (unsigned long)&nothing);
	return 0;
}

static struct kprobe probe = { .symbol_name = "uw_rule_apply", .pre_handler = applying };

int spoil_start(void)
{
	int err = spoil ? register_kprobe(&probe) : 0;

	if (err)
		spoil = 0;
	return err;
}

void spoil_stop(void)
{
	if (spoil)
		unregister_kprobe(&probe);
}

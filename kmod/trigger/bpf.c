// SPDX-License-Identifier: GPL-2.0
/*
 * BPF programs as a trigger: a kfunc, which goes with the module.
 *
 * The verifier finds it by the module's type information. That is made when the module is
 * built, from the kernel's, which Debian's headers have since 6.12.
 */
#ifdef UW_KFUNCS

#include <linux/bpf.h>
#include <linux/btf.h>
#include <linux/btf_ids.h>
#include <linux/module.h>

#include "trigger/bpf.h"
#include "trigger/trigger.h"

__bpf_kfunc_start_defs();

/**
 * uwind_request_stack() - ask for current's stack in user space
 *
 * In the name of every session that samples now, as if its counter had overflowed: each
 * looks at its own targets only. From tracing and kprobe programs, in any context.
 *
 * Return: the cookie that the stack will have in the sessions' records; 0: there is no
 * session or no user stack, current is no session's target, or the stack was counted as lost.
 */
__bpf_kfunc u64 uwind_request_stack(void)
{
	u64 cookie;

	return uw_trigger_all(NULL, &cookie) ? cookie : 0;
}

__bpf_kfunc_end_defs();

BTF_KFUNCS_START(uw_kfuncs)
BTF_ID_FLAGS(func, uwind_request_stack)
BTF_KFUNCS_END(uw_kfuncs)

static const struct btf_kfunc_id_set kfunc_set = {
	.owner = THIS_MODULE,
	.set = &uw_kfuncs,
};

int uw_trigger_bpf_init(void)
{
	int err = register_btf_kfunc_id_set(BPF_PROG_TYPE_TRACING, &kfunc_set) ?:
			  register_btf_kfunc_id_set(BPF_PROG_TYPE_KPROBE, &kfunc_set);

	if (err)
		pr_notice("BPF programs cannot ask for stacks (%d)\n", err);
	return 0;
}

#endif

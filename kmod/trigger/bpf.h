/* SPDX-License-Identifier: GPL-2.0 */
/*
 * BPF programs as a trigger.
 */
#ifndef UW_TRIGGER_BPF_H
#define UW_TRIGGER_BPF_H

/* Module init. A module without type information (BTF) does without. */
#ifdef UW_KFUNCS
#include <linux/types.h>

u64 uwind_request_stack(void); /* the kfunc */
int uw_trigger_bpf_init(void);
#else
static inline int uw_trigger_bpf_init(void)
{
	return 0;
}
#endif

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The kernel's stack at a trigger, as perf shows it.
 */
#ifndef UW_KERNEL_STACK_H
#define UW_KERNEL_STACK_H

#include <linux/types.h>

struct pt_regs;
struct task_struct;

/* Room that a stack needs besides its frames: for those of its handler, which go before it is returned. */
#define UW_KERNEL_STACK_SPARE 32u

/*
 * The stack of what current was doing in the kernel when it was interrupted with these registers: that pc, and its
 * callers' return addresses, at most so many, innermost first. Returns how many there are. There is room for
 * UW_KERNEL_STACK_SPARE more, and zeros, which are there afterwards, too. Called from a handler of that interrupt, any
 * context.
 */
u32 uw_kernel_stack(struct pt_regs *regs, unsigned long *frames, u32 most);

/*
 * The stack of a task that is off its CPU, and stays so meanwhile: where it will go on, and its callers, at most so many,
 * innermost first. Any context.
 */
u32 uw_kernel_stack_asleep(struct task_struct *task, unsigned long *frames, u32 most);

#endif

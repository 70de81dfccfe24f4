// SPDX-License-Identifier: GPL-2.0
/*
 * The kernel walks from here, and what the handler has added goes away: all that lies before the pc that was
 * interrupted.
 *
 * Other tasks' stacks Linux 6.1 does not walk for modules, and later ones leave the scheduler's functions out. So their
 * frame records are read here. Where an exception was taken in the kernel, later ones say so by a record of two zeros and
 * a type.
 */
#include <linux/minmax.h>
#include <linux/ptrace.h>
#include <linux/sched/task_stack.h>
#include <linux/stacktrace.h>
#include <linux/string.h>

#include <asm/processor.h>

#include "trigger/kernel_stack.h"

u32 uw_kernel_stack(struct pt_regs *regs, unsigned long *frames, u32 most)
{
	u32 all = stack_trace_save(frames, most + UW_KERNEL_STACK_SPARE, 0), handler = 0, nr;

	while (handler < all && frames[handler] != regs->pc)
		handler++;
	nr = min(all - handler, most);
	memmove(frames, frames + handler, nr * sizeof(*frames));
	memset(frames + nr, 0, (all - nr) * sizeof(*frames));
	if (nr)
		return nr;
	frames[0] = regs->pc;
	return 1;
}

struct record {
	unsigned long fp;
	unsigned long lr;
	unsigned long type; /* of one with two zeros */
};

/* Where a walk is: what runs next, and the record of its caller. */
struct place {
	unsigned long pc;
	unsigned long fp;
};

/* Kernel addresses have ones where their signature is. */
static unsigned long strip(unsigned long address)
{
	return address | ~0ul << VA_BITS;
}

static bool step_out_of_exception(struct place *at, const struct record *record)
{
#ifdef FRAME_META_TYPE_PT_REGS
	const struct pt_regs *regs = container_of((const void *)record, struct pt_regs, stackframe);

	if (READ_ONCE_NOCHECK(record->type) != FRAME_META_TYPE_PT_REGS)
		return false;
	*at = (struct place){ .pc = READ_ONCE_NOCHECK(regs->pc), .fp = READ_ONCE_NOCHECK(regs->regs[29]) };
	return true;
#else
	return false;
#endif
}

/*
 * The stack's top is left out: the registers of user space lie there. SP is a multiple of 16, and so are records, but for
 * those in registers.
 */
static bool step(struct place *at, struct task_struct *task)
{
	unsigned long bottom = (unsigned long)task_stack_page(task), fp = at->fp;
	const struct record *record = (const struct record *)fp;

	if (fp % sizeof(long) || fp < bottom || fp > bottom + THREAD_SIZE - sizeof(*record))
		return false;
	at->fp = READ_ONCE_NOCHECK(record->fp);
	at->pc = strip(READ_ONCE_NOCHECK(record->lr));
	if (!at->fp && at->pc == strip(0) && !step_out_of_exception(at, record))
		return false;
	return at->fp > fp || !at->fp;
}

u32 uw_kernel_stack_asleep(struct task_struct *task, unsigned long *frames, u32 most)
{
	struct place at = { .pc = thread_saved_pc(task), .fp = thread_saved_fp(task) };
	u32 nr = 0;

	do {
		frames[nr++] = strip(at.pc);
	} while (nr < most && step(&at, task));
	return nr;
}

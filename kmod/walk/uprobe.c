// SPDX-License-Identifier: GPL-2.0
/*
 * current->utask: only the task itself changes what is read here.
 */
#include <linux/mm.h>
#include <linux/string.h>

#include "uw_port_walk.h"
#include "walk/memory.h"
#include "walk/uprobe.h"

#define UW_MAX_RETURN_PROBES 64 /* the kernel's limit of probed functions at once */

static bool mapping_is_named(struct vm_area_struct *vma, const char *wanted)
{
	const char *name = vma->vm_ops && vma->vm_ops->name ? vma->vm_ops->name(vma) : NULL;

	return name && !strcmp(name, wanted);
}

/* The kernel's mappings for probes begin with a trampoline. */
static bool begins_mapping(struct uw_port *port, u64 address, const char *name)
{
	struct vm_area_struct *vma;
	bool begins;

	if ((address & ~PAGE_MASK) || uw_memory_lock(port))
		return false;
	vma = vma_lookup(current->mm, address);
	begins = vma && vma->vm_start == address && mapping_is_named(vma, name);
	mmap_read_unlock(current->mm);
	return begins;
}

/* Functions with return probes return to it. */
static bool is_trampoline(struct uw_port *port, u64 address)
{
	if (!port->trampoline && begins_mapping(port, address, "[uprobes]"))
		port->trampoline = address;
	return address && address == port->trampoline;
}

/* 7.2 on x86 calls it where there was a no-operation. */
static bool is_entry_trampoline(struct uw_port *port, u64 address)
{
	return IS_ENABLED(CONFIG_X86_64) && begins_mapping(port, address, "[uprobes-trampoline]");
}

/*
 * What an instance calls its stack is SP as the function begins: where the return address
 * lies, or, where calls leave it in a register, the CFA. The CFA may be a lower bound: see
 * core/rule.h. Instances that longjmp() has left lie below it.
 */
u64 uw_uprobe_caller(struct uw_port *port, u64 ra, u64 cfa)
{
	u8 pushed = uw_abis[port->arch].lr == UW_NO_REG ? port->word_bytes : 0;
	const struct return_instance *probed = current->utask->return_instances;
	u32 i;

	if (!probed || !is_trampoline(port, ra))
		return ra;
	for (i = 0; probed && i < UW_MAX_RETURN_PROBES; i++, probed = probed->next)
		if (probed->stack + pushed >= cfa)
			return probed->orig_ret_vaddr;
	return ra;
}

/* The innermost function has returned to a trampoline, or called one. */
static void undo_way_out(struct uw_port *port, struct uw_regs *regs)
{
	u64 *sp = &regs->r[uw_arch_sp(port->arch)], ra;
	struct uw_way_out out;

	if (!uw_uprobe_way_out(regs->pc, &out)) {
		regs->pc = uw_uprobe_caller(port, regs->pc, *sp);
		return;
	}
	ra = regs->pc & PAGE_MASK;
	if (out.calls)
		ra = uw_uprobe_caller(port, ra, *sp + out.sp_off + port->word_bytes);
	else if (uw_port_word(port, *sp + out.sp_off, &ra))
		return;
	*sp += out.sp_off + port->word_bytes + out.dropped;
	regs->pc = ra;
}

/* A trampoline is about to be called, with SP below what the function may have there. */
static void undo_way_in(struct uw_port *port, struct uw_regs *regs)
{
	struct uw_way_in in;

	if (uw_uprobe_way_in(regs->pc, &in) && is_entry_trampoline(port, in.trampoline))
		regs->r[uw_arch_sp(port->arch)] += in.skipped;
}

/* A probed instruction is at pc itself, or about to be executed elsewhere. */
void uw_uprobe_regs(struct uw_port *port, struct uw_regs *regs)
{
	const struct uprobe_task *utask = current->utask;
	u64 page = regs->pc & PAGE_MASK;

	if (utask->state == UTASK_SSTEP && regs->pc - utask->xol_vaddr < UPROBE_XOL_SLOT_BYTES)
		regs->pc = utask->vaddr + (regs->pc - utask->xol_vaddr);
	else if (regs->pc - page < UPROBE_XOL_SLOT_BYTES &&
		 (is_trampoline(port, page) || is_entry_trampoline(port, page)))
		undo_way_out(port, regs);
	else
		undo_way_in(port, regs);
}

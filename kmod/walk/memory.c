// SPDX-License-Identifier: GPL-2.0
/*
 * Which words of current's memory a walk may read.
 *
 * A register may hold anything, and a wrong rule may lead anywhere. A word is
 * read only from a mapping that has been looked at: one of a device would feel
 * the read even if it is resident. Where the kernel counts the changes of a memory
 * map, the mapping that a stack lies in is remembered in the space, so that a walk
 * looks for it in a small sorted array, without a lock. Elsewhere each
 * walk looks at it once (space.c).
 *
 * A fault is allowed in the walk's own stack only, and only if resolving it
 * cannot wait for user space.
 *
 * Nor does a walk wait for a task that changes the memory map. Another thread of the
 * process can keep mmap_lock for as long as it likes: it has used up its control
 * group's time, or its page comes from user space while a writer waits for it.
 * The walk would be held up by that, and the module by the walk. So a walk has
 * some tries in all, and ends if the lock was busy at each.
 */
#include <linux/delay.h>
#include <linux/mm.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/userfaultfd_k.h>

#include "stall.h"
#include "store/space.h"
#include "uw_port_walk.h"
#include "walk/memory.h"

#define UW_LOCK_TRIES   10 /* of one walk, to get a lock that is busy */
#define UW_LOCK_WAIT_US 50 /* between two of them, and up to twice that */

static void memory_enter(struct uw_port *port, u64 start, u64 end)
{
	port->readable_start = start;
	port->readable_places = end - start - port->word_bytes + 1;
}

/* Under rcu_read_lock(). */
static bool memory_find(struct uw_port *port, u64 address)
{
	const struct uw_range *range;

	range = uw_ranges_find(rcu_dereference(port->space->readable.ranges), address);
	if (!range || !uw_range_is_true(range, port->epoch))
		return false;
	memory_enter(port, range->start, range->end);
	return true;
}

static bool memory_is_known(struct uw_port *port, u64 address)
{
	bool known;

	if (!UW_MM_SEQUENCE || !port->space)
		return false;
	rcu_read_lock();
	known = memory_find(port, address);
	rcu_read_unlock();
	return known;
}

static int memory_lock_busy(struct uw_port *port)
{
	while (port->lock_tries) {
		port->lock_tries--;
		if (fatal_signal_pending(current))
			return -EINTR;
		usleep_range(UW_LOCK_WAIT_US, 2 * UW_LOCK_WAIT_US);
		if (mmap_read_trylock(current->mm))
			return 0;
	}
	port->busy = true;
	return -EAGAIN;
}

int uw_memory_lock(struct uw_port *port)
{
	if (mmap_read_trylock(current->mm))
		return 0;
	return memory_lock_busy(port);
}

void uw_memory_begin(struct uw_port *port, enum uw_arch arch, u64 sp, bool atomic)
{
	struct uw_space *space = atomic ? uw_space_find(current->mm) : uw_space_get(current->mm);

	memset(port, 0, sizeof(*port));
	port->atomic = atomic;
	port->lock_tries = atomic ? 0 : UW_LOCK_TRIES;
	port->space = IS_ERR(space) ? NULL : space;
	port->epoch = port->space ? uw_space_epoch(port->space) : 0;
	port->arch = arch;
	port->word_bytes = uw_abis[arch].word;
	port->sp = sp;
	port->probed = uw_uprobed();
}

/* It is what it was when it was looked at before. */
static bool memory_confirm(const struct uw_port *port, const struct uw_range *now)
{
	const struct uw_range *range;
	bool same;

	rcu_read_lock();
	range = uw_ranges_find(rcu_dereference(port->space->readable.ranges), now->start);
	same = range && range->start == now->start && range->end == now->end;
	if (same)
		WRITE_ONCE(((struct uw_range *)range)->epoch, now->epoch);
	rcu_read_unlock();
	return same;
}

/* A stack grows, and mappings merge: what was remembered of it goes. */
static void memory_remember(struct uw_port *port, const struct vm_area_struct *vma)
{
	struct uw_range range = { .start = vma->vm_start, .end = vma->vm_end };

	lockdep_assert_held_read(&current->mm->mmap_lock);
	uw_port_set_epoch(port, uw_space_epoch_locked(port->space, port->epoch));
	range.epoch = port->epoch;
	if (!memory_confirm(port, &range) && !port->atomic)
		uw_range_set_replace(&port->space->readable, &range, UW_MAX_READABLE_RANGES);
}

static int memory_look(struct uw_port *port, u64 address)
{
	struct vm_area_struct *vma = vma_lookup(current->mm, address);

	lockdep_assert_held_read(&current->mm->mmap_lock);
	if (!vma)
		return -EFAULT;
	if (vma->vm_flags & (VM_IO | VM_PFNMAP))
		return -EACCES;
	if (UW_MM_SEQUENCE && port->space)
		memory_remember(port, vma);
	memory_enter(port, vma->vm_start, vma->vm_end);
	return 0;
}

int uw_memory_enter_at(struct uw_port *port, u64 address)
{
	int err = 0;

	if (address >= TASK_SIZE_MAX)
		return -EFAULT;
	if (!memory_is_known(port, address)) {
		err = uw_memory_lock(port);
		if (err)
			return err;
		err = memory_look(port, address);
		mmap_read_unlock(current->mm);
	}
	if (!err && address - port->readable_start >= port->readable_places)
		err = -EFAULT; /* half of the word lies beyond the mapping */
	return err;
}

u64 uw_memory_readable(struct uw_port *port, u64 address)
{
	if (address - port->readable_start >= port->readable_places && uw_memory_enter_at(port, address))
		return 0;
	return port->readable_start + port->readable_places + port->word_bytes - 1 - address;
}

/* Its first and last words are in mappings that have been looked at. */
int uw_memory_fetch(struct uw_port *port, u64 address, u8 code[UW_CODE_BYTES])
{
	int err = uw_memory_enter_at(port, address + UW_CODE_BYTES - port->word_bytes);

	if (!err && address - port->readable_start >= port->readable_places)
		err = uw_memory_enter_at(port, address);
	if (err)
		return err;
	return copy_from_user_nofault(code, (const void __user *)(unsigned long)address, UW_CODE_BYTES);
}

static bool may_fault_in(const struct vm_area_struct *vma)
{
	return vma_is_anonymous((struct vm_area_struct *)vma) && !(vma->vm_flags & (VM_IO | VM_PFNMAP)) &&
	       !userfaultfd_armed((struct vm_area_struct *)vma);
}

/* Stacks are anonymous memory, and the kernel merges none of two that keep a guard page apart. */
bool uw_memory_other_stack(struct uw_port *port, u64 sp, u64 address)
{
	struct vm_area_struct *vma;
	bool other;

	if (uw_memory_lock(port))
		return false;
	vma = vma_lookup(current->mm, address);
	other = vma && sp >= vma->vm_end && (vma->vm_flags & VM_WRITE) && may_fault_in(vma);
	mmap_read_unlock(current->mm);
	return other;
}

/*
 * The page that a word of the walk's own stack begins or ends in. mmap_lock is held from
 * the look to the fault, so that nobody can register that memory for userfaultfd in
 * between; and the fault cannot wait for anything that needs the lock to be dropped.
 */
static int page_in_stack(const struct uw_port *port, u64 address)
{
	struct vm_area_struct *vma = vma_lookup(current->mm, address);

	lockdep_assert_held_read(&current->mm->mmap_lock);
	if (!vma || port->sp < vma->vm_start || port->sp >= vma->vm_end || !may_fault_in(vma))
		return -EACCES;
	uw_stall(UW_STALL_FAULT);
	return fixup_user_fault(current->mm, address, 0, NULL);
}

static int fault_in_stack(struct uw_port *port, u64 address)
{
	u64 last = address + port->word_bytes - 1;
	int err = uw_memory_lock(port);

	if (err)
		return err;
	err = page_in_stack(port, address);
	if (!err && (address ^ last) & PAGE_MASK)
		err = page_in_stack(port, last);
	mmap_read_unlock(current->mm);
	return err;
}

int uw_memory_fault(struct uw_port *port, u64 address, u64 *word)
{
	int err;

	if (fatal_signal_pending(current))
		return -EINTR;
	if (port->atomic)
		return -EFAULT;
	err = fault_in_stack(port, address);
	if (err == -EINTR || err == -EACCES || err == -EAGAIN)
		return err;
	if (!err && !uw_word_nofault(port, address, word))
		return 0;
	return fatal_signal_pending(current) ? -EINTR : -EFAULT;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * From an address to a rule.
 *
 * Ranges bound by hand, and ranges that earlier walks found in VMAs: both are
 * sorted arrays that are read under RCU. Only an address in no VMA that is known,
 * or whose VMA may have changed since (space.c), takes mmap_lock, looks at the VMA
 * and remembers it: its file if it has one, so that a table that is registered for
 * the file later, or taken away, is seen at once and in every process. A table
 * bound by hand comes before the file's, row by row.
 */
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/mm.h>

#include "store/file_store.h"
#include "store/space.h"
#include "store/table_store.h"
#include "store/tie.h"
#include "uw_port_walk.h"
#include "walk/memory.h"
#include "walk/regs.h"
#include "walk/steps.h"

/* -ENOENT: the table is gone, is for other code, or has no row. Under rcu_read_lock(). */
static int rule_of_table(const struct uw_port *port, const struct uw_stored_table *stored, u64 offset,
			 struct uw_found *found)
{
	const struct uw_rule *rule;

	if (!stored || stored->arch != port->arch || !uw_stored_table_applies(stored))
		return -ENOENT;
	found->method = stored->method;
	found->table = stored->number;
	rule = uw_table_find(&stored->table, offset);
	if (!rule)
		return -ENOENT;
	found->rule = *rule;
	found->lasting = !stored->maker.viewer;
	return 0;
}

/*
 * Fill found for an address in a mapping: the rule from the table that is bound
 * there by hand if it has a row, else from the file's. Where a table's maker sees current,
 * he may not see another thread, so that nothing lasts. Under rcu_read_lock().
 */
static int rule_of_range(const struct uw_port *port, const struct uw_range *mapped, const struct uw_range *bound,
			 u64 address, struct uw_found *found)
{
	u64 bound_offset = bound ? address - bound->start + bound->offset : 0;

	found->table = 0;
	found->offset = address - mapped->start + mapped->offset;
	found->file = mapped->file ? mapped->file->number : 0;
	if (bound && !found->file)
		found->offset = bound_offset;
	if (bound && !rule_of_table(port, bound->stored, bound_offset, found))
		return 0;
	if (!mapped->file || rule_of_table(port, uw_tie_table(mapped->file), found->offset, found))
		return -ENOENT;
	found->lasting &= !bound || !bound->stored->maker.viewer;
	return 0;
}

/* The mapping, if it is known and has not changed, or NULL. Under rcu_read_lock(). */
static const struct uw_range *mapped_find(struct uw_port *port, u64 address)
{
	const struct uw_range *mapped;

	mapped = uw_ranges_find_near(rcu_dereference(port->space->mapped.ranges), address, &port->last_mapped);
	if (!mapped || !uw_range_is_true(mapped, port->epoch))
		return NULL;
	uw_steps_cover(port, mapped);
	return mapped;
}

/* -EAGAIN: the mapping is not known, or may have changed. */
static int rule_of_space(struct uw_port *port, u64 address, struct uw_found *found)
{
	const struct uw_range *mapped;
	int err = -EAGAIN;

	rcu_read_lock();
	mapped = mapped_find(port, address);
	if (mapped)
		err = rule_of_range(port, mapped, uw_ranges_find_living(uw_space_bound_ranges(port->space), address),
				    address, found);
	rcu_read_unlock();
	return err;
}

static bool is_vdso(const struct vm_area_struct *vma)
{
	return !vma->vm_file && vma->vm_start == (unsigned long)vma->vm_mm->context.vdso;
}

/* A 64-bit process has its vDSO near its stack, far above the first 4 GiB. */
static enum uw_arch vdso_arch(const struct vm_area_struct *vma)
{
	return vma->vm_end <= 1ull << 32 ? UW_COMPAT_ARCH : UW_ARCH;
}

/* -ENOMEM: there is a file, but no memory to know it by. Atomic: a file that nobody met before is none. */
static int range_from_vma(struct uw_range *range, struct vm_area_struct *vma, bool atomic)
{
	struct uw_file *file = NULL;

	memset(range, 0, sizeof(*range));
	range->start = vma->vm_start;
	range->end = vma->vm_end;
	if (is_vdso(vma)) {
		file = uw_file_get_vdso(vdso_arch(vma));
	} else if (vma->vm_file) {
		range->offset = (u64)vma->vm_pgoff << PAGE_SHIFT;
		file = atomic ? uw_file_get_known(vma->vm_file) : uw_file_get_mapped(vma->vm_file);
	}
	if (!IS_ERR_OR_NULL(file)) {
		range->file = file;
	} else if (vma->vm_file) {
		range->refused = vma->vm_file;
		range->refused_at = jiffies;
	}
	return file == ERR_PTR(-ENOMEM) ? -ENOMEM : 0;
}

/* The range is what is mapped there now: the same part of the same file, in the same state. */
static bool range_matches_vma(const struct uw_range *range, struct vm_area_struct *vma)
{
	if (range->start != vma->vm_start || range->end != vma->vm_end)
		return false;
	if (is_vdso(vma))
		return range->file && range->file->vdso;
	if (!vma->vm_file)
		return !range->file && !range->refused;
	if (range->offset != (u64)vma->vm_pgoff << PAGE_SHIFT)
		return false;
	return range->file ? !range->file->vdso && uw_file_is(range->file, vma->vm_file) :
			     range->refused == vma->vm_file && uw_range_refusal_holds(range);
}

/* A mapping that was met before, and is the same, is true again, and this walk has found that. */
static bool mapped_confirm(struct uw_port *port, struct vm_area_struct *vma)
{
	struct uw_range *range;
	bool same;

	lockdep_assert_held_read(&current->mm->mmap_lock);
	uw_port_set_epoch(port, uw_space_epoch_locked(port->space, port->epoch));
	rcu_read_lock();
	range = (struct uw_range *)uw_ranges_find(rcu_dereference(port->space->mapped.ranges), vma->vm_start);
	same = range && range_matches_vma(range, vma);
	if (same) {
		WRITE_ONCE(range->epoch, port->epoch);
		uw_steps_cover(port, range);
	}
	rcu_read_unlock();
	return same;
}

/*
 * That a file was refused, as the store had no room, is remembered for some time. One that
 * there was no memory for is looked up again each time.
 */
static int rule_of_vma(const struct uw_port *port, struct vm_area_struct *vma, u64 address, struct uw_found *found)
{
	struct uw_space *space = port->space;
	const struct uw_range *bound = NULL;
	struct uw_range range;
	int err, no_memory;

	lockdep_assert_held_read(&current->mm->mmap_lock);
	no_memory = range_from_vma(&range, vma, port->atomic);
	range.epoch = port->epoch;
	rcu_read_lock();
	if (space)
		bound = uw_ranges_find_living(uw_space_bound_ranges(space), address);
	err = rule_of_range(port, &range, bound, address, found);
	rcu_read_unlock();
	found->lasting = false;
	if (space && !no_memory && !port->atomic && !uw_range_set_replace(&space->mapped, &range, UW_MAX_MAPPED_RANGES))
		return err;
	if (range.file)
		uw_file_put(range.file);
	return err;
}

static int lookup_look(struct uw_port *port, u64 address, struct uw_found *found)
{
	struct vm_area_struct *vma = vma_lookup(current->mm, address);
	int err = -EAGAIN;

	lockdep_assert_held_read(&current->mm->mmap_lock);
	if (!vma || !(vma->vm_flags & VM_EXEC))
		return -EFAULT;
	if (port->space && mapped_confirm(port, vma))
		err = rule_of_space(port, address, found);
	return err == -EAGAIN ? rule_of_vma(port, vma, address, found) : err;
}

int uw_lookup_find(struct uw_port *port, u64 address, struct uw_found *found)
{
	int err = -EAGAIN;

	if (address >= TASK_SIZE_MAX)
		return -EFAULT;
	if (port->space)
		err = rule_of_space(port, address, found);
	if (err != -EAGAIN)
		return err;
	err = uw_memory_lock(port);
	if (err)
		return err;
	err = lookup_look(port, address, found);
	mmap_read_unlock(current->mm);
	return err;
}

/* Where each walk looks at each mapping, that is not asked for: hardly another walk has done so since this one began. */
static bool cover_known(struct uw_port *port, u64 address)
{
	bool known;

	if (!UW_MM_SEQUENCE)
		return false;
	rcu_read_lock();
	known = mapped_find(port, address);
	rcu_read_unlock();
	return known;
}

static bool cover_look(struct uw_port *port, u64 address)
{
	struct vm_area_struct *vma = vma_lookup(current->mm, address);

	return vma && (vma->vm_flags & VM_EXEC) && mapped_confirm(port, vma);
}

/* What is not known is left to uw_lookup_find(). */
bool uw_lookup_cover(struct uw_port *port, u64 address)
{
	bool covered;

	if (!port->space || address >= TASK_SIZE_MAX)
		return false;
	if (cover_known(port, address))
		return true;
	if (uw_memory_lock(port))
		return false;
	covered = cover_look(port, address);
	mmap_read_unlock(current->mm);
	return covered;
}

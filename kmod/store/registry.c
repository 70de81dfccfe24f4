// SPDX-License-Identifier: GPL-2.0
/*
 * What is bound and met in the memory of one mm. Tables are bound to ranges under
 * mmap_lock, so that none of them is unmapped meanwhile.
 */
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/limits.h>
#include <linux/mm.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>

#include "store/file_store.h"
#include "store/registry.h"
#include "store/space.h"
#include "store/table_store.h"
#include "uwind.h"

bool uw_registry_mapping(const struct uw_file *file, u64 address, struct uwind_range *mapping)
{
	struct uw_space *space = current->mm ? uw_space_find(current->mm) : NULL;
	const struct uw_range *range = NULL;

	rcu_read_lock();
	if (space)
		range = uw_ranges_find(rcu_dereference(space->mapped.ranges), address);
	if (range && range->file != file)
		range = NULL;
	if (range) {
		mapping->start = range->start;
		mapping->end = range->end;
		mapping->offset = range->offset;
	}
	rcu_read_unlock();
	return range;
}

const char *uw_registry_path(const struct uw_file *file, u64 address, char *buffer)
{
	struct vm_area_struct *vma;
	char *path = NULL;

	if (!current->mm || !mmap_read_trylock(current->mm))
		return NULL;
	vma = vma_lookup(current->mm, address);
	if (vma && vma->vm_file && uw_file_is(file, vma->vm_file))
		path = uw_mapped_path(vma->vm_file, buffer, PATH_MAX);
	mmap_read_unlock(current->mm);
	return IS_ERR(path) ? NULL : path;
}

static int check_executable(struct mm_struct *mm, u64 start, u64 end)
{
	lockdep_assert_held_read(&mm->mmap_lock);
	while (start < end) {
		struct vm_area_struct *vma = vma_lookup(mm, start);

		if (!vma || !(vma->vm_flags & VM_EXEC))
			return -EFAULT;
		start = vma->vm_end;
	}
	return 0;
}

/* Their references are the set's if they are added. None of them is unmapped meanwhile. */
static int bind_locked(struct uw_space *space, const struct uw_range *bound, u32 nr)
{
	u32 i;
	int err = 0;

	lockdep_assert_held_read(&space->mm->mmap_lock);
	for (i = 0; !err && i < nr; i += !err)
		err = uw_table_store_bind(bound[i].stored);
	if (!err)
		err = uw_range_set_add(&space->bound->set, bound, nr, UW_MAX_BOUND_RANGES, GFP_KERNEL_ACCOUNT);
	while (err && i-- > 0)
		uw_table_store_unbind(bound[i].stored);
	return err;
}

static int bind_ranges(struct uw_space *space, struct uw_stored_table *stored, const struct uwind_range *ranges, u32 nr,
		       u64 section)
{
	struct uw_range *bound = kvcalloc(nr, sizeof(*bound), GFP_KERNEL_ACCOUNT);
	int err = bound ? 0 : -ENOMEM;
	u32 i;

	for (i = 0; !err && i < nr; i++) {
		err = check_executable(space->mm, ranges[i].start, ranges[i].end);
		bound[i].start = ranges[i].start;
		bound[i].end = ranges[i].end;
		bound[i].offset = ranges[i].offset;
		bound[i].section = section;
		bound[i].stored = stored;
	}
	if (!err)
		err = bind_locked(space, bound, nr);
	kvfree(bound);
	return err;
}

/* A space that is watched, and mmap_lock held for reading. */
static struct uw_space *bind_begin(struct mm_struct *mm)
{
	struct uw_space *space = uw_space_get(mm);
	int err;

	if (IS_ERR(space))
		return space;
	err = uw_space_watch(space);
	if (!err && mmap_read_lock_killable(mm))
		err = -EINTR;
	return err ? ERR_PTR(err) : space;
}

int uw_registry_bind(struct mm_struct *mm, struct uw_stored_table *stored, const struct uwind_range *ranges, u32 nr,
		     u64 section)
{
	struct uw_space *space = bind_begin(mm);
	int err;

	if (IS_ERR(space))
		return PTR_ERR(space);
	err = bind_ranges(space, stored, ranges, nr, section);
	mmap_read_unlock(mm);
	return err;
}

static int inherit_ranges(struct uw_space *space, const struct uw_ranges *ranges, u64 deaths)
{
	struct uw_range *bound = kvcalloc(ranges->nr, sizeof(*bound), GFP_KERNEL_ACCOUNT);
	u32 i, nr = 0;
	int err;

	if (!bound)
		return -ENOMEM;
	for (i = 0; i < ranges->nr; i++) {
		const struct uw_range *range = &ranges->range[i];

		if (uw_range_was_dead(range, deaths) || check_executable(space->mm, range->start, range->end))
			continue;
		bound[nr] = *range;
		bound[nr++].died = 0;
	}
	err = nr ? bind_locked(space, bound, nr) : 0;
	kvfree(bound);
	return err;
}

int uw_registry_inherit(const struct uw_ranges *ranges, u64 deaths)
{
	struct uw_space *space;
	int err;

	if (!ranges->nr)
		return 0;
	space = bind_begin(current->mm);
	if (IS_ERR(space))
		return PTR_ERR(space);
	err = inherit_ranges(space, ranges, deaths);
	mmap_read_unlock(current->mm);
	return err;
}

struct uw_range_set *uw_registry_bound(struct mm_struct *mm)
{
	struct uw_space *space = uw_space_find(mm);
	struct uw_bound *bound = space ? uw_space_bound(space) : NULL;

	return bound ? &bound->set : NULL;
}

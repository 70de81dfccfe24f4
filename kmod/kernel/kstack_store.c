// SPDX-License-Identifier: GPL-2.0
/*
 * Slots of tasks are a table of hashes: a task has one of a few places, and gives way there to one that is deeper.
 */
#include <linux/hash.h>
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "kernel/kstack_store.h"

#define PLACES 8u /* that one task may have */

static_assert(sizeof(struct uwind_kstack_counts) ==
	      sizeof(struct uwind_kstack_head) + UW_KSTACK_NR_COUNTS * sizeof(u64));
static_assert(offsetof(struct uw_kstack_slot, frames) ==
	      offsetof(struct uw_kstack_slot, stack) + sizeof(struct uwind_kstack_stack));

static int room_init(struct uw_kstack_cpu *cpu)
{
	cpu->slots = kvcalloc(UW_KSTACK_CPU_SLOTS, sizeof(*cpu->slots), GFP_KERNEL_ACCOUNT);
	cpu->scratch = kvcalloc(UW_KSTACK_CONTEXTS, sizeof(*cpu->scratch), GFP_KERNEL_ACCOUNT);
	return cpu->slots && cpu->scratch ? 0 : -ENOMEM;
}

int uw_kstack_store_init(struct uw_kstack_store *store, u32 nr_tasks)
{
	unsigned int number;
	int err = 0;

	store->cpus = alloc_percpu_gfp(struct uw_kstack_cpu, GFP_KERNEL_ACCOUNT);
	if (!store->cpus)
		return -ENOMEM;
	for_each_possible_cpu(number)
		err = err ?: room_init(per_cpu_ptr(store->cpus, number));
	if (err || !nr_tasks)
		return err;
	store->nr_tasks = nr_tasks;
	store->tasks = kvcalloc(nr_tasks, sizeof(*store->tasks), GFP_KERNEL_ACCOUNT);
	return store->tasks ? 0 : -ENOMEM;
}

void uw_kstack_store_deinit(struct uw_kstack_store *store)
{
	unsigned int number;

	kvfree(store->tasks);
	if (!store->cpus)
		return;
	for_each_possible_cpu(number) {
		kvfree(per_cpu_ptr(store->cpus, number)->slots);
		kvfree(per_cpu_ptr(store->cpus, number)->scratch);
	}
	free_percpu(store->cpus);
}

/* The place is given to current. False: it is held, or has got deeper meanwhile. */
static bool displace(struct uw_kstack_slot *slot, struct uw_kstack_cpu *cpu, u64 key, u32 depth)
{
	bool done = false;

	if (!uw_kstack_slot_try(slot))
		return false;
	if (slot->depth < depth) {
		cpu->counts[UW_KSTACK_TASKS_DISPLACED] += slot->task != 0;
		WRITE_ONCE(slot->depth, 0);
		WRITE_ONCE(slot->task, key);
		done = true;
	}
	uw_kstack_slot_release(slot);
	return done;
}

struct uw_kstack_slot *uw_kstack_store_task(struct uw_kstack_store *store, struct uw_kstack_cpu *cpu, u32 depth)
{
	const u64 key = uw_kstack_task();
	const u32 first = hash_64(key, 32), places = min(PLACES, store->nr_tasks);
	struct uw_kstack_slot *shallowest = NULL, *slot;
	u32 i;

	for (i = 0; i < places; i++) {
		slot = &store->tasks[(first + i) % store->nr_tasks];
		if (READ_ONCE(slot->task) == key)
			return READ_ONCE(slot->depth) < depth ? slot : NULL;
		if (!shallowest || READ_ONCE(slot->depth) < READ_ONCE(shallowest->depth))
			shallowest = slot;
	}
	if (READ_ONCE(shallowest->depth) >= depth || !displace(shallowest, cpu, key, depth)) {
		cpu->counts[UW_KSTACK_TASKS_MISSED]++;
		return NULL;
	}
	return shallowest;
}

void uw_kstack_store_counts(const struct uw_kstack_store *store, struct uwind_kstack_counts *counts)
{
	u64 *sums = &counts->entries;
	unsigned int number, i;

	for_each_possible_cpu(number)
		for (i = 0; i < UW_KSTACK_NR_COUNTS; i++)
			sums[i] += READ_ONCE(per_cpu_ptr(store->cpus, number)->counts[i]);
}

u32 uw_kstack_store_slots(const struct uw_kstack_store *store)
{
	return nr_cpu_ids * UW_KSTACK_CPU_SLOTS + store->nr_tasks;
}

struct uw_kstack_slot *uw_kstack_store_slot(const struct uw_kstack_store *store, u32 number, u32 *type)
{
	const u32 cpu = number / UW_KSTACK_CPU_SLOTS;

	if (cpu >= nr_cpu_ids) {
		*type = UWIND_KSTACK_RECORD_TASK;
		return &store->tasks[number - nr_cpu_ids * UW_KSTACK_CPU_SLOTS];
	}
	*type = UWIND_KSTACK_RECORD_CPU;
	return cpu_possible(cpu) ? &per_cpu_ptr(store->cpus, cpu)->slots[number % UW_KSTACK_CPU_SLOTS] : NULL;
}

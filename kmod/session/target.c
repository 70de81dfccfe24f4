// SPDX-License-Identifier: GPL-2.0
/*
 * Targets in a hash of twice as many slots as there may be targets. A slot is
 * set by cmpxchg and cleared by the sweep alone, which runs ten times a second:
 * the other half is room for the children of a tenth of a second. It looks only
 * into groups of slots that are in use.
 */
#include <linux/bitmap.h>
#include <linux/hash.h>
#include <linux/mm.h>
#include <linux/pid.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>

#include "access/viewer.h"
#include "session/target.h"
#include "uwind.h"

#define UW_TARGET_BITS   13
#define UW_TARGET_PROBES 32
#define UW_TARGET_GROUP  ((1u << UW_TARGET_BITS) / UW_TARGET_GROUPS) /* slots */

static_assert((1 << UW_TARGET_BITS) >= 2 * UWIND_MAX_TARGETS);

static u32 slot_number(struct pid *pid, u32 probe)
{
	return (hash_ptr(pid, UW_TARGET_BITS) + probe) & ((1 << UW_TARGET_BITS) - 1);
}

static struct pid **target_slot(const struct uw_targets *targets, struct pid *pid, u32 probe)
{
	return &targets->slots[slot_number(pid, probe)];
}

bool uw_targets_has(const struct uw_targets *targets, struct task_struct *task)
{
	struct pid *pid = task_tgid(task);
	u32 i;

	/* A task that was reaped, and still runs, has none, as a free slot. */
	for (i = 0; pid && targets->slots && i < UW_TARGET_PROBES; i++)
		if (READ_ONCE(*target_slot(targets, pid, i)) == pid)
			return true;
	return false;
}

static bool process_is_gone(struct pid *pid)
{
	bool gone;

	rcu_read_lock();
	gone = !pid_task(pid, PIDTYPE_TGID);
	rcu_read_unlock();
	return gone;
}

/* No lock and no allocator: fork() calls this where PREEMPT_RT must not sleep. */
bool uw_targets_add(struct uw_targets *targets, struct pid *pid)
{
	u32 i;

	get_pid(pid);
	for (i = 0; i < UW_TARGET_PROBES; i++) {
		struct pid *old = cmpxchg(target_slot(targets, pid, i), NULL, pid);

		if (!old) {
			set_bit(slot_number(pid, i) / UW_TARGET_GROUP, targets->used);
			return true;
		}
		if (old == pid)
			break;
	}
	put_pid(pid); /* the caller has a reference: not the last */
	return i < UW_TARGET_PROBES;
}

/* Whether a slot of the group is still in use. */
static bool group_sweep(struct pid **slots)
{
	bool used = false;
	u32 i;

	for (i = 0; i < UW_TARGET_GROUP; i++) {
		struct pid *pid = READ_ONCE(slots[i]);

		if (!pid)
			continue;
		if (!process_is_gone(pid)) {
			used = true;
			continue;
		}
		WRITE_ONCE(slots[i], NULL);
		put_pid(pid);
	}
	return used;
}

void uw_targets_sweep(struct uw_targets *targets)
{
	u32 group;

	might_sleep();
	for (group = 0; targets->slots && group < UW_TARGET_GROUPS; group++) {
		/* Before its slots are read: whoever fills one later sets it again. */
		if (!test_and_clear_bit(group, targets->used))
			continue;
		if (group_sweep(targets->slots + group * UW_TARGET_GROUP))
			set_bit(group, targets->used);
	}
}

static int target_add_number(struct uw_targets *targets, s32 number, const struct cred *viewer)
{
	struct pid *pid = find_get_pid(number);
	struct task_struct *task = get_pid_task(pid, PIDTYPE_TGID);
	int err = -ESRCH;

	if (task) {
		if (!uw_viewer_sees(viewer, task))
			err = -EACCES;
		else
			err = uw_targets_add(targets, pid) ? 0 : -ENOMEM;
		put_task_struct(task);
	}
	put_pid(pid);
	return err;
}

int uw_targets_init(struct uw_targets *targets)
{
	bitmap_zero(targets->used, UW_TARGET_GROUPS);
	targets->slots = kvcalloc(1 << UW_TARGET_BITS, sizeof(*targets->slots), GFP_KERNEL);
	return targets->slots ? 0 : -ENOMEM;
}

int uw_targets_name(struct uw_targets *targets, const s32 *pids, u32 nr, const struct cred *viewer)
{
	int err = 0;
	u32 i;

	for (i = 0; !err && i < nr; i++)
		err = target_add_number(targets, pids[i], viewer);
	return err;
}

void uw_targets_deinit(struct uw_targets *targets)
{
	u32 i;

	for (i = 0; targets->slots && i < 1 << UW_TARGET_BITS; i++)
		put_pid(targets->slots[i]);
	kvfree(targets->slots);
	targets->slots = NULL;
}

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sets of processes: those that a session looks at, or does not.
 */
#ifndef UW_TARGET_H
#define UW_TARGET_H

#include <linux/types.h>

#define UW_TARGET_GROUPS 64 /* of slots */

struct cred;
struct pid;
struct task_struct;

/*
 * A set of processes; empty without uw_targets_init(). Kept by struct pid, not
 * by number: a reference makes sure that it is not reused, and comparing
 * pointers is safe in NMIs.
 */
struct uw_targets {
	/*
	 * Open addressing, without an end of a chain. Set by uw_targets_init(), owned. A slot holds a reference. It is
	 * set by cmpxchg() in any context but NMIs, cleared by the sweep alone, and read anywhere by READ_ONCE().
	 */
	struct pid **slots;
	/* Groups of slots, one of which may be set: a bit is set after a slot, and cleared before they are looked at. */
	DECLARE_BITMAP(used, UW_TARGET_GROUPS);
};

/* Room for processes. -ENOMEM. */
int uw_targets_init(struct uw_targets *targets);
void uw_targets_deinit(struct uw_targets *targets);

/* Any context. */
bool uw_targets_has(const struct uw_targets *targets, struct task_struct *task);

/*
 * Put in what has these numbers in current's namespace. -ESRCH, -ENOMEM (no room),
 * -EACCES: the viewer does not see it.
 */
int uw_targets_name(struct uw_targets *targets, const s32 *pids, u32 nr, const struct cred *viewer);

/* Not in NMIs. Returns false if there is no room. */
bool uw_targets_add(struct uw_targets *targets, struct pid *pid);

/* Make room: forget processes that are gone. One at a time; may sleep. */
void uw_targets_sweep(struct uw_targets *targets);

#endif

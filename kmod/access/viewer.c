// SPDX-License-Identifier: GPL-2.0
/*
 * ptrace's rules for reading, as far as they can be asked in an NMI.
 */
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/sched/task.h>
#include <linux/uidgid.h>
#include <linux/user_namespace.h>

#include "access/viewer.h"

static bool same_ids(const struct cred *viewer, const struct cred *target)
{
	return uid_eq(viewer->uid, target->uid) && uid_eq(viewer->uid, target->euid) &&
	       uid_eq(viewer->uid, target->suid) && gid_eq(viewer->gid, target->gid) &&
	       gid_eq(viewer->gid, target->egid) && gid_eq(viewer->gid, target->sgid);
}

/* Namespaces are nested 32 deep at most. */
static bool owns_namespace(const struct cred *viewer, const struct user_namespace *ns)
{
	for (; ns->level > viewer->user_ns->level; ns = ns->parent)
		if (ns->parent == viewer->user_ns && uid_eq(ns->owner, viewer->euid))
			return true;
	return false;
}

static bool cred_covers(const struct cred *viewer, const struct cred *target)
{
	if (!same_ids(viewer, target))
		return false;
	if (viewer->user_ns == target->user_ns)
		return cap_issubset(target->cap_permitted, viewer->cap_permitted);
	return owns_namespace(viewer, target->user_ns);
}

/* task->mm does not go away meanwhile. */
static bool cred_sees(const struct cred *viewer, const struct task_struct *task)
{
	bool seen;

	rcu_read_lock();
	seen = task->mm && uw_task_dumpable(task) == UW_DUMPABLE_OWNER && cred_covers(viewer, __task_cred(task));
	rcu_read_unlock();
	return seen;
}

bool uw_viewer_sees_current(const struct cred *viewer)
{
	return !viewer || cred_sees(viewer, current);
}

bool uw_viewer_sees(const struct cred *viewer, struct task_struct *task)
{
	bool seen;

	if (!viewer)
		return true;
	task_lock(task);
	seen = cred_sees(viewer, task);
	task_unlock(task);
	return seen;
}

bool uw_viewer_is(const struct cred *viewer, const struct cred *other)
{
	return uid_eq(viewer->uid, other->uid) && uid_eq(viewer->euid, other->euid);
}

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which of the tasks that its triggers meet a session wants.
 */
#ifndef UW_FILTER_H
#define UW_FILTER_H

#include <linux/cpumask.h>
#include <linux/types.h>

#include "session/target.h"

struct cgroup;
struct cred;
struct task_struct;
struct uwind_session_start;

/* The arrays of struct uwind_session_start, in kernel memory. Lifetime: of the call that they are given to. */
struct uw_filter_lists {
	s32 *targets;
	s32 *excludes;
	u32 *cpus;
};

/* Set by uw_filter_init(), constant until uw_filter_deinit(), but for what the two sets contain. */
struct uw_filter {
	bool all;                   /* every process is a target */
	bool inherit;               /* children of targets are targets */
	struct uw_targets targets;  /* Protected by: see uw_targets */
	struct uw_targets excludes; /* with their children. Protected by: see uw_targets */
	struct cgroup *cgroup;      /* holds a reference; NULL: any */
	cpumask_var_t cpus;         /* owned */
};

/*
 * Nobody is named yet. After an error, too, uw_filter_deinit() is due. -EINVAL (a
 * CPU), -EBADF, -ENOENT, -EOPNOTSUPP (the cgroup), -ENOMEM.
 */
int uw_filter_init(struct uw_filter *filter, const struct uwind_session_start *arg,
		   const struct uw_filter_lists *lists);
void uw_filter_deinit(struct uw_filter *filter);

/* Name targets and excludes, when uw_filter_fork() is called already. As uw_targets_name(). */
int uw_filter_name(struct uw_filter *filter, const struct uwind_session_start *arg, const struct uw_filter_lists *lists,
		   const struct cred *viewer);

/* Is it a target, and not excluded, wherever it is? Any context. */
bool uw_filter_names(const struct uw_filter *filter, struct task_struct *task);

/* task is current, or one that is off its CPU, and stays so meanwhile. Any context. */
bool uw_filter_takes_task(const struct uw_filter *filter, struct task_struct *task);

/* A new process has been made. Does not sleep. */
void uw_filter_fork(struct uw_filter *filter, struct task_struct *parent, struct task_struct *child);

/* As uw_targets_sweep(). */
void uw_filter_sweep(struct uw_filter *filter);

#endif

// SPDX-License-Identifier: GPL-2.0
/*
 * All that a session says about its tasks must hold: a target, not excluded,
 * below the cgroup, on one of the CPUs. Asked in NMIs: pointers and bits only.
 */
#include <linux/cgroup.h>
#include <linux/err.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/smp.h>

#include "session/filter.h"
#include "stats.h"
#include "uwind.h"

#ifdef CONFIG_CGROUPS
/* Of version 2 only: the hierarchy that every task is in. */
static int filter_init_cgroup(struct uw_filter *filter, int fd)
{
	struct cgroup *cgroup = cgroup_get_from_fd(fd);

	if (IS_ERR(cgroup))
		return PTR_ERR(cgroup);
	filter->cgroup = cgroup;
	return 0;
}

static void filter_deinit_cgroup(struct uw_filter *filter)
{
	if (filter->cgroup)
		cgroup_put(filter->cgroup);
	filter->cgroup = NULL;
}

static bool filter_in_cgroup(const struct uw_filter *filter, struct task_struct *task)
{
	bool in;

	if (!filter->cgroup)
		return true;
	rcu_read_lock();
	in = task_under_cgroup_hierarchy(task, filter->cgroup);
	rcu_read_unlock();
	return in;
}
#else
static int filter_init_cgroup(struct uw_filter *filter, int fd)
{
	return -EOPNOTSUPP;
}

static void filter_deinit_cgroup(struct uw_filter *filter)
{
}

static bool filter_in_cgroup(const struct uw_filter *filter, struct task_struct *task)
{
	return true;
}
#endif

static int filter_init_cpus(struct uw_filter *filter, const u32 *cpus, u32 nr)
{
	u32 i;

	if (!zalloc_cpumask_var(&filter->cpus, GFP_KERNEL))
		return -ENOMEM;
	if (!nr)
		cpumask_copy(filter->cpus, cpu_possible_mask);
	for (i = 0; i < nr; i++) {
		if (cpus[i] >= nr_cpu_ids || !cpu_possible(cpus[i]))
			return -EINVAL;
		cpumask_set_cpu(cpus[i], filter->cpus);
	}
	return 0;
}

int uw_filter_init(struct uw_filter *filter, const struct uwind_session_start *arg, const struct uw_filter_lists *lists)
{
	int err = filter_init_cpus(filter, lists->cpus, arg->nr_cpus);

	filter->all = arg->flags & UWIND_SESSION_ALL;
	filter->inherit = arg->flags & UWIND_SESSION_INHERIT;
	if (!err && (arg->flags & UWIND_SESSION_CGROUP))
		err = filter_init_cgroup(filter, arg->cgroup_fd);
	if (!err && !filter->all)
		err = uw_targets_init(&filter->targets);
	if (!err && arg->nr_excludes)
		err = uw_targets_init(&filter->excludes);
	return err;
}

void uw_filter_deinit(struct uw_filter *filter)
{
	uw_targets_deinit(&filter->excludes);
	uw_targets_deinit(&filter->targets);
	filter_deinit_cgroup(filter);
	free_cpumask_var(filter->cpus);
}

int uw_filter_name(struct uw_filter *filter, const struct uwind_session_start *arg, const struct uw_filter_lists *lists,
		   const struct cred *viewer)
{
	int err = uw_targets_name(&filter->excludes, lists->excludes, arg->nr_excludes, viewer);

	return err ?: uw_targets_name(&filter->targets, lists->targets, arg->nr_targets, viewer);
}

bool uw_filter_names(const struct uw_filter *filter, struct task_struct *task)
{
	return (filter->all || uw_targets_has(&filter->targets, task)) && !uw_targets_has(&filter->excludes, task);
}

/* A task that is moved to another CPU right now was on this one. */
static unsigned int cpu_of(const struct task_struct *task)
{
	return task == current ? raw_smp_processor_id() : task_cpu(task);
}

bool uw_filter_takes_task(const struct uw_filter *filter, struct task_struct *task)
{
	return uw_filter_names(filter, task) && cpumask_test_cpu(cpu_of(task), filter->cpus) &&
	       filter_in_cgroup(filter, task);
}

static void filter_inherit(struct uw_targets *targets, struct task_struct *parent, struct task_struct *child)
{
	if (uw_targets_has(targets, parent) && !uw_targets_add(targets, task_tgid(child)))
		uw_stats_child_missed();
}

void uw_filter_fork(struct uw_filter *filter, struct task_struct *parent, struct task_struct *child)
{
	filter_inherit(&filter->excludes, parent, child);
	if (filter->inherit)
		filter_inherit(&filter->targets, parent, child);
}

void uw_filter_sweep(struct uw_filter *filter)
{
	uw_targets_sweep(&filter->excludes);
	uw_targets_sweep(&filter->targets);
}

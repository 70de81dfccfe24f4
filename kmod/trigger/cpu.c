// SPDX-License-Identifier: GPL-2.0
/*
 * A counter for each CPU that looks at every task, and a filter.
 *
 * perf takes a counter off a CPU that goes offline and does not bring it back. So when a
 * CPU comes or goes, a work makes its counter, or drops it. The hotplug core's callbacks
 * only note that: perf takes locks for some events that others hold while they wait for the
 * hotplug core.
 */
#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/err.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include "stall.h"
#include "stats.h"
#include "trigger/counter.h"
#include "trigger/cpu.h"
#include "trigger/trigger.h"
#include "uwind.h"

/* Of one CPU. */
struct cpu_counter {
	struct uw_counter counter; /* Protected by: the trigger's mutex */
	bool failed;               /* no other one is tried as long as the CPU is online. Protected by: the same */
	bool here; /* the CPU is online, and stays. Written by its callbacks, read anywhere by READ_ONCE() */
	bool gone; /* it went offline. Set by its callback, cleared under the mutex */
};

/* Members are constant while it exists, unless their comments say otherwise. */
struct trigger_cpu {
	struct uw_trigger base;     /* nr_failed is protected by: mutex */
	struct hlist_node node;     /* Owned by: the CPU hotplug core */
	const struct cpumask *cpus; /* the owner's. Lifetime: longer than the trigger's */
	struct perf_event_attr attr;
	struct cpu_counter __percpu *counters; /* owned */
	struct work_struct follow;             /* makes and drops counters as CPUs come and go */
	struct mutex mutex;
	bool enabled;  /* Protected by: mutex */
	bool closed;   /* Used by its owner only */
	bool started;  /* by its caller, whose memory is not there any more. Protected by: mutex */
	bool is_probe; /* or may be: uw_counter_is_probe(). No CPU that comes later has one. Protected by: mutex */
};

static enum cpuhp_state online_state;

static int trigger_cpu_online(unsigned int cpu, struct hlist_node *node)
{
	struct trigger_cpu *trigger = hlist_entry(node, struct trigger_cpu, node);

	WRITE_ONCE(per_cpu_ptr(trigger->counters, cpu)->here, true);
	schedule_work(&trigger->follow);
	return 0; /* a CPU without the event comes up all the same */
}

static int trigger_cpu_offline(unsigned int cpu, struct hlist_node *node)
{
	struct trigger_cpu *trigger = hlist_entry(node, struct trigger_cpu, node);

	/* It counts as online for some time yet. */
	WRITE_ONCE(per_cpu_ptr(trigger->counters, cpu)->here, false);
	WRITE_ONCE(per_cpu_ptr(trigger->counters, cpu)->gone, true);
	schedule_work(&trigger->follow);
	return 0;
}

/* Its handler may be running yet. */
static void counter_drop(struct cpu_counter *counter)
{
	if (counter->counter.event)
		perf_event_release_kernel(counter->counter.event);
	counter->counter.event = NULL;
}

static int counter_make(struct trigger_cpu *trigger, struct cpu_counter *counter, int cpu)
{
	struct perf_event_attr attr = trigger->attr;
	struct perf_event *event;

	lockdep_assert_held(&trigger->mutex);
	if (trigger->started && trigger->is_probe)
		return -EFAULT;
	attr.disabled = !trigger->enabled;
	event = uw_stall_fails(UW_STALL_PART_COUNTER) ?
			ERR_PTR(-ENOMEM) :
			uw_counter_create(&counter->counter, trigger->base.owner, &attr, cpu, NULL);
	if (IS_ERR(event))
		return READ_ONCE(counter->here) ? PTR_ERR(event) : 0; /* it went while we were at it */
	counter->counter.event = event;
	trigger->is_probe = uw_counter_is_probe(event);
	return 0;
}

/* Make and drop what a CPU lacks, or has too much. */
static int counter_follow(struct trigger_cpu *trigger, int cpu)
{
	struct cpu_counter *counter = per_cpu_ptr(trigger->counters, cpu);
	int err;

	if (READ_ONCE(counter->gone)) {
		WRITE_ONCE(counter->gone, false);
		counter_drop(counter);
		counter->failed = false;
	}
	if (!READ_ONCE(counter->here) || counter->counter.event || counter->failed)
		return 0;
	err = counter_make(trigger, counter, cpu);
	counter->failed = err;
	return err;
}

static void count_failure(struct trigger_cpu *trigger)
{
	WRITE_ONCE(trigger->base.nr_failed, trigger->base.nr_failed + 1);
	uw_stats_counter_failed();
}

static void trigger_cpu_follow(struct work_struct *work)
{
	struct trigger_cpu *trigger = container_of(work, struct trigger_cpu, follow);
	int cpu;

	mutex_lock(&trigger->mutex);
	for_each_cpu(cpu, trigger->cpus)
		if (trigger->started && counter_follow(trigger, cpu)) /* the first ones are made by the caller */
			count_failure(trigger);
	mutex_unlock(&trigger->mutex);
}

static void note_online(struct trigger_cpu *trigger)
{
	int cpu;

	cpus_read_lock();
	for_each_online_cpu(cpu)
		WRITE_ONCE(per_cpu_ptr(trigger->counters, cpu)->here, true);
	cpus_read_unlock();
}

static int counters_make(struct trigger_cpu *trigger)
{
	int cpu, err = 0;

	mutex_lock(&trigger->mutex);
	for_each_cpu(cpu, trigger->cpus)
		err = err ?: counter_follow(trigger, cpu);
	trigger->started = true;
	mutex_unlock(&trigger->mutex);
	return err;
}

static struct trigger_cpu *trigger_cpu_of(struct uw_trigger *trigger)
{
	return container_of(trigger, struct trigger_cpu, base);
}

static void trigger_cpu_close(struct uw_trigger *base)
{
	struct trigger_cpu *trigger = trigger_cpu_of(base);
	int cpu;

	might_sleep();
	if (trigger->closed)
		return;
	trigger->closed = true;
	cpuhp_state_remove_instance_nocalls(online_state, &trigger->node);
	cancel_work_sync(&trigger->follow);
	for_each_possible_cpu(cpu)
		counter_drop(per_cpu_ptr(trigger->counters, cpu));
}

static void trigger_cpu_free(struct uw_trigger *base)
{
	struct trigger_cpu *trigger = trigger_cpu_of(base);

	trigger_cpu_close(base);
	free_percpu(trigger->counters);
	kfree(trigger);
}

static void trigger_cpu_switch(struct trigger_cpu *trigger, bool on, void (*change)(struct perf_event *event))
{
	int cpu;

	might_sleep();
	if (trigger->closed)
		return;
	mutex_lock(&trigger->mutex);
	for_each_cpu(cpu, trigger->cpus) {
		struct perf_event *event = per_cpu_ptr(trigger->counters, cpu)->counter.event;

		if (event && trigger->enabled != on)
			change(event);
	}
	trigger->enabled = on;
	mutex_unlock(&trigger->mutex);
}

static void trigger_cpu_enable(struct uw_trigger *trigger)
{
	trigger_cpu_switch(trigger_cpu_of(trigger), true, perf_event_enable);
}

static void trigger_cpu_disable(struct uw_trigger *trigger)
{
	trigger_cpu_switch(trigger_cpu_of(trigger), false, perf_event_disable);
}

static const struct uw_trigger_ops trigger_cpu_ops = {
	.enable = trigger_cpu_enable,
	.disable = trigger_cpu_disable,
	.close = trigger_cpu_close,
	.free = trigger_cpu_free,
};

struct uw_trigger *uw_trigger_cpu_create(struct uw_trigger_owner *owner, const struct cpumask *cpus,
					 const struct perf_event_attr *attr)
{
	struct trigger_cpu *trigger = kzalloc(sizeof(*trigger), GFP_KERNEL);
	int err;

	if (!trigger)
		return ERR_PTR(-ENOMEM);
	trigger->base.ops = &trigger_cpu_ops;
	trigger->base.owner = owner;
	trigger->cpus = cpus;
	mutex_init(&trigger->mutex);
	INIT_WORK(&trigger->follow, trigger_cpu_follow);
	trigger->counters = alloc_percpu(struct cpu_counter);
	if (!trigger->counters) {
		kfree(trigger);
		return ERR_PTR(-ENOMEM);
	}
	trigger->attr = *attr;
	trigger->is_probe = attr->type >= PERF_TYPE_MAX;
	cpuhp_state_add_instance_nocalls(online_state, &trigger->node); /* from now on CPUs that come are followed */
	note_online(trigger);
	err = counters_make(trigger);
	if (!err)
		return &trigger->base;
	trigger_cpu_free(&trigger->base);
	return ERR_PTR(err);
}

int uw_trigger_cpu_setup(void)
{
	int state =
		cpuhp_setup_state_multi(CPUHP_AP_ONLINE_DYN, "uwind:online", trigger_cpu_online, trigger_cpu_offline);

	online_state = state;
	return state < 0 ? state : 0;
}

void uw_trigger_cpu_exit(void)
{
	cpuhp_remove_multi_state(online_state);
}

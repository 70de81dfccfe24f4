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
#include <linux/perf_event.h>

#include "stall.h"
#include "stats.h"
#include "trigger/cpu.h"
#include "uwind.h"

static enum cpuhp_state online_state;

static int trigger_cpu_online(unsigned int cpu, struct hlist_node *node)
{
	struct uw_trigger_cpu *trigger = hlist_entry(node, struct uw_trigger_cpu, node);

	WRITE_ONCE(per_cpu_ptr(trigger->counters, cpu)->here, true);
	schedule_work(&trigger->follow);
	return 0; /* a CPU without the event comes up all the same */
}

static int trigger_cpu_offline(unsigned int cpu, struct hlist_node *node)
{
	struct uw_trigger_cpu *trigger = hlist_entry(node, struct uw_trigger_cpu, node);

	/* It counts as online for some time yet. */
	WRITE_ONCE(per_cpu_ptr(trigger->counters, cpu)->here, false);
	WRITE_ONCE(per_cpu_ptr(trigger->counters, cpu)->gone, true);
	schedule_work(&trigger->follow);
	return 0;
}

/* Its handler may be running yet. */
static void counter_drop(struct uw_cpu_counter *counter)
{
	if (counter->counter.event)
		perf_event_release_kernel(counter->counter.event);
	counter->counter.event = NULL;
}

static int counter_make(struct uw_trigger_cpu *trigger, struct uw_cpu_counter *counter, int cpu)
{
	struct perf_event_attr attr = trigger->attr;
	struct perf_event *event;

	lockdep_assert_held(&trigger->mutex);
	if (trigger->started && trigger->is_probe)
		return -EFAULT;
	attr.disabled = !trigger->enabled;
	event = uw_stall_fails(UW_STALL_PART_COUNTER) ?
			ERR_PTR(-ENOMEM) :
			uw_counter_create(&counter->counter, trigger->owner, &attr, cpu, NULL);
	if (IS_ERR(event))
		return READ_ONCE(counter->here) ? PTR_ERR(event) : 0; /* it went while we were at it */
	counter->counter.event = event;
	trigger->is_probe = uw_counter_is_probe(event);
	return 0;
}

/* Make and drop what a CPU lacks, or has too much. */
static int counter_follow(struct uw_trigger_cpu *trigger, int cpu)
{
	struct uw_cpu_counter *counter = per_cpu_ptr(trigger->counters, cpu);
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

static void count_failure(struct uw_trigger_cpu *trigger)
{
	WRITE_ONCE(trigger->nr_failed, trigger->nr_failed + 1);
	uw_stats_counter_failed();
}

static void trigger_cpu_follow(struct work_struct *work)
{
	struct uw_trigger_cpu *trigger = container_of(work, struct uw_trigger_cpu, follow);
	int cpu;

	mutex_lock(&trigger->mutex);
	for_each_cpu(cpu, trigger->cpus)
		if (trigger->started && counter_follow(trigger, cpu)) /* the first ones are made by the caller */
			count_failure(trigger);
	mutex_unlock(&trigger->mutex);
}

static void note_online(struct uw_trigger_cpu *trigger)
{
	int cpu;

	cpus_read_lock();
	for_each_online_cpu(cpu)
		WRITE_ONCE(per_cpu_ptr(trigger->counters, cpu)->here, true);
	cpus_read_unlock();
}

static int counters_make(struct uw_trigger_cpu *trigger)
{
	int cpu, err = 0;

	mutex_lock(&trigger->mutex);
	for_each_cpu(cpu, trigger->cpus)
		err = err ?: counter_follow(trigger, cpu);
	trigger->started = true;
	mutex_unlock(&trigger->mutex);
	return err;
}

void uw_trigger_cpu_close(struct uw_trigger_cpu *trigger)
{
	int cpu;

	might_sleep();
	if (!trigger->counters || trigger->closed)
		return;
	trigger->closed = true;
	cpuhp_state_remove_instance_nocalls(online_state, &trigger->node);
	cancel_work_sync(&trigger->follow);
	for_each_possible_cpu(cpu)
		counter_drop(per_cpu_ptr(trigger->counters, cpu));
}

void uw_trigger_cpu_deinit(struct uw_trigger_cpu *trigger)
{
	uw_trigger_cpu_close(trigger);
	free_percpu(trigger->counters);
	trigger->counters = NULL;
}

int uw_trigger_cpu_init(struct uw_trigger_cpu *trigger, struct uw_trigger_owner *owner, const struct cpumask *cpus,
			const struct perf_event_attr *attr)
{
	int err;

	might_sleep();
	trigger->owner = owner;
	trigger->cpus = cpus;
	mutex_init(&trigger->mutex);
	INIT_WORK(&trigger->follow, trigger_cpu_follow);
	trigger->counters = alloc_percpu(struct uw_cpu_counter);
	if (!trigger->counters)
		return -ENOMEM;
	trigger->attr = *attr;
	trigger->is_probe = attr->type >= PERF_TYPE_MAX;
	cpuhp_state_add_instance_nocalls(online_state, &trigger->node); /* from now on CPUs that come are followed */
	note_online(trigger);
	err = counters_make(trigger);
	if (err)
		uw_trigger_cpu_deinit(trigger);
	return err;
}

static void trigger_cpu_switch(struct uw_trigger_cpu *trigger, bool on, void (*change)(struct perf_event *event))
{
	int cpu;

	might_sleep();
	if (!trigger->counters || trigger->closed)
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

void uw_trigger_cpu_enable(struct uw_trigger_cpu *trigger)
{
	trigger_cpu_switch(trigger, true, perf_event_enable);
}

void uw_trigger_cpu_disable(struct uw_trigger_cpu *trigger)
{
	trigger_cpu_switch(trigger, false, perf_event_disable);
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

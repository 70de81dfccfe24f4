// SPDX-License-Identifier: GPL-2.0
/*
 * A counter for each CPU that looks at every task, and a filter.
 *
 * perf takes a counter off a CPU that goes offline and does not bring it back.
 * So counters are made by the CPU hotplug core's callbacks: for each CPU that is
 * online at the start, and for each that comes online later, if the owner wants
 * that CPU.
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
	struct uw_counter *counter = per_cpu_ptr(trigger->counters, cpu);
	struct perf_event_attr attr = trigger->attr;
	struct perf_event *event;

	if (!cpumask_test_cpu(cpu, trigger->cpus))
		return 0;
	attr.disabled = !trigger->enabled;
	event = uw_stall_fails(UW_STALL_PART_COUNTER) ? ERR_PTR(-ENOMEM) :
							uw_counter_create(counter, trigger->owner, &attr, cpu, NULL);
	if (IS_ERR(event)) {
		trigger->err = PTR_ERR(event);
		if (trigger->started) {
			WRITE_ONCE(trigger->nr_failed, trigger->nr_failed + 1);
			uw_stats_counter_failed();
		}
	} else {
		counter->event = event;
	}
	return 0; /* a CPU without the event comes up all the same */
}

static int trigger_cpu_offline(unsigned int cpu, struct hlist_node *node)
{
	struct uw_trigger_cpu *trigger = hlist_entry(node, struct uw_trigger_cpu, node);
	struct uw_counter *counter = per_cpu_ptr(trigger->counters, cpu);

	if (counter->event)
		perf_event_release_kernel(counter->event);
	memset(counter, 0, sizeof(*counter));
	return 0;
}

void uw_trigger_cpu_deinit(struct uw_trigger_cpu *trigger)
{
	might_sleep();
	if (!trigger->counters)
		return;
	cpuhp_state_remove_instance(online_state, &trigger->node);
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
	trigger->counters = alloc_percpu(struct uw_counter);
	if (!trigger->counters)
		return -ENOMEM;
	trigger->attr = *attr;
	cpuhp_state_add_instance(online_state, &trigger->node);
	cpus_read_lock(); /* a CPU that comes online fails before this, or is counted */
	err = trigger->err;
	trigger->started = !err;
	cpus_read_unlock();
	if (err)
		uw_trigger_cpu_deinit(trigger);
	return err;
}

static void trigger_cpu_switch(struct uw_trigger_cpu *trigger, bool on, void (*change)(struct perf_event *event))
{
	int cpu;

	might_sleep();
	if (!trigger->counters)
		return;
	mutex_lock(&trigger->mutex);
	cpus_read_lock();
	for_each_online_cpu(cpu) {
		struct perf_event *event = per_cpu_ptr(trigger->counters, cpu)->event;

		if (event && trigger->enabled != on)
			change(event);
	}
	trigger->enabled = on;
	cpus_read_unlock();
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

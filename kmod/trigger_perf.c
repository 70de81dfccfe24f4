// SPDX-License-Identifier: GPL-2.0
/*
 * A counter per CPU that looks at every task, and a filter: simpler than one
 * inherited event per thread, which misses clones that race with its creation.
 *
 * perf takes a counter off a CPU that goes offline and does not bring it back.
 * So counters are made by the CPU hotplug core's callbacks: for each CPU that is
 * online when a session starts, and for each that comes online later, if the
 * session wants that CPU.
 */
#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/err.h>
#include <linux/perf_event.h>

#include "session.h"
#include "trigger_perf.h"
#include "uwind.h"

static enum cpuhp_state online_state;

/* Hard interrupt, or NMI. */
static void uw_overflow(struct perf_event *event, struct perf_sample_data *data,
			struct pt_regs *regs)
{
	u64 cookie;

	uw_session_trigger(event->overflow_handler_context, regs, &cookie);
}

static void uw_attr_init(struct perf_event_attr *attr, u32 event, bool frequency, u64 rate)
{
	memset(attr, 0, sizeof(*attr));
	attr->size = sizeof(*attr);
	attr->type = event == UWIND_EVENT_CYCLES ? PERF_TYPE_HARDWARE : PERF_TYPE_SOFTWARE;
	attr->config = event == UWIND_EVENT_CYCLES ? PERF_COUNT_HW_CPU_CYCLES :
						     PERF_COUNT_SW_CPU_CLOCK;
	attr->exclude_idle = 1;
	attr->exclude_hv = 1;
	attr->freq = frequency;
	if (frequency)
		attr->sample_freq = rate;
	else
		attr->sample_period = rate;
}

static int uw_cpu_online(unsigned int cpu, struct hlist_node *node)
{
	struct uw_trigger_perf *trigger = hlist_entry(node, struct uw_trigger_perf, node);
	struct perf_event_attr attr = trigger->attr;
	struct perf_event *event;

	if (!cpumask_test_cpu(cpu, trigger->session->filter.cpus))
		return 0;
	attr.disabled = !trigger->enabled;
	event = perf_event_create_kernel_counter(&attr, cpu, NULL, uw_overflow,
						 trigger->session);
	if (IS_ERR(event))
		trigger->err = PTR_ERR(event);
	else
		*per_cpu_ptr(trigger->events, cpu) = event;
	return 0; /* a CPU without the event comes up all the same */
}

static int uw_cpu_offline(unsigned int cpu, struct hlist_node *node)
{
	struct uw_trigger_perf *trigger = hlist_entry(node, struct uw_trigger_perf, node);
	struct perf_event **event = per_cpu_ptr(trigger->events, cpu);

	if (*event)
		perf_event_release_kernel(*event);
	*event = NULL;
	return 0;
}

void uw_trigger_perf_deinit(struct uw_trigger_perf *trigger)
{
	if (!trigger->events)
		return;
	cpuhp_state_remove_instance(online_state, &trigger->node);
	free_percpu(trigger->events);
	trigger->events = NULL;
}

int uw_trigger_perf_init(struct uw_trigger_perf *trigger, struct uw_session *session,
			 u32 event, bool frequency, u64 rate)
{
	int err;

	trigger->session = session;
	mutex_init(&trigger->mutex);
	trigger->events = alloc_percpu(struct perf_event *);
	if (!trigger->events)
		return -ENOMEM;
	uw_attr_init(&trigger->attr, event, frequency, rate);
	cpuhp_state_add_instance(online_state, &trigger->node);
	err = READ_ONCE(trigger->err);
	if (err)
		uw_trigger_perf_deinit(trigger);
	return err == -ENOENT || err == -EOPNOTSUPP ? -ENODEV : err;
}

static void uw_trigger_perf_switch(struct uw_trigger_perf *trigger, bool on,
				   void (*change)(struct perf_event *event))
{
	int cpu;

	if (!trigger->events)
		return;
	mutex_lock(&trigger->mutex);
	cpus_read_lock();
	for_each_online_cpu(cpu) {
		struct perf_event *event = *per_cpu_ptr(trigger->events, cpu);

		if (event && trigger->enabled != on)
			change(event);
	}
	trigger->enabled = on;
	cpus_read_unlock();
	mutex_unlock(&trigger->mutex);
}

void uw_trigger_perf_enable(struct uw_trigger_perf *trigger)
{
	uw_trigger_perf_switch(trigger, true, perf_event_enable);
}

void uw_trigger_perf_disable(struct uw_trigger_perf *trigger)
{
	uw_trigger_perf_switch(trigger, false, perf_event_disable);
}

int uw_trigger_perf_setup(void)
{
	int state = cpuhp_setup_state_multi(CPUHP_AP_ONLINE_DYN, "uwind:online", uw_cpu_online,
					    uw_cpu_offline);

	online_state = state;
	return state < 0 ? state : 0;
}

void uw_trigger_perf_exit(void)
{
	cpuhp_remove_multi_state(online_state);
}

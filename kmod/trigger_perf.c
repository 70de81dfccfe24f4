// SPDX-License-Identifier: GPL-2.0
/*
 * A counter per CPU that looks at every task, and a filter: simpler than one
 * inherited event per thread, which misses clones that race with its creation.
 */
#include <linux/cpu.h>
#include <linux/err.h>
#include <linux/perf_event.h>

#include "session.h"
#include "trigger_perf.h"
#include "uwind.h"

/* Hard interrupt, or NMI. */
static void uw_overflow(struct perf_event *event, struct perf_sample_data *data,
			struct pt_regs *regs)
{
	uw_session_trigger(event->overflow_handler_context, regs);
}

static void uw_attr_init(struct perf_event_attr *attr, u32 event, bool frequency, u64 rate)
{
	memset(attr, 0, sizeof(*attr));
	attr->size = sizeof(*attr);
	attr->type = event == UWIND_EVENT_CYCLES ? PERF_TYPE_HARDWARE : PERF_TYPE_SOFTWARE;
	attr->config = event == UWIND_EVENT_CYCLES ? PERF_COUNT_HW_CPU_CYCLES :
						     PERF_COUNT_SW_CPU_CLOCK;
	attr->disabled = 1;
	attr->exclude_idle = 1;
	attr->exclude_hv = 1;
	attr->freq = frequency;
	if (frequency)
		attr->sample_freq = rate;
	else
		attr->sample_period = rate;
}

static int uw_create_counters(struct uw_trigger_perf *trigger, struct uw_session *session,
			      struct perf_event_attr *attr)
{
	struct perf_event *event;
	int cpu;

	for_each_online_cpu(cpu) {
		event = perf_event_create_kernel_counter(attr, cpu, NULL, uw_overflow, session);
		if (IS_ERR(event))
			return PTR_ERR(event);
		*per_cpu_ptr(trigger->events, cpu) = event;
	}
	return 0;
}

int uw_trigger_perf_init(struct uw_trigger_perf *trigger, struct uw_session *session,
			 u32 event, bool frequency, u64 rate)
{
	struct perf_event_attr attr;
	int err;

	trigger->events = alloc_percpu(struct perf_event *);
	if (!trigger->events)
		return -ENOMEM;
	uw_attr_init(&attr, event, frequency, rate);
	cpus_read_lock();
	err = uw_create_counters(trigger, session, &attr);
	cpus_read_unlock();
	if (err)
		uw_trigger_perf_deinit(trigger);
	return err == -ENOENT || err == -EOPNOTSUPP ? -ENODEV : err;
}

void uw_trigger_perf_enable(struct uw_trigger_perf *trigger)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		struct perf_event *event = *per_cpu_ptr(trigger->events, cpu);

		if (event)
			perf_event_enable(event);
	}
}

void uw_trigger_perf_deinit(struct uw_trigger_perf *trigger)
{
	int cpu;

	if (!trigger->events)
		return;
	for_each_possible_cpu(cpu) {
		struct perf_event *event = *per_cpu_ptr(trigger->events, cpu);

		if (event)
			perf_event_release_kernel(event);
	}
	free_percpu(trigger->events);
	trigger->events = NULL;
}

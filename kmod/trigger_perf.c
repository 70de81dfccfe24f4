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
#include <linux/hrtimer.h>
#include <linux/math64.h>
#include <linux/perf_event.h>
#include <linux/timekeeping.h>

#include "session.h"
#include "trigger_perf.h"
#include "uwind.h"

#define UW_THROTTLED U64_MAX /* perf's MAX_INTERRUPTS, which it keeps to itself   */

static enum cpuhp_state online_state;

/*
 * What perf does not tell anybody: a timer that comes late skips the periods that
 * have passed; and a counter that has overflowed too often within a tick
 * (kernel.perf_event_max_sample_rate) stands still until the next one.
 */
static void uw_count_missed(const struct perf_event *event, struct uw_session *session)
{
	struct uw_counter *counter = this_cpu_ptr(session->trigger.counters);
	u64 now = ktime_get_mono_fast_ns(), expires, period = event->hw.sample_period;
	u64 missed = 0;

	if (event->attr.type == PERF_TYPE_SOFTWARE && period) {
		expires = ktime_to_ns(hrtimer_get_expires(&event->hw.hrtimer));
		if (counter->throttled_ns)
			missed = min_t(u64, now - counter->throttled_ns, TICK_NSEC) / period;
		else if (now > expires)
			missed = div64_u64(now - expires, period);
	}
	if (missed)
		uw_stats_missed(session->counts, missed);
	counter->throttled_ns = 0;
	if (event->hw.interrupts != UW_THROTTLED)
		return;
	counter->throttled_ns = now;
	uw_stats_throttled(session->counts);
}

/* Hard interrupt, or NMI. */
static void uw_overflow(struct perf_event *event, struct perf_sample_data *data,
			struct pt_regs *regs)
{
	struct uw_session *session = event->overflow_handler_context;
	u64 cookie;

	uw_count_missed(event, session);
	uw_session_trigger(session, regs, &cookie);
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
	if (IS_ERR(event)) {
		trigger->err = PTR_ERR(event);
		if (trigger->started) {
			WRITE_ONCE(trigger->nr_failed, trigger->nr_failed + 1);
			uw_stats_counter_failed();
		}
	} else {
		per_cpu_ptr(trigger->counters, cpu)->event = event;
	}
	return 0; /* a CPU without the event comes up all the same */
}

static int uw_cpu_offline(unsigned int cpu, struct hlist_node *node)
{
	struct uw_trigger_perf *trigger = hlist_entry(node, struct uw_trigger_perf, node);
	struct uw_counter *counter = per_cpu_ptr(trigger->counters, cpu);

	if (counter->event)
		perf_event_release_kernel(counter->event);
	memset(counter, 0, sizeof(*counter));
	return 0;
}

void uw_trigger_perf_deinit(struct uw_trigger_perf *trigger)
{
	if (!trigger->counters)
		return;
	cpuhp_state_remove_instance(online_state, &trigger->node);
	free_percpu(trigger->counters);
	trigger->counters = NULL;
}

int uw_trigger_perf_init(struct uw_trigger_perf *trigger, struct uw_session *session,
			 u32 event, bool frequency, u64 rate)
{
	int err;

	trigger->session = session;
	mutex_init(&trigger->mutex);
	trigger->counters = alloc_percpu(struct uw_counter);
	if (!trigger->counters)
		return -ENOMEM;
	uw_attr_init(&trigger->attr, event, frequency, rate);
	cpuhp_state_add_instance(online_state, &trigger->node);
	err = READ_ONCE(trigger->err);
	if (err)
		uw_trigger_perf_deinit(trigger);
	else
		WRITE_ONCE(trigger->started, true);
	return err == -ENOENT || err == -EOPNOTSUPP ? -ENODEV : err;
}

static void uw_trigger_perf_switch(struct uw_trigger_perf *trigger, bool on,
				   void (*change)(struct perf_event *event))
{
	int cpu;

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

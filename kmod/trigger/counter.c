// SPDX-License-Identifier: GPL-2.0
/*
 * What counters of CPUs and of tasks have in common: the handler, and the count of
 * what it was not called for.
 */
#include <linux/err.h>
#include <linux/hrtimer.h>
#include <linux/math64.h>
#include <linux/perf_event.h>
#include <linux/timekeeping.h>

#include "stats.h"
#include "trigger/counter.h"
#include "trigger/trigger.h"
#include "uwind.h"

#define UW_THROTTLED U64_MAX /* perf's MAX_INTERRUPTS, which it keeps to itself */

/*
 * What perf reports to nobody: a timer that comes late skips the periods that
 * have passed; and a counter that has overflowed too often within a tick
 * (kernel.perf_event_max_sample_rate) stands still until the next one.
 */
static void count_missed(const struct perf_event *event, struct uw_counter *counter)
{
	struct uw_counts __percpu *counts = counter->owner->counts;
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
		uw_stats_missed(counts, missed);
	counter->throttled_ns = 0;
	if (event->hw.interrupts != UW_THROTTLED)
		return;
	counter->throttled_ns = now;
	uw_stats_throttled(counts);
}

/* Hard interrupt, or NMI. */
static void counter_overflow(struct perf_event *event, struct perf_sample_data *data, struct pt_regs *regs)
{
	struct uw_counter *counter = event->overflow_handler_context;

	count_missed(event, counter);
	counter->owner->fired(counter->owner, regs);
}

void uw_counter_attr_init(struct perf_event_attr *attr, const struct uwind_session_start *arg)
{
	memset(attr, 0, sizeof(*attr));
	attr->size = sizeof(*attr);
	attr->type = arg->event == UWIND_EVENT_CYCLES ? PERF_TYPE_HARDWARE : PERF_TYPE_SOFTWARE;
	attr->config = arg->event == UWIND_EVENT_CYCLES ? PERF_COUNT_HW_CPU_CYCLES : PERF_COUNT_SW_CPU_CLOCK;
	attr->exclude_idle = 1;
	attr->exclude_hv = 1;
	attr->exclude_kernel = !!(arg->flags & UWIND_SESSION_USER);
	attr->freq = !!(arg->flags & UWIND_SESSION_FREQUENCY);
	if (attr->freq)
		attr->sample_freq = arg->rate;
	else
		attr->sample_period = arg->rate;
}

struct perf_event *uw_counter_create(struct uw_counter *counter, struct uw_trigger_owner *owner,
				     struct perf_event_attr *attr, int cpu, struct task_struct *task)
{
	struct perf_event *event;

	might_sleep();
	counter->owner = owner;
	counter->throttled_ns = 0;
	event = perf_event_create_kernel_counter(attr, cpu, task, counter_overflow, counter);
	if (PTR_ERR_OR_ZERO(event) == -ENOENT || PTR_ERR_OR_ZERO(event) == -EOPNOTSUPP)
		return ERR_PTR(-ENODEV);
	return event;
}

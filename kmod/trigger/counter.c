// SPDX-License-Identifier: GPL-2.0
/*
 * What counters of CPUs and of tasks have in common: the handler, and the count of
 * what it was not called for.
 */
#include <linux/err.h>
#include <linux/hrtimer.h>
#include <linux/math64.h>
#include <linux/perf_event.h>
#include <linux/sched.h>
#include <linux/timekeeping.h>

#include "stats.h"
#include "trigger/counter.h"
#include "trigger/trigger.h"
#include "uwind.h"

#define UW_THROTTLED U64_MAX /* perf's MAX_INTERRUPTS, which it keeps to itself */

bool uw_counter_is_clock(u32 type, u64 config)
{
	return type == PERF_TYPE_SOFTWARE && (config == PERF_COUNT_SW_CPU_CLOCK || config == PERF_COUNT_SW_TASK_CLOCK);
}

/* A timer that comes late skips the periods that have passed. */
static u64 periods_missed(const struct perf_event *event, const struct uw_counter *counter)
{
	u64 now = ktime_get_mono_fast_ns(), expires = ktime_to_ns(hrtimer_get_expires(&event->hw.hrtimer));
	u64 period = event->hw.sample_period;

	if (period && counter->throttled_ns)
		return min_t(u64, now - counter->throttled_ns, TICK_NSEC) / period;
	return period && now > expires ? div64_u64(now - expires, period) : 0;
}

/*
 * What perf reports to nobody: periods that a clock has skipped; and a counter that has
 * overflowed too often within a tick (kernel.perf_event_max_sample_rate) stands still until
 * the next one.
 */
static void count_missed(const struct perf_event *event, struct uw_counter *counter)
{
	struct uw_counts __percpu *counts = counter->owner->counts;
	u64 missed = counter->is_clock ? periods_missed(event, counter) : 0;

	if (missed)
		uw_stats_missed(counts, missed);
	counter->throttled_ns = 0;
	if (event->hw.interrupts != UW_THROTTLED)
		return;
	counter->throttled_ns = ktime_get_mono_fast_ns();
	uw_stats_throttled(counts);
}

/* The entry comes in one piece, as attr asks for it. */
static bool filter_takes(const struct uw_trigger_owner *owner, const struct perf_raw_record *raw)
{
	return uw_trigger_filter(owner, raw ? raw->frag.data : NULL, raw ? raw->frag.size : 0);
}

/* Any context. */
static void counter_overflow(struct perf_event *event, struct perf_sample_data *data, struct pt_regs *regs)
{
	struct uw_counter *counter = event->overflow_handler_context;
	struct uw_trigger_owner *owner = counter->owner;
	const struct uw_firing firing = { .task = current, .regs = regs, .period = data->period };

	count_missed(event, counter);
	if (!owner->steps || filter_takes(owner, data->raw))
		owner->fired(owner, &firing);
}

void uw_counter_attr_init(struct perf_event_attr *attr, const struct uwind_counter *of)
{
	memset(attr, 0, sizeof(*attr));
	attr->size = sizeof(*attr);
	attr->type = of->type;
	attr->config = of->config;
	attr->config1 = of->config1;
	attr->config2 = of->config2;
	attr->bp_type = of->bp_type;
	attr->precise_ip = of->precise;
	attr->exclude_user = !!(of->flags & UWIND_COUNTER_NO_USER);
	attr->exclude_kernel = !!(of->flags & UWIND_COUNTER_NO_KERNEL);
	attr->exclude_hv = !!(of->flags & UWIND_COUNTER_NO_HYPERVISOR);
	attr->exclude_host = !!(of->flags & UWIND_COUNTER_NO_HOST);
	attr->exclude_guest = !!(of->flags & UWIND_COUNTER_NO_GUEST);
	attr->exclude_idle = !!(of->flags & UWIND_COUNTER_NO_IDLE);
	attr->freq = !!(of->flags & UWIND_COUNTER_FREQUENCY);
	if (attr->freq)
		attr->sample_freq = of->rate;
	else
		attr->sample_period = of->rate;
	if (of->nr_filter)
		attr->sample_type = PERF_SAMPLE_RAW; /* the handler gets the entry */
}

/* The types of probes are dynamic, and only they are traced events among those. */
bool uw_counter_is_probe(const struct perf_event *event)
{
#ifdef CONFIG_EVENT_TRACING
	return event->attr.type >= PERF_TYPE_MAX && event->tp_event;
#else
	return false;
#endif
}

struct perf_event *uw_counter_create(struct uw_counter *counter, struct uw_trigger_owner *owner,
				     struct perf_event_attr *attr, int cpu, struct task_struct *task)
{
	struct perf_event *event;

	might_sleep();
	counter->owner = owner;
	counter->throttled_ns = 0;
	counter->is_clock = uw_counter_is_clock(attr->type, attr->config);
	event = perf_event_create_kernel_counter(attr, cpu, task, counter_overflow, counter);
	if (PTR_ERR_OR_ZERO(event) == -ENOENT || PTR_ERR_OR_ZERO(event) == -EOPNOTSUPP)
		return ERR_PTR(-ENODEV);
	return event;
}

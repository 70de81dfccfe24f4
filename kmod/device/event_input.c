// SPDX-License-Identifier: GPL-2.0
/*
 * Lists of counters and their filters, from the caller's memory.
 *
 * The kernel's own rules apply to who may count what, by perf's functions, but for those that
 * perf asks in its system call only: they are asked here.
 */
#include <linux/capability.h>
#include <linux/err.h>
#include <linux/mm.h>
#include <linux/perf_event.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "core/event_filter.h"
#include "device/event_input.h"
#include "trigger/counter.h"
#include "uwind.h"

#define UW_MAX_RATE_HZ 100000
#define UW_MIN_PERIOD  10000

/* Of those without privilege. */
#define UW_MEMBER_RATE_HZ   10000
#define UW_MEMBER_PERIOD_NS 100000
#define UW_MEMBER_EVENTS    500000 /* as if no processor were faster than 5 GHz */

#define UW_COUNTER_FLAGS                                                                                           \
	(UWIND_COUNTER_FREQUENCY | UWIND_COUNTER_NO_USER | UWIND_COUNTER_NO_KERNEL | UWIND_COUNTER_NO_HYPERVISOR | \
	 UWIND_COUNTER_NO_HOST | UWIND_COUNTER_NO_GUEST | UWIND_COUNTER_NO_IDLE | UWIND_COUNTER_KERNEL_STACK)

static_assert(sizeof(struct uwind_filter_step) == sizeof(struct uw_filter_step));
static_assert(offsetof(struct uwind_filter_step, text) == offsetof(struct uw_filter_step, text));
static_assert((int)UWIND_NR_FILTER_KINDS == (int)UW_NR_FILTER_KINDS);
static_assert((int)UWIND_NR_FILTER_COMPARES == (int)UW_NR_FILTER_COMPARES);
static_assert(UWIND_MAX_FILTER_STEPS == UW_FILTER_MAX_STEPS && UWIND_FILTER_TEXT == UW_FILTER_TEXT);
static_assert(UWIND_FILTER_TAKE == UW_FILTER_TAKE && UWIND_FILTER_LEAVE == UW_FILTER_LEAVE);

/* By a processor. The types that are made at run time include others, but for those without privilege that is no matter. */
static bool counts_fast(const struct uwind_counter *counter, bool privileged)
{
	return counter->type == PERF_TYPE_HARDWARE || counter->type == PERF_TYPE_HW_CACHE ||
	       counter->type == PERF_TYPE_RAW || (!privileged && counter->type >= PERF_TYPE_MAX);
}

static u64 least_period(const struct uwind_counter *counter, bool privileged)
{
	if (uw_counter_is_clock(counter->type, counter->config))
		return privileged ? UW_MIN_PERIOD : UW_MEMBER_PERIOD_NS;
	if (counts_fast(counter, privileged))
		return privileged ? UW_MIN_PERIOD : UW_MEMBER_EVENTS;
	return 1;
}

static int rate_check(const struct uwind_counter *counter, bool privileged)
{
	if (counter->flags & UWIND_COUNTER_FREQUENCY)
		return counter->rate && counter->rate <= (privileged ? UW_MAX_RATE_HZ : UW_MEMBER_RATE_HZ) ? 0 :
													     -EINVAL;
	return counter->rate >= least_period(counter, privileged) && counter->rate <= S64_MAX ? 0 : -EINVAL;
}

/* All that it has no use for is 0. */
static int off_cpu_check(const struct uwind_counter *counter)
{
	if (!counter->rate || counter->rate > S64_MAX || counter->config > U32_MAX ||
	    (counter->config1 & ~(u64)UWIND_OFF_CPU_NO_WAKERS) || (counter->flags & ~UWIND_COUNTER_KERNEL_STACK) ||
	    counter->config2 || counter->bp_type || counter->precise)
		return -EINVAL;
	return 0;
}

/* The same. */
static int function_check(const struct uwind_counter *counter)
{
	u32 most = counter->config & UWIND_CALL_RETURN ? UWIND_MAX_RETURNS : UWIND_MAX_FUNCTIONS;

	if (!counter->rate || (counter->config & ~(u64)UWIND_CALL_RETURN) || !counter->config2 ||
	    counter->config2 > most || (counter->flags & ~UWIND_COUNTER_KERNEL_STACK) || counter->bp_type ||
	    counter->precise)
		return -EINVAL;
	return 0;
}

static bool has_filter(const struct uwind_counter *counter)
{
	return counter->type == PERF_TYPE_TRACEPOINT || counter->type == UWIND_TYPE_FUNCTION;
}

static int counter_check(const struct uwind_counter *counter, bool privileged)
{
	if ((counter->flags & ~UW_COUNTER_FLAGS) || counter->precise > 3 ||
	    memchr_inv(counter->reserved, 0, sizeof(counter->reserved)) ||
	    counter->nr_filter > UWIND_MAX_FILTER_STEPS || (counter->nr_filter && !has_filter(counter)))
		return -EINVAL;
	if (counter->type == UWIND_TYPE_OFF_CPU)
		return off_cpu_check(counter);
	return counter->type == UWIND_TYPE_FUNCTION ? function_check(counter) : rate_check(counter, privileged);
}

/*
 * What perf's system call asks, and not the functions that it calls. What happens in the
 * kernel only would never be seen without it.
 */
static int counter_restrict(struct uwind_counter *counter, bool privileged)
{
	if (privileged)
		return 0;
	if (counter->type == UWIND_TYPE_OFF_CPU || counter->type == UWIND_TYPE_FUNCTION)
		return -EACCES;
	counter->flags &= ~UWIND_COUNTER_KERNEL_STACK;
	if ((counter->flags & UWIND_COUNTER_NO_KERNEL) || uw_may_count_kernel())
		return 0;
	counter->flags |= UWIND_COUNTER_NO_KERNEL;
	return counter->type == PERF_TYPE_TRACEPOINT ? -EACCES : 0;
}

static int steps_copy(struct uw_filter_step **steps, const struct uwind_counter *counter)
{
	struct uw_filter_step *copy;
	u32 bad;

	if (!counter->nr_filter)
		return 0;
	copy = vmemdup_user(u64_to_user_ptr(counter->filter), counter->nr_filter * sizeof(*copy));
	if (IS_ERR(copy))
		return PTR_ERR(copy);
	*steps = copy;
	return uw_filter_check(copy, counter->nr_filter, &bad) ? -EINVAL : 0;
}

static int counter_copy(struct uwind_counter *counter, const void __user *from, u32 bytes, bool privileged)
{
	int err = copy_struct_from_user(counter, sizeof(*counter), from, bytes);

	if (!err && counter->size != bytes)
		err = -EINVAL;
	if (!err)
		err = counter_check(counter, privileged);
	return err ?: counter_restrict(counter, privileged);
}

/* The counters, one after the other, of the size that the first one says. */
static int list_copy(struct uw_event_list *list, struct uwind_counter *counters, u64 from, bool privileged)
{
	u32 bytes, i;
	int err;

	if (get_user(bytes, (const u32 __user *)u64_to_user_ptr(from)))
		return -EFAULT;
	if (bytes < sizeof(bytes) || bytes > PAGE_SIZE)
		return -EINVAL;
	for (i = 0; i < list->nr; i++) {
		list->bad = i;
		err = counter_copy(&counters[i], u64_to_user_ptr(from) + (u64)i * bytes, bytes, privileged) ?:
			      steps_copy(&list->steps[i], &counters[i]);
		if (err)
			return err;
	}
	list->bad = list->nr;
	return 0;
}

static int list_input(struct uw_event_list *list, const struct uwind_session_start *arg, bool privileged)
{
	struct uwind_counter *counters;

	if (arg->rate || (arg->flags & (UWIND_SESSION_FREQUENCY | UWIND_SESSION_USER)) || !arg->nr_counters ||
	    arg->nr_counters > UWIND_MAX_COUNTERS)
		return -EINVAL;
	list->listed = true;
	list->nr = arg->nr_counters;
	counters = kcalloc(list->nr, sizeof(*counters), GFP_KERNEL);
	list->counters = counters;
	list->steps = kcalloc(list->nr, sizeof(*list->steps), GFP_KERNEL);
	if (!counters || !list->steps)
		return -ENOMEM;
	return list_copy(list, counters, arg->counters, privileged);
}

/* One of the two that have a name of their own. */
static void counter_name(struct uwind_counter *counter, const struct uwind_session_start *arg)
{
	bool cycles = arg->event == UWIND_EVENT_CYCLES;

	counter->type = cycles ? PERF_TYPE_HARDWARE : PERF_TYPE_SOFTWARE;
	counter->config = cycles ? PERF_COUNT_HW_CPU_CYCLES : PERF_COUNT_SW_CPU_CLOCK;
	counter->rate = arg->rate;
	counter->flags = UWIND_COUNTER_NO_HYPERVISOR | (cycles ? 0 : UWIND_COUNTER_NO_IDLE);
	if (arg->flags & UWIND_SESSION_FREQUENCY)
		counter->flags |= UWIND_COUNTER_FREQUENCY;
	if (arg->flags & UWIND_SESSION_USER)
		counter->flags |= UWIND_COUNTER_NO_KERNEL;
}

static int named_input(struct uw_event_list *list, const struct uwind_session_start *arg, bool privileged)
{
	struct uwind_counter *counter = kzalloc(sizeof(*counter), GFP_KERNEL);

	list->counters = counter;
	if (!counter)
		return -ENOMEM;
	list->nr = 1;
	counter_name(counter, arg);
	return counter_restrict(counter, privileged) ?: counter_check(counter, privileged);
}

int uw_event_input(struct uw_event_list *list, const struct uwind_session_start *arg, bool privileged)
{
	*list = (struct uw_event_list){ .bad = arg->nr_counters };
	if (arg->event == UWIND_EVENT_LISTED)
		return list_input(list, arg, privileged);
	if (arg->nr_counters || arg->counters)
		return -EINVAL;
	if (arg->event != UWIND_EVENT_REQUESTS)
		return named_input(list, arg, privileged);
	return arg->rate || (arg->flags & (UWIND_SESSION_FREQUENCY | UWIND_SESSION_USER)) ? -EINVAL : 0;
}

void uw_event_input_free(struct uw_event_list *list)
{
	u32 i;

	for (i = 0; list->steps && i < list->nr; i++)
		kvfree(list->steps[i]);
	kfree(list->steps);
	kfree(list->counters);
}

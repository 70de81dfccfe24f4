// SPDX-License-Identifier: GPL-2.0
/*
 * From an entry of the caller's list to counters.
 */
#include <linux/perf_event.h>
#include <linux/slab.h>

#include "core/event_filter.h"
#include "session/event.h"
#include "uwind.h"

static int event_init_trigger(struct uw_event *event, const struct uw_event_owner *owner,
			      const struct uwind_counter *counter)
{
	struct perf_event_attr attr;

	if (counter->type == UWIND_TYPE_OFF_CPU)
		return uw_trigger_off_cpu_init(&event->off_cpu, &event->owner, owner->cpus, counter);
	uw_counter_attr_init(&attr, counter);
	if (owner->quota)
		return uw_trigger_task_init(&event->tasks, &event->owner, owner->quota, &attr);
	return uw_trigger_cpu_init(&event->cpus, &event->owner, owner->cpus, &attr);
}

int uw_event_init(struct uw_event *event, const struct uw_event_owner *owner, struct uw_event_list *list, u32 number)
{
	const struct uwind_counter *counter = &list->counters[number];

	event->owner = owner->trigger;
	event->session = owner->session;
	event->number = number;
	event->unnoted = !list->listed || (number == 0 && uw_counter_is_clock(counter->type, counter->config));
	event->kernel_stack = !owner->quota && (counter->flags & UWIND_COUNTER_KERNEL_STACK);
	event->owner.steps = list->steps ? list->steps[number] : NULL;
	if (list->steps)
		list->steps[number] = NULL;
	return event_init_trigger(event, owner, counter);
}

void uw_event_deinit(struct uw_event *event)
{
	uw_trigger_off_cpu_close(&event->off_cpu);
	uw_trigger_cpu_deinit(&event->cpus);
	uw_trigger_task_deinit(&event->tasks);
	kvfree(event->owner.steps);
	event->owner.steps = NULL;
}

void uw_event_enable(struct uw_event *event)
{
	uw_trigger_off_cpu_enable(&event->off_cpu);
	uw_trigger_cpu_enable(&event->cpus);
	uw_trigger_task_enable(&event->tasks);
}

void uw_event_disable(struct uw_event *event)
{
	uw_trigger_off_cpu_disable(&event->off_cpu);
	uw_trigger_cpu_disable(&event->cpus);
	uw_trigger_task_close(&event->tasks);
}

void uw_event_close(struct uw_event *event)
{
	uw_trigger_off_cpu_close(&event->off_cpu);
	uw_trigger_cpu_close(&event->cpus);
	uw_trigger_task_close(&event->tasks);
}

// SPDX-License-Identifier: GPL-2.0
/*
 * From an entry of the caller's list to counters.
 */
#include <linux/err.h>
#include <linux/perf_event.h>
#include <linux/slab.h>

#include "core/event_filter.h"
#include "session/event.h"
#include "trigger/counter.h"
#include "trigger/cpu.h"
#include "trigger/function.h"
#include "trigger/off_cpu.h"
#include "trigger/task.h"
#include "uwind.h"

static struct uw_trigger *trigger_create(struct uw_event *event, const struct uw_event_owner *owner,
					 const struct uwind_counter *counter)
{
	struct perf_event_attr attr;

	might_sleep();
	if (counter->type == UWIND_TYPE_OFF_CPU)
		return uw_trigger_off_cpu_create(&event->owner, owner->cpus, counter);
	if (counter->type == UWIND_TYPE_FUNCTION)
		return uw_trigger_function_create(&event->owner, counter);
	uw_counter_attr_init(&attr, counter);
	if (owner->quota)
		return uw_trigger_task_create(&event->owner, owner->quota, &attr);
	return uw_trigger_cpu_create(&event->owner, owner->cpus, &attr);
}

int uw_event_init(struct uw_event *event, const struct uw_event_owner *owner, struct uw_event_list *list, u32 number)
{
	const struct uwind_counter *counter = &list->counters[number];
	struct uw_trigger *trigger;

	event->owner = owner->trigger;
	event->session = owner->session;
	event->number = number;
	event->unnoted = !list->listed || (number == 0 && uw_counter_is_clock(counter->type, counter->config));
	event->kernel_stack = !owner->quota && (counter->flags & UWIND_COUNTER_KERNEL_STACK);
	event->owner.steps = list->steps ? list->steps[number] : NULL;
	if (list->steps)
		list->steps[number] = NULL;
	trigger = trigger_create(event, owner, counter);
	if (IS_ERR(trigger))
		return PTR_ERR(trigger);
	event->trigger = trigger;
	return 0;
}

void uw_event_deinit(struct uw_event *event)
{
	if (event->trigger)
		event->trigger->ops->free(event->trigger);
	event->trigger = NULL;
	kvfree(event->owner.steps);
	event->owner.steps = NULL;
}

void uw_event_enable(struct uw_event *event)
{
	event->trigger->ops->enable(event->trigger);
}

void uw_event_disable(struct uw_event *event)
{
	event->trigger->ops->disable(event->trigger);
}

void uw_event_close(struct uw_event *event)
{
	if (event->trigger)
		event->trigger->ops->close(event->trigger);
}

bool uw_event_wants_child(const struct uw_event *event, struct task_struct *child)
{
	const struct uw_trigger *trigger = event->trigger;

	return trigger->ops->wants_child && trigger->ops->wants_child(trigger, child);
}

void uw_event_adopt(struct uw_event *event)
{
	if (event->trigger->ops->adopt)
		event->trigger->ops->adopt(event->trigger);
}

void uw_event_sweep(struct uw_event *event)
{
	if (event->trigger->ops->sweep)
		event->trigger->ops->sweep(event->trigger);
}

u32 uw_event_failed(const struct uw_event *event)
{
	return READ_ONCE(event->trigger->nr_failed);
}

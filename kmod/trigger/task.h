/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The trigger of those without privilege: one perf counter for each thread that its
 * owner wants, which runs while that thread does. Nobody else is interrupted.
 */
#ifndef UW_TRIGGER_TASK_H
#define UW_TRIGGER_TASK_H

struct perf_event_attr;
struct uw_quota;
struct uw_trigger;
struct uw_trigger_owner;

/*
 * No counters yet: thread by thread, they are made once it is enabled. Each is charged to quota, which lives longer than the
 * trigger. To disable it is to close it. When that is done, no handler begins any more but for counters that adopt() is just
 * making: it drops them itself. ERR_PTR, -ENODEV: no such event here. May sleep.
 */
struct uw_trigger *uw_trigger_task_create(struct uw_trigger_owner *owner, struct uw_quota *quota,
					  const struct perf_event_attr *attr);

#endif

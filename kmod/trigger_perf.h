/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The sampling trigger: one perf counter per CPU.
 */
#ifndef UW_TRIGGER_PERF_H
#define UW_TRIGGER_PERF_H

#include <linux/percpu.h>
#include <linux/types.h>

struct perf_event;
struct uw_session;

struct uw_trigger_perf {
	struct perf_event *__percpu *events; /* NULL where the CPU was offline   */
};

/* Create the counters, disabled. -ENODEV: no such event here. May sleep. */
int uw_trigger_perf_init(struct uw_trigger_perf *trigger, struct uw_session *session,
			 u32 event, bool frequency, u64 rate);
void uw_trigger_perf_enable(struct uw_trigger_perf *trigger);

/* When it returns, no handler runs any more. */
void uw_trigger_perf_deinit(struct uw_trigger_perf *trigger);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The sampling trigger: one perf counter per CPU of a session, as long as the CPU is online.
 */
#ifndef UW_TRIGGER_PERF_H
#define UW_TRIGGER_PERF_H

#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/types.h>

struct uw_session;

/* One CPU's counter. */
struct uw_counter {
	struct perf_event *event; /* NULL: offline, or not wanted                */
	u64 throttled_ns;         /* when it was stopped for a while; 0: it runs. Written by its CPU */
};

struct uw_trigger_perf {
	struct hlist_node node; /* Owned by: the CPU hotplug core               */
	struct uw_session *session;
	struct perf_event_attr attr;
	struct uw_counter __percpu *counters;
	int err; /* of the last counter that could not be made                  */
	bool started; /* from now on a counter that fails is counted, not returned */
	u32 nr_failed; /* Written by: the CPU hotplug core's callbacks           */
	struct mutex mutex; /* Order: outside cpus_read_lock()                  */
	bool enabled; /* Protected by: mutex, and by cpus_read_lock() against a CPU coming online */
};

/* Create the counters, disabled. -ENODEV: no such event here. May sleep. */
int uw_trigger_perf_init(struct uw_trigger_perf *trigger, struct uw_session *session,
			 u32 event, bool frequency, u64 rate);
/* Both do nothing if that was done before. May sleep. */
void uw_trigger_perf_enable(struct uw_trigger_perf *trigger);
void uw_trigger_perf_disable(struct uw_trigger_perf *trigger);

/* When it returns, no handler runs any more. Does nothing after a failed init. */
void uw_trigger_perf_deinit(struct uw_trigger_perf *trigger);

/* Once for the module, before and after all sessions. */
int uw_trigger_perf_setup(void);
void uw_trigger_perf_exit(void);

#endif

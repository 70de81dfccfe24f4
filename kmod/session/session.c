// SPDX-License-Identifier: GPL-2.0
/*
 * One session: what it does when its triggers fire and its requests are answered.
 */
#include <linux/cred.h>
#include <linux/sched/task.h>
#include <linux/slab.h>

#include "access/quota.h"
#include "access/viewer.h"
#include "request/request.h"
#include "session/session.h"

#define UW_FLUSH_INTERVAL (HZ / 10 ?: 1)

bool uw_session_trigger(struct uw_session *session, struct pt_regs *regs, u64 *cookie)
{
	int loss;

	if (!uw_request_suits(current) || READ_ONCE(session->deserted))
		return false;
	if (!uw_filter_takes_current(&session->filter) || !uw_viewer_sees_current(session->viewer))
		return false;
	uw_stats_requested(session->counts, 1);
	loss = uw_request_ask(session->slot, regs, cookie);
	if (loss >= 0)
		uw_stats_lost(session->counts, loss, 1);
	return loss < 0;
}

static struct uw_session *session_of(const struct uw_trigger_owner *owner)
{
	return container_of((struct uw_trigger_owner *)owner, struct uw_session, owner);
}

static void session_fired(struct uw_trigger_owner *owner, struct pt_regs *regs)
{
	u64 cookie;

	uw_session_trigger(session_of(owner), regs, &cookie);
}

static bool session_wants(const struct uw_trigger_owner *owner, struct task_struct *task)
{
	const struct uw_session *session = session_of(owner);

	return uw_request_suits(task) && uw_filter_names(&session->filter, task) &&
	       uw_viewer_sees(session->viewer, task);
}

static bool session_wants_thread(const struct uw_trigger_owner *owner, struct task_struct *child)
{
	const struct uw_session *session = session_of(owner);

	return uw_filter_names(&session->filter, child) && uw_viewer_sees_current(session->viewer);
}

/* Charged until the request is answered, even if the session is over by then. */
static int session_ask_task(struct uw_session *session, struct uw_quota *quota, struct task_struct *task, u64 *cookie)
{
	int err = uw_quota_charge(quota, UW_QUOTA_ASKS, 1);

	if (err)
		return err;
	err = -ESRCH;
	uw_stats_requested(session->counts, 1); /* it may be answered before we are back */
	if (uw_request_suits(task))
		err = uw_request_ask_task(session->slot, quota, task, cookie);
	if (!err)
		return 0;
	uw_stats_lost(session->counts, err == -EAGAIN ? UWIND_LOSS_NOMEM : UWIND_LOSS_EXIT, 1);
	uw_quota_uncharge(quota, UW_QUOTA_ASKS, 1);
	return err;
}

int uw_session_ask(struct uw_session *session, struct uw_quota *quota, s32 tid, u64 *cookie)
{
	struct pid *pid = find_get_pid(tid);
	struct task_struct *task = get_pid_task(pid, PIDTYPE_PID);
	int err = -EACCES;

	put_pid(pid);
	if (!task)
		return -ESRCH;
	if (uw_viewer_sees(session->viewer, task))
		err = session_ask_task(session, quota, task, cookie);
	put_task_struct(task);
	return err;
}

/* The task may have changed its credentials, or be another program, since it was asked. */
static void session_hide(struct uw_session *session, const struct uw_answer *answer, u32 weight)
{
	uw_stats_lost(session->counts, answer->walk ? UWIND_LOSS_HIDDEN : answer->loss, weight);
}

/* What is past was judged when it was walked: the task may be another program since, or nothing. */
static bool session_sees(const struct uw_session *session, const struct uw_answer *answer)
{
	if (answer->past)
		return test_bit(session->slot, &answer->request->last.visible_to);
	return uw_viewer_sees_current(session->viewer);
}

void uw_session_answer(struct uw_session *session, const struct uw_answer *answer)
{
	u32 weight = atomic_xchg(&answer->request->asked[session->slot], 0);

	if (weight && session_sees(session, answer))
		uw_sender_answer(&session->sender, answer, weight);
	else if (weight)
		session_hide(session, answer, weight);
}

static void session_flush(struct work_struct *work)
{
	struct uw_session *session = container_of(to_delayed_work(work), struct uw_session, flush);

	if (uw_reader_is_gone(session->sender.outbox.reader)) {
		WRITE_ONCE(session->deserted, true);
		uw_trigger_cpu_disable(&session->cpus);
		uw_trigger_task_close(&session->tasks);
	}
	uw_filter_sweep(&session->filter);
	uw_trigger_task_sweep(&session->tasks);
	uw_sender_push(&session->sender);
	uw_outbox_schedule(&session->flush, UW_FLUSH_INTERVAL);
}

void uw_session_free(struct uw_session *session)
{
	uw_trigger_cpu_deinit(&session->cpus);
	uw_trigger_task_deinit(&session->tasks);
	uw_sender_deinit(&session->sender);
	uw_filter_deinit(&session->filter);
	free_percpu(session->counts);
	put_cred(session->viewer);
	kfree(session);
}

static struct uw_session *session_alloc(const struct cred *viewer)
{
	struct uw_session *session = kzalloc(sizeof(*session), GFP_KERNEL);

	if (!session)
		return NULL;
	session->viewer = viewer ? get_cred(viewer) : NULL;
	INIT_DELAYED_WORK(&session->flush, session_flush);
	return session;
}

static int session_init_trigger(struct uw_session *session, const struct uwind_session_start *arg,
				struct uw_quota *quota)
{
	struct perf_event_attr attr;

	if (arg->event == UWIND_EVENT_REQUESTS)
		return 0;
	session->owner = (struct uw_trigger_owner){
		.fired = session_fired,
		.wants = session_wants,
		.wants_child = session_wants_thread,
		.counts = session->counts,
	};
	uw_counter_attr_init(&attr, arg);
	if (session->viewer)
		return uw_trigger_task_init(&session->tasks, &session->owner, quota, &attr);
	return uw_trigger_cpu_init(&session->cpus, &session->owner, session->filter.cpus, &attr);
}

static int session_init(struct uw_session *session, const struct uwind_session_start *arg,
			const struct uw_filter_lists *lists, const struct uw_session_owner *owner)
{
	int err;

	session->counts = alloc_percpu(struct uw_counts);
	if (!session->counts)
		return -ENOMEM;
	err = uw_sender_init(&session->sender, owner->reader, session->counts, arg);
	if (!err)
		err = uw_filter_init(&session->filter, arg, lists);
	if (!err)
		err = uw_request_prepare(session->sender.max_frames);
	return err ?: session_init_trigger(session, arg, owner->quota);
}

struct uw_session *uw_session_create(const struct uwind_session_start *arg, const struct uw_filter_lists *lists,
				     const struct uw_session_owner *owner)
{
	struct uw_session *session = session_alloc(owner->viewer);
	int err;

	if (!session)
		return ERR_PTR(-ENOMEM);
	err = session_init(session, arg, lists, owner);
	if (!err)
		return session;
	uw_session_free(session);
	return ERR_PTR(err);
}

int uw_session_begin(struct uw_session *session, const struct uwind_session_start *arg,
		     const struct uw_filter_lists *lists)
{
	int err = uw_filter_name(&session->filter, arg, lists, session->viewer);

	if (err)
		return err;
	uw_outbox_schedule(&session->flush, UW_FLUSH_INTERVAL);
	if (!(arg->flags & UWIND_SESSION_DISABLED))
		uw_session_enable(session);
	return 0;
}

void uw_session_quiesce(struct uw_session *session)
{
	cancel_delayed_work_sync(&session->flush);
	uw_trigger_cpu_deinit(&session->cpus);
	uw_trigger_task_close(&session->tasks);
}

void uw_session_enable(struct uw_session *session)
{
	uw_trigger_cpu_enable(&session->cpus);
	uw_trigger_task_enable(&session->tasks);
	WRITE_ONCE(session->enabled, true);
}

void uw_session_counts(struct uw_session *session, struct uwind_session_stats *stats)
{
	struct uw_counts sum;

	uw_stats_sum(&sum, session->counts);
	stats->session = session->number;
	stats->requested = sum.requested;
	stats->answered = sum.answered;
	memcpy(stats->lost, sum.lost, sizeof(sum.lost));
	memcpy(stats->stops, sum.stops, sizeof(sum.stops));
	stats->periods_missed = sum.periods_missed;
	stats->throttled = sum.throttled;
	stats->counters_failed = READ_ONCE(session->cpus.nr_failed) + READ_ONCE(session->tasks.nr_failed);
	uw_sender_stats(&session->sender, stats);
}

/* Some are on their way from open to answered: what is not counted as anything yet is open. */
void uw_session_stats(struct uw_session *session, struct uwind_session_stats *stats)
{
	unsigned int i;

	uw_session_counts(session, stats);
	stats->pending = stats->requested - stats->answered;
	for (i = 0; i < UWIND_NR_LOSSES; i++)
		stats->pending -= stats->lost[i];
}

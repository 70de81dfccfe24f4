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

static struct uw_session *session_of(const struct uw_trigger_owner *owner)
{
	return container_of(owner, struct uw_event, owner)->session;
}

static void session_make_room(struct uw_trigger_owner *owner)
{
	uw_sender_push(&session_of(owner)->sender);
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
	struct uw_request *request = answer->request;
	struct uw_triggers of = { .all = atomic_xchg(&request->asked[session->slot], 0) };

	if (session->listed)
		of.noted = atomic_xchg(&request->noted[session->slot], 0);
	if (of.all && session_sees(session, answer))
		uw_sender_answer(&session->sender, answer, of);
	else if (of.all)
		session_hide(session, answer, of.all);
}

static void session_desert(struct uw_session *session)
{
	u32 i;

	WRITE_ONCE(session->deserted, true);
	for (i = 0; i < session->nr_events; i++)
		uw_event_disable(&session->events[i]);
}

static void session_flush(struct work_struct *work)
{
	struct uw_session *session = container_of(to_delayed_work(work), struct uw_session, flush);
	u32 i;

	if (uw_reader_is_gone(session->sender.outbox.reader))
		session_desert(session);
	uw_filter_sweep(&session->filter);
	for (i = 0; i < session->nr_events; i++)
		uw_event_sweep(&session->events[i]);
	uw_sender_push(&session->sender);
	uw_outbox_schedule(&session->flush, UW_FLUSH_INTERVAL);
}

void uw_session_free(struct uw_session *session)
{
	u32 i;

	for (i = 0; i < session->nr_events; i++)
		uw_event_deinit(&session->events[i]);
	kvfree(session->events);
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

static int session_init_events(struct uw_session *session, struct uw_event_list *list,
			       const struct uw_session_owner *of)
{
	const struct uw_event_owner owner = {
		.trigger = { .fired = of->fired,
			     .takes = of->takes,
			     .make_room = session_make_room,
			     .wants = session_wants,
			     .wants_child = session_wants_thread,
			     .counts = session->counts },
		.session = session,
		.quota = of->quota,
		.cpus = session->filter.cpus,
	};
	int err = 0;

	session->listed = list->listed;
	session->events = kvcalloc(list->nr, sizeof(*session->events), GFP_KERNEL_ACCOUNT);
	if (list->nr && !session->events)
		return -ENOMEM;
	if (list->listed)
		err = uw_sender_take_notes(&session->sender, session->filter.cpus);
	while (!err && session->nr_events < list->nr) {
		list->bad = session->nr_events++;
		err = uw_event_init(&session->events[list->bad], &owner, list, list->bad);
	}
	if (!err)
		list->bad = list->nr;
	if (!list->listed)
		list->bad = 0;
	return err;
}

static int session_init(struct uw_session *session, const struct uwind_session_start *arg,
			const struct uw_filter_lists *lists, struct uw_event_list *events,
			const struct uw_session_owner *owner)
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
	return err ?: session_init_events(session, events, owner);
}

struct uw_session *uw_session_create(const struct uwind_session_start *arg, const struct uw_filter_lists *lists,
				     struct uw_event_list *events, const struct uw_session_owner *owner)
{
	struct uw_session *session = session_alloc(owner->viewer);
	int err;

	if (!session)
		return ERR_PTR(-ENOMEM);
	err = session_init(session, arg, lists, events, owner);
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
	u32 i;

	cancel_delayed_work_sync(&session->flush);
	for (i = 0; i < session->nr_events; i++)
		uw_event_close(&session->events[i]);
}

void uw_session_enable(struct uw_session *session)
{
	u32 i;

	for (i = 0; i < session->nr_events; i++)
		uw_event_enable(&session->events[i]);
	WRITE_ONCE(session->enabled, true);
}

bool uw_session_wants_child(const struct uw_session *session, struct task_struct *child)
{
	/* All of them want the same threads, and the first is enabled first. */
	return session->nr_events && uw_event_wants_child(&session->events[0], child);
}

void uw_session_adopt(struct uw_session *session)
{
	u32 i;

	for (i = 0; i < session->nr_events; i++)
		uw_event_adopt(&session->events[i]);
}

static u64 counters_failed(const struct uw_session *session)
{
	u64 failed = 0;
	u32 i;

	for (i = 0; i < session->nr_events; i++)
		failed += uw_event_failed(&session->events[i]);
	return failed;
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
	stats->events_own = sum.own;
	stats->counters_failed = counters_failed(session);
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

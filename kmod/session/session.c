// SPDX-License-Identifier: GPL-2.0
/*
 * The slot table of running sessions.
 *
 * The end of a session, in order: its own work is cancelled; its counters are released; its slot is
 * emptied, so that no other module asks any more and no task begins to answer;
 * SRCU waits for those that are answering, which is short, as walks are outside,
 * and RCU for those that are asking; then whatever is still open in its name is
 * taken back and counted as pending, however long those tasks sleep.
 */
#include <linux/cred.h>
#include <linux/nsproxy.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/srcu.h>

#include "access/quota.h"
#include "access/viewer.h"
#include "request/request.h"
#include "session/session.h"
#include "store/file_store.h"

#define UW_SESSIONS_SAME 4 /* of one viewer without privilege */

#define UW_FLUSH_INTERVAL (HZ / 10 ?: 1)

DEFINE_STATIC_SRCU(sessions_srcu);
static DEFINE_MUTEX(sessions_mutex);
/* Protected by: sessions_mutex to write; SRCU to answer, RCU to ask. */
static struct uw_session __rcu *sessions[UWIND_MAX_SESSIONS];
static unsigned long slots_used; /* Protected by: sessions_mutex                 */
static u32 last_number;          /* Protected by: sessions_mutex                 */

/* A trigger has fired in current. false: the session does not want it, or it is counted as lost. */
static bool uw_session_trigger(struct uw_session *session, struct pt_regs *regs, u64 *cookie)
{
	int loss;

	if (!uw_request_suits(current) || READ_ONCE(session->deserted))
		return false;
	if (!uw_filter_takes_current(&session->filter) ||
	    !uw_viewer_sees_current(session->viewer))
		return false;
	uw_stats_requested(session->counts, 1);
	loss = uw_request_ask(session->slot, regs, cookie);
	if (loss >= 0)
		uw_stats_lost(session->counts, loss, 1);
	return loss < 0;
}

/* The same for every enabled session: for how many something is asked. */
static unsigned int uw_session_trigger_all(struct pt_regs *regs, u64 *cookie)
{
	unsigned int slot, asked = 0;

	/* SRCU is not for NMIs; uw_session_stop() waits for both. */
	rcu_read_lock();
	for (slot = 0; slot < UWIND_MAX_SESSIONS; slot++) {
		struct uw_session *session = rcu_dereference(sessions[slot]);

		if (session && READ_ONCE(session->enabled))
			asked += uw_session_trigger(session, regs, cookie);
	}
	rcu_read_unlock();
	return asked;
}

static struct uw_session *uw_session_of(const struct uw_trigger_owner *owner)
{
	return container_of((struct uw_trigger_owner *)owner, struct uw_session, owner);
}

static void uw_session_fired(struct uw_trigger_owner *owner, struct pt_regs *regs)
{
	u64 cookie;

	uw_session_trigger(uw_session_of(owner), regs, &cookie);
}

static bool uw_session_wants(const struct uw_trigger_owner *owner, struct task_struct *task)
{
	const struct uw_session *session = uw_session_of(owner);

	return uw_request_suits(task) && uw_filter_names(&session->filter, task) &&
	       uw_viewer_sees(session->viewer, task);
}

static bool uw_session_wants_thread(const struct uw_trigger_owner *owner, struct task_struct *child)
{
	const struct uw_session *session = uw_session_of(owner);

	return uw_filter_names(&session->filter, child) && uw_viewer_sees_current(session->viewer);
}

/* Charged until the request is answered, even if the session is over by then. */
static int uw_session_ask_task(struct uw_session *session, struct uw_quota *quota,
			       struct task_struct *task, u64 *cookie)
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
		err = uw_session_ask_task(session, quota, task, cookie);
	put_task_struct(task);
	return err;
}

/* The task may have changed its credentials, or be another program, since it was asked. */
static void uw_session_hide(struct uw_session *session, const struct uw_answer *answer, u32 weight)
{
	uw_stats_lost(session->counts, answer->walk ? UWIND_LOSS_HIDDEN : answer->loss, weight);
}

/* What can be seen of a task without memory is that it has none. */
static bool uw_session_sees(const struct uw_session *session, const struct uw_answer *answer)
{
	if (answer->exited)
		return test_bit(session->slot, &answer->request->last.visible_to);
	return uw_viewer_sees_current(session->viewer);
}

static unsigned long uw_session_visible_to(void)
{
	unsigned long slots = 0;
	unsigned int slot;

	rcu_read_lock();
	for (slot = 0; slot < UWIND_MAX_SESSIONS; slot++) {
		const struct uw_session *session = rcu_dereference(sessions[slot]);

		if (session && uw_viewer_sees_current(session->viewer))
			__set_bit(slot, &slots);
	}
	rcu_read_unlock();
	return slots;
}

static void uw_session_answer_slot(unsigned int slot, const struct uw_answer *answer)
{
	int index = srcu_read_lock(&sessions_srcu);
	struct uw_session *session = srcu_dereference(sessions[slot], &sessions_srcu);
	u32 weight = session ? atomic_xchg(&answer->request->asked[slot], 0) : 0;

	if (weight && uw_session_sees(session, answer))
		uw_sender_answer(&session->sender, answer, weight);
	else if (weight)
		uw_session_hide(session, answer, weight);
	srcu_read_unlock(&sessions_srcu, index);
}

static void uw_session_answer(const struct uw_answer *answer)
{
	unsigned int slot;

	for (slot = 0; slot < UWIND_MAX_SESSIONS; slot++)
		if (atomic_read(&answer->request->asked[slot]))
			uw_session_answer_slot(slot, answer);
}

static const struct uw_asker session_asker = {
	.answer = uw_session_answer,
	.visible_to = uw_session_visible_to,
};

void uw_session_fork(struct task_struct *parent, struct task_struct *child)
{
	int index = srcu_read_lock(&sessions_srcu);
	unsigned int slot;

	for (slot = 0; slot < UWIND_MAX_SESSIONS; slot++) {
		struct uw_session *session = srcu_dereference(sessions[slot], &sessions_srcu);

		if (session)
			uw_filter_fork(&session->filter, parent, child);
	}
	srcu_read_unlock(&sessions_srcu, index);
}

bool uw_session_wants_child(struct task_struct *child)
{
	int index = srcu_read_lock(&sessions_srcu);
	bool wanted = false;
	unsigned int slot;

	for (slot = 0; !wanted && slot < UWIND_MAX_SESSIONS; slot++) {
		struct uw_session *session = srcu_dereference(sessions[slot], &sessions_srcu);

		wanted = session && uw_trigger_task_wants_child(&session->tasks, child);
	}
	srcu_read_unlock(&sessions_srcu, index);
	return wanted;
}

void uw_session_adopt(void)
{
	int index = srcu_read_lock(&sessions_srcu);
	unsigned int slot;

	for (slot = 0; slot < UWIND_MAX_SESSIONS; slot++) {
		struct uw_session *session = srcu_dereference(sessions[slot], &sessions_srcu);

		if (session)
			uw_trigger_task_adopt(&session->tasks);
	}
	srcu_read_unlock(&sessions_srcu, index);
}

static void uw_session_flush(struct work_struct *work)
{
	struct uw_session *session = container_of(to_delayed_work(work), struct uw_session, flush);

	if (uw_reader_is_gone(session->reader)) {
		WRITE_ONCE(session->deserted, true);
		uw_trigger_cpu_disable(&session->cpus);
		uw_trigger_task_close(&session->tasks);
	}
	uw_filter_sweep(&session->filter);
	uw_trigger_task_sweep(&session->tasks);
	uw_sender_push(&session->sender);
	uw_outbox_schedule(&session->flush, UW_FLUSH_INTERVAL);
}

static void uw_session_free(struct uw_session *session)
{
	uw_trigger_cpu_deinit(&session->cpus);
	uw_trigger_task_deinit(&session->tasks);
	uw_sender_deinit(&session->sender);
	uw_filter_deinit(&session->filter);
	free_percpu(session->counts);
	put_cred(session->viewer);
	kfree(session);
}

/* Those without privilege leave half of the slots to others, and each a part to the next. */
static bool uw_viewer_has_room(const struct cred *viewer)
{
	unsigned int slot, same = 0, all = 0;

	lockdep_assert_held(&sessions_mutex);
	for (slot = 0; viewer && slot < UWIND_MAX_SESSIONS; slot++) {
		const struct uw_session *other = rcu_dereference_protected(
			sessions[slot], lockdep_is_held(&sessions_mutex));

		if (!other || !other->viewer)
			continue;
		all++;
		same += uw_viewer_is(other->viewer, viewer);
	}
	return !viewer || (same < UW_SESSIONS_SAME && all < UWIND_MAX_SESSIONS / 2);
}

static void uw_session_update_max_frames(void)
{
	u32 slot, most = UWIND_DEFAULT_FRAMES; /* for other modules */

	lockdep_assert_held(&sessions_mutex);
	for (slot = 0; slot < UWIND_MAX_SESSIONS; slot++) {
		const struct uw_session *session = rcu_dereference_protected(
			sessions[slot], lockdep_is_held(&sessions_mutex));

		if (session)
			most = max(most, session->max_frames);
	}
	uw_request_set_max_frames(most);
}

/* The caller holds sessions_mutex. */
static int uw_session_install(struct uw_session *session)
{
	unsigned int slot = find_first_zero_bit(&slots_used, UWIND_MAX_SESSIONS);

	lockdep_assert_held(&sessions_mutex);
	if (slot == UWIND_MAX_SESSIONS || !uw_viewer_has_room(session->viewer))
		return -EBUSY;
	session->slot = slot;
	session->number = ++last_number;
	session->sender.outbox.slot = slot;
	session->sender.outbox.number = session->number;
	uw_file_clear_announced(slot);
	__set_bit(slot, &slots_used);
	rcu_assign_pointer(sessions[slot], session);
	uw_session_update_max_frames();
	return 0;
}

static struct uw_session *uw_session_create(const struct uwind_session_start *arg,
					    const struct uw_session_owner *owner)
{
	struct uw_session *session = kzalloc(sizeof(*session), GFP_KERNEL);

	if (!session)
		return NULL;
	session->max_frames = arg->max_frames ?: UWIND_DEFAULT_FRAMES;
	session->viewer = owner->viewer ? get_cred(owner->viewer) : NULL;
	session->reader = owner->reader;
	INIT_DELAYED_WORK(&session->flush, uw_session_flush);
	return session;
}

static int uw_session_init_trigger(struct uw_session *session, const struct uwind_session_start *arg,
				   struct uw_quota *quota)
{
	struct perf_event_attr attr;

	if (arg->event == UWIND_EVENT_REQUESTS)
		return 0;
	session->owner = (struct uw_trigger_owner){
		.fired = uw_session_fired,
		.wants = uw_session_wants,
		.wants_child = uw_session_wants_thread,
		.counts = session->counts,
	};
	uw_counter_attr_init(&attr, arg);
	if (session->viewer)
		return uw_trigger_task_init(&session->tasks, &session->owner, quota, &attr);
	return uw_trigger_cpu_init(&session->cpus, &session->owner, session->filter.cpus, &attr);
}

static int uw_session_init(struct uw_session *session, const struct uwind_session_start *arg,
			   const struct uw_filter_lists *lists, struct uw_quota *quota)
{
	int err;

	session->counts = alloc_percpu(struct uw_counts);
	if (!session->counts)
		return -ENOMEM;
	err = uw_sender_init(&session->sender, session->reader, session->counts, session->max_frames);
	if (!err)
		err = uw_filter_init(&session->filter, arg, lists);
	if (!err)
		err = uw_request_prepare();
	return err ?: uw_session_init_trigger(session, arg, quota);
}

struct uw_session *uw_session_start(const struct uwind_session_start *arg,
				    const struct uw_filter_lists *lists,
				    const struct uw_session_owner *owner)
{
	struct uw_session *session = uw_session_create(arg, owner);
	int err;

	if (!session)
		return ERR_PTR(-ENOMEM);
	err = uw_session_init(session, arg, lists, owner->quota);
	if (!err) {
		mutex_lock(&sessions_mutex);
		err = uw_session_install(session);
		mutex_unlock(&sessions_mutex);
	}
	if (err) {
		uw_session_free(session);
		return ERR_PTR(err);
	}
	/* Forks are followed by now: no child is made unseen. */
	err = uw_filter_name(&session->filter, arg, lists, session->viewer);
	if (err) {
		uw_session_stop(session, NULL);
		return ERR_PTR(err);
	}
	uw_outbox_schedule(&session->flush, UW_FLUSH_INTERVAL);
	if (!(arg->flags & UWIND_SESSION_DISABLED))
		uw_session_enable(session);
	return session;
}

void uw_session_enable(struct uw_session *session)
{
	uw_trigger_cpu_enable(&session->cpus);
	uw_trigger_task_enable(&session->tasks);
	WRITE_ONCE(session->enabled, true);
}

static void uw_session_counts(struct uw_session *session, struct uwind_session_stats *stats)
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

void uw_session_stop(struct uw_session *session, struct uwind_session_stats *stats)
{
	u64 pending;

	cancel_delayed_work_sync(&session->flush);
	uw_trigger_cpu_deinit(&session->cpus);
	uw_trigger_task_close(&session->tasks);
	mutex_lock(&sessions_mutex);
	rcu_assign_pointer(sessions[session->slot], NULL);
	uw_session_update_max_frames();
	mutex_unlock(&sessions_mutex);
	synchronize_srcu(&sessions_srcu);
	synchronize_rcu();
	pending = uw_request_forget(session->slot);
	uw_stats_session_gone(pending);
	uw_sender_flush(&session->sender);
	if (stats) {
		stats->pending = pending;
		uw_session_counts(session, stats);
	}
	mutex_lock(&sessions_mutex);
	__clear_bit(session->slot, &slots_used);
	mutex_unlock(&sessions_mutex);
	uw_session_free(session);
}

u32 uw_session_count(void)
{
	return hweight_long(READ_ONCE(slots_used));
}

int uw_session_setup(void)
{
	uw_request_register(&session_asker);
	uw_trigger_register_all(uw_session_trigger_all);
	return 0;
}

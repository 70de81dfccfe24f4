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
#include <linux/err.h>
#include <linux/mutex.h>
#include <linux/srcu.h>

#include "access/viewer.h"
#include "request/request.h"
#include "session/firing.h"
#include "session/running.h"
#include "session/session.h"
#include "stats.h"
#include "trigger/trigger.h"

#define UW_SESSIONS_SAME 4 /* of one viewer without privilege */

DEFINE_STATIC_SRCU(sessions_srcu);
static DEFINE_MUTEX(sessions_mutex);
/* Protected by: sessions_mutex to write; SRCU to answer, RCU to ask. */
static struct uw_session __rcu *sessions[UWIND_MAX_SESSIONS];
static unsigned long slots_used; /* Protected by: sessions_mutex */
static u32 last_number;          /* Protected by: sessions_mutex */

static unsigned int running_trigger(struct pt_regs *regs, u64 *cookie)
{
	unsigned int slot, asked = 0;

	/* SRCU is not for NMIs; uw_running_stop() waits for both. */
	rcu_read_lock();
	for (slot = 0; slot < UWIND_MAX_SESSIONS; slot++) {
		struct uw_session *session = rcu_dereference(sessions[slot]);

		if (session && READ_ONCE(session->enabled))
			asked += uw_session_trigger(session, regs, cookie);
	}
	rcu_read_unlock();
	return asked;
}

static unsigned long running_visible_to(void)
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

static void running_answer_slot(unsigned int slot, const struct uw_answer *answer)
{
	int index = srcu_read_lock(&sessions_srcu);
	struct uw_session *session = srcu_dereference(sessions[slot], &sessions_srcu);

	if (session)
		uw_session_answer(session, answer);
	srcu_read_unlock(&sessions_srcu, index);
}

static void running_answer(const struct uw_answer *answer)
{
	unsigned int slot;

	for_each_set_bit(slot, &answer->request->asked_by, UWIND_MAX_SESSIONS)
		if (atomic_read(&answer->request->asked[slot]))
			running_answer_slot(slot, answer);
}

static const struct uw_asker running_asker = {
	.answer = running_answer,
	.visible_to = running_visible_to,
};

void uw_running_fork(struct task_struct *parent, struct task_struct *child)
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

bool uw_running_wants_child(struct task_struct *child)
{
	int index = srcu_read_lock(&sessions_srcu);
	bool wanted = false;
	unsigned int slot;

	for (slot = 0; !wanted && slot < UWIND_MAX_SESSIONS; slot++) {
		struct uw_session *session = srcu_dereference(sessions[slot], &sessions_srcu);

		wanted = session && uw_session_wants_child(session, child);
	}
	srcu_read_unlock(&sessions_srcu, index);
	return wanted;
}

void uw_running_adopt(void)
{
	int index = srcu_read_lock(&sessions_srcu);
	unsigned int slot;

	might_sleep();
	for (slot = 0; slot < UWIND_MAX_SESSIONS; slot++) {
		struct uw_session *session = srcu_dereference(sessions[slot], &sessions_srcu);

		if (session)
			uw_session_adopt(session);
	}
	srcu_read_unlock(&sessions_srcu, index);
}

/* Unprivileged viewers share half the slots; one user gets at most 4. */
static bool running_has_room(const struct cred *viewer)
{
	unsigned int slot, same = 0, all = 0;

	lockdep_assert_held(&sessions_mutex);
	for (slot = 0; viewer && slot < UWIND_MAX_SESSIONS; slot++) {
		const struct uw_session *other =
			rcu_dereference_protected(sessions[slot], lockdep_is_held(&sessions_mutex));

		if (!other || !other->viewer)
			continue;
		all++;
		same += uw_viewer_is(other->viewer, viewer);
	}
	return !viewer || (same < UW_SESSIONS_SAME && all < UWIND_MAX_SESSIONS / 2);
}

static void running_update_max_frames(void)
{
	u32 slot, most = UWIND_DEFAULT_FRAMES; /* for other modules */

	lockdep_assert_held(&sessions_mutex);
	for (slot = 0; slot < UWIND_MAX_SESSIONS; slot++) {
		const struct uw_session *session =
			rcu_dereference_protected(sessions[slot], lockdep_is_held(&sessions_mutex));

		if (session)
			most = max(most, session->sender.max_frames);
	}
	uw_request_set_max_frames(most);
}

static int running_install(struct uw_session *session)
{
	unsigned int slot = find_first_zero_bit(&slots_used, UWIND_MAX_SESSIONS);

	lockdep_assert_held(&sessions_mutex);
	if (slot == UWIND_MAX_SESSIONS || !running_has_room(session->viewer))
		return -EBUSY;
	session->slot = slot;
	session->number = ++last_number;
	session->sender.outbox.slot = slot;
	session->sender.outbox.number = session->number;
	__set_bit(slot, &slots_used);
	rcu_assign_pointer(sessions[slot], session);
	running_update_max_frames();
	return 0;
}

struct uw_session *uw_running_start(const struct uwind_session_start *arg, const struct uw_filter_lists *lists,
				    struct uw_event_list *events, const struct uw_session_owner *owner)
{
	struct uw_session *session = uw_session_create(arg, lists, events, owner);
	int err;

	if (IS_ERR(session))
		return session;
	mutex_lock(&sessions_mutex);
	err = running_install(session);
	mutex_unlock(&sessions_mutex);
	if (err) {
		uw_session_free(session);
		return ERR_PTR(err);
	}
	/* Forks are followed from now on, so that no child is missed. */
	err = uw_session_begin(session, arg, lists);
	if (!err)
		return session;
	uw_running_stop(session, NULL);
	return ERR_PTR(err);
}

void uw_running_stop(struct uw_session *session, struct uwind_session_stats *stats)
{
	u64 pending;

	might_sleep();
	uw_session_quiesce(session);
	mutex_lock(&sessions_mutex);
	rcu_assign_pointer(sessions[session->slot], NULL);
	running_update_max_frames();
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

u32 uw_running_count(void)
{
	return hweight_long(READ_ONCE(slots_used));
}

int uw_running_setup(void)
{
	uw_request_register(&running_asker);
	uw_trigger_register_all(running_trigger);
	return 0;
}

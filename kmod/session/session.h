/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A session: which tasks are sampled, and where the stacks go.
 */
#ifndef UW_SESSION_H
#define UW_SESSION_H

#include <linux/workqueue.h>

#include "session/event.h"
#include "session/filter.h"
#include "session/reader.h"
#include "session/sender.h"
#include "stats.h"
#include "uwind.h"

struct uw_answer;
struct uw_quota;

/*
 * Lifetime: from uw_session_create() to uw_session_free(). Tasks that look it up in the slot table hold SRCU or
 * RCU, and uw_running_stop() waits for both. A member is set before the session is in that table, and is constant
 * until it is freed, unless its comment says otherwise.
 */
struct uw_session {
	unsigned int slot;         /* in the slot table. Set as it enters the table */
	u32 number;                /* unique while the module is loaded. Set as it enters the table */
	bool enabled;              /* Set once, by uw_session_enable(). Read anywhere by READ_ONCE() */
	bool deserted;             /* nobody can read any more. Set once, by the flush. Read anywhere by READ_ONCE() */
	const struct cred *viewer; /* holds a reference: see viewer.h */
	struct uw_filter filter;   /* Protected by: its own rules */
	struct uw_event *events;   /* owned; each is protected by its own rules */
	u32 nr_events;
	bool listed;                       /* what fires is noted: see UWIND_EVENT_LISTED */
	struct uw_counts __percpu *counts; /* owned. Each CPU adds to its own, in any context */
	struct uw_sender sender;           /* Protected by: its own rules */
	/* Sends incomplete batches, and looks after the session. Order: cancelled before all else, by _quiesce(). */
	struct delayed_work flush;
};

/* Who starts a session. Lifetime: all outlive the session. */
struct uw_session_owner {
	/* What its counters call: see firing.h. */
	void (*fired)(struct uw_trigger_owner *owner, const struct uw_firing *fired);
	bool (*takes)(const struct uw_trigger_owner *owner, struct task_struct *task);
	const struct uw_reader *reader; /* where it sends to */
	const struct cred *viewer;      /* whom it sees: see viewer.h */
	struct uw_quota *quota;         /* who pays; NULL: nobody */
};

/* A session that does not run yet. lists: those of arg. ERR_PTR: see UWIND_IOC_SESSION_START. */
struct uw_session *uw_session_create(const struct uwind_session_start *arg, const struct uw_filter_lists *lists,
				     struct uw_event_list *events, const struct uw_session_owner *owner);
/* Nobody finds it, and nothing is asked in its name. */
void uw_session_free(struct uw_session *session);

/* It has a slot, and forks are followed: name its targets, and sample unless arg wants it disabled. */
int uw_session_begin(struct uw_session *session, const struct uwind_session_start *arg,
		     const struct uw_filter_lists *lists);
void uw_session_enable(struct uw_session *session);

/* No counter triggers it any more, and its own work is over. */
void uw_session_quiesce(struct uw_session *session);

/* Does it count in current's new thread? Any context. Then the thread itself calls the other, which may sleep. */
bool uw_session_wants_child(const struct uw_session *session, struct task_struct *child);
void uw_session_adopt(struct uw_session *session);

/* The thread with this number in current's namespace, charged to quota (NULL: nobody). See UWIND_IOC_SESSION_ASK. */
int uw_session_ask(struct uw_session *session, struct uw_quota *quota, s32 tid, u64 *cookie);

/* What it asked for is answered. Task context. */
void uw_session_answer(struct uw_session *session, const struct uw_answer *answer);

/* All numbers; those of uw_session_counts() are without what is pending. */
void uw_session_stats(struct uw_session *session, struct uwind_session_stats *stats);
void uw_session_counts(struct uw_session *session, struct uwind_session_stats *stats);

#endif

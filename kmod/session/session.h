/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A session: who samples whom, and where the stacks go.
 */
#ifndef UW_SESSION_H
#define UW_SESSION_H

#include <linux/workqueue.h>

#include "session/filter.h"
#include "session/reader.h"
#include "session/sender.h"
#include "stats.h"
#include "trigger/cpu.h"
#include "trigger/task.h"
#include "trigger/trigger.h"
#include "uwind.h"

struct pt_regs;
struct uw_answer;
struct uw_quota;

/* Lifetime: from start to stop; readers of the slot table hold SRCU. */
struct uw_session {
	unsigned int slot;
	u32 number;                /* Set once */
	bool enabled;              /* Set once */
	bool deserted;             /* nobody can read any more. Set once */
	const struct cred *viewer; /* holds a reference: see viewer.h */
	struct uw_filter filter;
	struct uw_trigger_owner owner; /* of the triggers */
	struct uw_trigger_cpu cpus;    /* one of the two is in use: with privilege */
	struct uw_trigger_task tasks;  /* and without */
	struct uw_counts __percpu *counts;
	struct uw_sender sender;
	struct delayed_work flush; /* sends incomplete batches, and looks after the session */
};

/* Who starts a session. All outlive it. */
struct uw_session_owner {
	const struct uw_reader *reader; /* where it sends to */
	const struct cred *viewer;      /* whom it sees: see viewer.h */
	struct uw_quota *quota;         /* who pays; NULL: nobody */
};

/* A session that does not run yet. lists: those of arg. ERR_PTR: see UWIND_IOC_SESSION_START. */
struct uw_session *uw_session_create(const struct uwind_session_start *arg, const struct uw_filter_lists *lists,
				     const struct uw_session_owner *owner);
/* Nobody finds it, and nothing is asked in its name. */
void uw_session_free(struct uw_session *session);

/* It has a slot, and forks are followed: name its targets, and sample unless arg wants it disabled. */
int uw_session_begin(struct uw_session *session, const struct uwind_session_start *arg,
		     const struct uw_filter_lists *lists);
void uw_session_enable(struct uw_session *session);

/* No counter triggers it any more, and its own work is over. */
void uw_session_quiesce(struct uw_session *session);

/*
 * A trigger has fired in current. Any context. false: nothing is asked for, since
 * the session does not want it or it is counted as lost.
 */
bool uw_session_trigger(struct uw_session *session, struct pt_regs *regs, u64 *cookie);

/* The thread with this number in current's namespace, charged to quota (NULL: nobody). See UWIND_IOC_SESSION_ASK. */
int uw_session_ask(struct uw_session *session, struct uw_quota *quota, s32 tid, u64 *cookie);

/* What it asked for is answered. Task context. */
void uw_session_answer(struct uw_session *session, const struct uw_answer *answer);

/* All numbers; those of uw_session_counts() are without what is pending. */
void uw_session_stats(struct uw_session *session, struct uwind_session_stats *stats);
void uw_session_counts(struct uw_session *session, struct uwind_session_stats *stats);

#endif

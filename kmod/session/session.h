/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sessions: who samples whom, and where the stacks go.
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
struct uw_quota;

/* Lifetime: from start to stop; readers of the slot table hold SRCU. */
struct uw_session {
	unsigned int slot;
	u32 number;                /* Set once                                   */
	bool enabled;              /* Set once                                   */
	bool deserted;             /* nobody can read any more. Set once         */
	u32 max_frames;            /* Set once                                   */
	const struct cred *viewer; /* holds a reference: see viewer.h            */
	struct uw_filter filter;
	struct uw_trigger_owner owner; /* of the triggers                        */
	struct uw_trigger_cpu cpus;   /* one of the two is in use: with privilege */
	struct uw_trigger_task tasks; /* and without                             */
	struct uw_counts __percpu *counts;
	const struct uw_reader *reader; /* its owner outlives the session        */
	struct uw_sender sender;
	struct delayed_work flush; /* sends incomplete batches, and looks after the session */
};

/* Who starts a session. All outlive it. */
struct uw_session_owner {
	const struct uw_reader *reader; /* where it sends to                     */
	const struct cred *viewer;      /* whom it sees: see viewer.h            */
	struct uw_quota *quota;         /* who pays; NULL: nobody                */
};

/* Start a session. lists: those of arg. ERR_PTR: see UWIND_IOC_SESSION_START. */
struct uw_session *uw_session_start(const struct uwind_session_start *arg,
				    const struct uw_filter_lists *lists,
				    const struct uw_session_owner *owner);
void uw_session_enable(struct uw_session *session);
void uw_session_stats(struct uw_session *session, struct uwind_session_stats *stats);

/*
 * Stop, fill stats (may be NULL) with the last numbers, and free the session.
 * Waits for no sleeping task: what is open then is pending.
 */
void uw_session_stop(struct uw_session *session, struct uwind_session_stats *stats);

/* The thread with this number in current's namespace, charged to quota (NULL: nobody). See UWIND_IOC_SESSION_ASK. */
int uw_session_ask(struct uw_session *session, struct uw_quota *quota, s32 tid, u64 *cookie);

/* A new process has been made. Does not sleep. */
void uw_session_fork(struct task_struct *parent, struct task_struct *child);

/* Does a session want to count in this new thread of current's making? Then the thread calls the other. The first does not sleep. */
bool uw_session_wants_child(struct task_struct *child);
void uw_session_adopt(void);

u32 uw_session_count(void);

/* Module init. */
int uw_session_setup(void);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The sessions that run.
 */
#ifndef UW_RUNNING_H
#define UW_RUNNING_H

#include <linux/types.h>

struct task_struct;
struct uw_event_list;
struct uw_filter_lists;
struct uw_session;
struct uw_session_owner;
struct uwind_session_start;
struct uwind_session_stats;

/* Start a session. lists: those of arg. ERR_PTR: see UWIND_IOC_SESSION_START. */
struct uw_session *uw_running_start(const struct uwind_session_start *arg, const struct uw_filter_lists *lists,
				    struct uw_event_list *events, const struct uw_session_owner *owner);

/*
 * Stop, fill stats (may be NULL) with the last numbers, and free the session.
 * Waits for no sleeping task: what is open then is pending.
 */
void uw_running_stop(struct uw_session *session, struct uwind_session_stats *stats);

/* A new process has been made. Does not sleep. */
void uw_running_fork(struct task_struct *parent, struct task_struct *child);

/* Does a session want to count in this new thread of current's making? Does not sleep. */
bool uw_running_wants_child(struct task_struct *child);
/* Then the thread calls this. May sleep. */
void uw_running_adopt(void);

u32 uw_running_count(void);

/* Module init. */
int uw_running_setup(void);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a session does when one of its triggers fires.
 */
#ifndef UW_FIRING_H
#define UW_FIRING_H

#include <linux/types.h>

struct pt_regs;
struct task_struct;
struct uw_firing;
struct uw_session;
struct uw_trigger_owner;

/* Callbacks of struct uw_trigger_owner. */
void uw_session_fired(struct uw_trigger_owner *owner, const struct uw_firing *fired);
bool uw_session_takes(const struct uw_trigger_owner *owner, struct task_struct *task);

/*
 * A trigger has fired in current, for all sessions. Any context. false: nothing is asked for, since
 * the session does not want it or it is counted as lost.
 */
bool uw_session_trigger(struct uw_session *session, struct pt_regs *regs, u64 *cookie);

#endif

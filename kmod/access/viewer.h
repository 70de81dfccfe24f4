/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which tasks an open file of the device may see.
 */
#ifndef UW_VIEWER_H
#define UW_VIEWER_H

#include <linux/types.h>

struct cred;
struct task_struct;

/*
 * A viewer is the credentials of the opener of the device, or NULL: opened with
 * privilege, sees everything.
 *
 * Others see what ptrace lets them read: tasks whose real, effective and saved
 * user and group ids are the viewer's real ones, whose permitted capabilities
 * the viewer has too, and whose memory may be dumped, which that of a program
 * with set-user-ID, set-group-ID or capabilities may not. Security modules are
 * not asked: the kernel exports no way to.
 */

/* Any context. No memory (a kernel thread, or a task that exits): not seen. */
bool uw_viewer_sees_current(const struct cred *viewer);

/* Process context. */
bool uw_viewer_sees(const struct cred *viewer, struct task_struct *task);

/* Is this the same user? Two viewers without privilege. */
bool uw_viewer_is(const struct cred *viewer, const struct cred *other);

#endif

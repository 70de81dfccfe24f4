/* SPDX-License-Identifier: GPL-2.0 */
/*
 * From a pidfd to its process.
 */
#ifndef UW_PIDFD_H
#define UW_PIDFD_H

struct cred;
struct mm_struct;
struct task_struct;

/*
 * The process's leader, with a reference. ERR_PTR: -EBADF, -EINVAL, -ESRCH,
 * -EACCES: the viewer does not see it.
 */
struct task_struct *uw_pidfd_task(int fd, const struct cred *viewer);

/* Its memory, with mm_users held: mmput() it. ERR_PTR: likewise. */
struct mm_struct *uw_pidfd_mm(int fd, const struct cred *viewer);

#endif

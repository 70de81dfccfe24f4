/* SPDX-License-Identifier: GPL-2.0 */
/*
 * From a pidfd to its process, and to its memory.
 */
#ifndef UW_PIDFD_H
#define UW_PIDFD_H

#include <linux/types.h>

struct cred;
struct mm_struct;
struct task_struct;

/*
 * A process as it was when it was found that the viewer sees it. Its memory is the
 * very one that was judged, whatever the process executes meanwhile. Owned by the caller.
 */
struct uw_process {
	struct task_struct *task; /* its leader. Holds a reference */
	struct mm_struct *mm;     /* holds mm_users */
};

/* 0, -EBADF, -EINVAL, -ESRCH, -EINTR, -EACCES: the viewer does not see it. Sleeps. */
int uw_process_get(struct uw_process *process, int fd, const struct cred *viewer);
void uw_process_put(const struct uw_process *process);

/* The memory alone: mmput() it. ERR_PTR: likewise. */
struct mm_struct *uw_pidfd_mm(int fd, const struct cred *viewer);

/* Copy out of it. 0, -EFAULT, -EINTR (a fatal signal). Sleeps. */
int uw_mm_read(struct mm_struct *mm, u64 from, void *to, u64 bytes);

#endif

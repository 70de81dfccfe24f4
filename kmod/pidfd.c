// SPDX-License-Identifier: GPL-2.0
/*
 * pidfd_get_pid() and its kin are not exported: recognise the file ourselves.
 */
#include <linux/dcache.h>
#include <linux/err.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <linux/pid.h>
#include <linux/sched/mm.h>
#include <linux/sched/task.h>

#include "pidfd.h"
#include "viewer.h"

/* Linux 6.9 (cb12fd8e0dab "pidfd: add pidfs"); older kernels have no file system of this number. */
#ifndef PID_FS_MAGIC
#define PID_FS_MAGIC 0x50494446
#endif

/*
 * Every file of pidfs is a pidfd. Before, or without it: only the kernel names
 * anonymous inodes, and only a pidfd has this name.
 */
static struct pid *uw_pidfd_pid(struct file *file)
{
	const struct dentry *dentry = file->f_path.dentry;

	if (dentry->d_sb->s_magic == PID_FS_MAGIC)
		return file_inode(file)->i_private;
	if (dentry->d_sb->s_magic != ANON_INODE_FS_MAGIC ||
	    strcmp(dentry->d_name.name, "[pidfd]"))
		return NULL;
	return file->private_data;
}

struct task_struct *uw_pidfd_task(int fd, const struct cred *viewer)
{
	struct file *file = fget(fd);
	struct task_struct *task = NULL;
	struct pid *pid;

	if (!file)
		return ERR_PTR(-EBADF);
	pid = uw_pidfd_pid(file);
	if (pid)
		task = get_pid_task(pid, PIDTYPE_TGID);
	fput(file);
	if (!pid)
		return ERR_PTR(-EINVAL);
	if (!task)
		return ERR_PTR(-ESRCH);
	if (uw_viewer_sees(viewer, task))
		return task;
	put_task_struct(task);
	return ERR_PTR(-EACCES);
}

struct mm_struct *uw_pidfd_mm(int fd, const struct cred *viewer)
{
	struct task_struct *task = uw_pidfd_task(fd, viewer);
	struct mm_struct *mm;

	if (IS_ERR(task))
		return ERR_CAST(task);
	mm = get_task_mm(task);
	put_task_struct(task);
	return mm ?: ERR_PTR(-ESRCH);
}

// SPDX-License-Identifier: GPL-2.0
/*
 * pidfd_get_pid() and its kin are not exported: recognise the file ourselves.
 */
#include <linux/dcache.h>
#include <linux/err.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/highmem.h>
#include <linux/magic.h>
#include <linux/mm.h>
#include <linux/pid.h>
#include <linux/rwsem.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>

#include "access/pidfd.h"
#include "access/viewer.h"

/* Linux 6.9 (cb12fd8e0dab "pidfd: add pidfs"); older kernels have no file system of this number. */
#ifndef PID_FS_MAGIC
#define PID_FS_MAGIC 0x50494446
#endif

#define UW_READ_PAGES 16 /* that are held at once */

/*
 * Every file of pidfs is a pidfd. Before, or without it: only the kernel names
 * anonymous inodes, and only a pidfd has this name.
 */
static struct pid *pidfd_to_pid(struct file *file)
{
	const struct dentry *dentry = file->f_path.dentry;

	if (dentry->d_sb->s_magic == PID_FS_MAGIC)
		return file_inode(file)->i_private;
	if (dentry->d_sb->s_magic != ANON_INODE_FS_MAGIC || strcmp(dentry->d_name.name, "[pidfd]"))
		return NULL;
	return file->private_data;
}

/* ERR_PTR: -EBADF, -EINVAL, -ESRCH. */
static struct task_struct *pidfd_to_task(int fd)
{
	struct file *file = fget(fd);
	struct task_struct *task = NULL;
	struct pid *pid;

	if (!file)
		return ERR_PTR(-EBADF);
	pid = pidfd_to_pid(file);
	if (pid)
		task = get_pid_task(pid, PIDTYPE_TGID);
	fput(file);
	if (!pid)
		return ERR_PTR(-EINVAL);
	return task ?: ERR_PTR(-ESRCH);
}

/*
 * exec changes the memory, and credentials and "dumpable" with it, under this lock:
 * what is judged and what is taken belong together.
 */
static int check_process(struct uw_process *process, const struct cred *viewer)
{
	struct rw_semaphore *exec_lock = &process->task->signal->exec_update_lock;
	bool seen;

	if (down_read_killable(exec_lock))
		return -EINTR;
	seen = uw_viewer_sees(viewer, process->task);
	process->mm = seen ? get_task_mm(process->task) : NULL;
	up_read(exec_lock);
	if (!seen)
		return -EACCES;
	return process->mm ? 0 : -ESRCH;
}

int uw_process_get(struct uw_process *process, int fd, const struct cred *viewer)
{
	int err;

	might_sleep();
	process->task = pidfd_to_task(fd);
	if (IS_ERR(process->task))
		return PTR_ERR(process->task);
	err = check_process(process, viewer);
	if (err)
		put_task_struct(process->task);
	return err;
}

void uw_process_put(const struct uw_process *process)
{
	mmput(process->mm);
	put_task_struct(process->task);
}

struct mm_struct *uw_pidfd_mm(int fd, const struct cred *viewer)
{
	struct uw_process process;
	int err = uw_process_get(&process, fd, viewer);

	if (err)
		return ERR_PTR(err);
	put_task_struct(process.task);
	return process.mm;
}

/* The pages from an address on, with references. How many, or an error. */
static long pin_pages(struct mm_struct *mm, u64 from, u32 nr, struct page **pages)
{
	int locked = 1;
	long got;

	if (mmap_read_lock_killable(mm))
		return -EINTR;
	got = uw_get_user_pages_remote(mm, from, nr, pages, &locked);
	if (locked)
		mmap_read_unlock(mm);
	return got;
}

int uw_mm_read(struct mm_struct *mm, u64 from, void *to, u64 bytes)
{
	struct page *pages[UW_READ_PAGES];

	might_sleep();
	while (bytes) {
		u32 nr = min_t(u64, DIV_ROUND_UP_ULL(offset_in_page(from) + bytes, PAGE_SIZE), UW_READ_PAGES);
		long i, got = pin_pages(mm, from, nr, pages);

		if (got <= 0)
			return fatal_signal_pending(current) ? -EINTR : -EFAULT;
		for (i = 0; i < got; i++) {
			u64 piece = min_t(u64, PAGE_SIZE - offset_in_page(from), bytes);

			memcpy_from_page(to, pages[i], offset_in_page(from), piece);
			put_page(pages[i]);
			to += piece;
			from += piece;
			bytes -= piece;
		}
		cond_resched();
	}
	return 0;
}

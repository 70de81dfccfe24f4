// SPDX-License-Identifier: GPL-2.0
/*
 * The ioctl says why a section is refused, and so does the kernel's log: a program
 * that registers its own rarely shows why it could not.
 */
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/printk.h>
#include <linux/sched.h>

#include "access/pidfd.h"
#include "core/table.h"
#include "device/refusal.h"
#include "log.h"

#define UW_REFUSAL_PATH_BYTES 128 /* four names; longer ones are cut */

/* The file that is mapped there, with a reference, or NULL. */
static struct file *file_at(struct mm_struct *mm, u64 address)
{
	struct vm_area_struct *vma;
	struct file *file = NULL;

	if (mmap_read_lock_killable(mm))
		return NULL;
	vma = vma_lookup(mm, address);
	if (vma && vma->vm_file)
		file = get_file(vma->vm_file);
	mmap_read_unlock(mm);
	return file;
}

static void refusal_log(struct task_struct *task, struct mm_struct *mm, u64 address, const struct uw_reject *reject)
{
	struct file *file = file_at(mm, address);
	char whose[UW_REFUSAL_PATH_BYTES] = "in memory";
	char comm[TASK_COMM_LEN];

	get_task_comm(comm, task);
	if (file) {
		scnprintf(whose, sizeof(whose), "of %pD4", file);
		fput(file);
	}
	pr_notice_ratelimited("" UW_LOG_NAME "[%d]: .sframe section " UW_LOG_NAME
			      " at %#llx is refused: byte %llu: %s\n",
			      uw_log_name(comm), task_tgid_nr(task), uw_log_name(whose), address, reject->offset,
			      reject->why);
}

void uw_refusal_report(const struct uw_process *process, u64 address, const struct uw_reject *reject)
{
	might_sleep();
	if (process)
		refusal_log(process->task, process->mm, address, reject);
	else
		refusal_log(current, current->mm, address, reject);
}

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Work that a task does on its way back to user space, and that does not keep
 * the module loaded while the task sleeps. work.c tells how.
 */
#ifndef UW_WORK_H
#define UW_WORK_H

#include <linux/list.h>
#include <linux/task_work.h>

struct uw_work {
	struct callback_head head;         /* first: kfree() takes it for the object.
					    * head.func: NULL idle, uw_work_enter()
					    * queued, kfree() left to the kernel;
					    * changed by cmpxchg while queued      */
	void (*run)(struct uw_work *work); /* Set once. In the task it is queued for */
	void (*drop)(struct uw_work *work); /* Set once; may be NULL. Module exit: give
					     * back what the object refers to      */
	struct list_head all;              /* Protected by: work.c's lock         */
};

/* work is embedded at offset 0 of its own kmalloc() object. A task's context. */
void uw_work_init(struct uw_work *work, void (*run)(struct uw_work *work),
		  void (*drop)(struct uw_work *work));

/* Forget and free an idle work. A task's context. */
void uw_work_free(struct uw_work *work);

/* Queue an idle work. Any context. -ESRCH: the task is past that. */
int uw_work_queue(struct uw_work *work, struct task_struct *task);

/* Module exit, when nothing can queue any more: give up or free every work. */
void uw_work_exit(void);

#endif

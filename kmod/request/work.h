/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Work that a task does on its way back to user space, and that does not keep
 * the module loaded while the task sleeps. work.c explains how.
 */
#ifndef UW_WORK_H
#define UW_WORK_H

#include <linux/list.h>

#include "resident.h"

struct uw_work;

/* Constant. */
struct uw_work_kind {
	void (*run)(struct uw_work *work);  /* in the task that it is queued for */
	void (*drop)(struct uw_work *work); /* module exit: give back what the object refers to */
	enum uw_resident_memory memory;     /* that objects lie in */
};

/* Lifetime: from uw_work_init() to uw_work_free(), or to uw_work_exit() and the end of its task's work. */
struct uw_work {
	struct uw_resident_work resident; /* Order: first member. Its state: IDLE, or QUEUED */
	const struct uw_work_kind *kind;  /* Set once */
	struct list_head all;             /* Protected by: work.c's lock */
};

/* work is embedded at offset 0 of an object in the kind's memory. A task's context. */
void uw_work_init(struct uw_work *work, const struct uw_work_kind *kind);

/* Forget and free an idle work. A task's context. */
void uw_work_free(struct uw_work *work);

/* Queue an idle work. Any context. -ESRCH: the task is past that. */
int uw_work_queue(struct uw_work *work, struct task_struct *task);

/* Module exit, when nothing can queue any more: give up or free every work. */
void uw_work_exit(void);

#endif

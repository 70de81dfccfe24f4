// SPDX-License-Identifier: GPL-2.0
/*
 * The open requests of tasks: slots of pointers, each cleared by the task that owns the request, so
 * nothing is locked.
 */
#include <linux/hash.h>
#include <linux/sched.h>

#include "request/pending.h"

#define UW_PENDING_BITS 15

static struct uw_request *pending[1 << UW_PENDING_BITS];

static struct uw_request **pending_slot(const struct task_struct *task, u32 probe)
{
	return &pending[(hash_ptr(task, UW_PENDING_BITS) + probe) & ((1 << UW_PENDING_BITS) - 1)];
}

struct uw_request *uw_pending_of(const struct task_struct *task, u32 probe)
{
	struct uw_request *request = READ_ONCE(*pending_slot(task, probe));

	return request && READ_ONCE(request->owner) == task ? request : NULL;
}

struct uw_request *uw_pending_find(const struct task_struct *task)
{
	u32 i;

	for (i = 0; i < UW_PENDING_PROBES; i++) {
		struct uw_request *request = READ_ONCE(*pending_slot(task, i));

		if (request && READ_ONCE(request->task) == task && request->mm == task->mm)
			return request;
	}
	return NULL;
}

bool uw_pending_add(struct uw_request *request, const struct task_struct *task)
{
	u32 i;

	request->asked_by = 0;
	request->owed_by = 0;
	WRITE_ONCE(request->owner, task);
	for (i = 0; i < UW_PENDING_PROBES; i++)
		if (!cmpxchg(pending_slot(task, i), NULL, request))
			return true;
	return false;
}

void uw_pending_publish(struct uw_request *request, const struct task_struct *task)
{
	barrier();
	WRITE_ONCE(request->task, task);
}

void uw_pending_hide(struct uw_request *request)
{
	WRITE_ONCE(request->task, NULL);
}

void uw_pending_remove(struct uw_request *request)
{
	u32 i;

	uw_pending_hide(request);
	for (i = 0; i < UW_PENDING_PROBES; i++) {
		struct uw_request **slot = pending_slot(request->owner, i);

		if (READ_ONCE(*slot) != request)
			continue;
		WRITE_ONCE(*slot, NULL);
		return;
	}
}

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The table of open requests, by task. Any context, without a lock.
 */
#ifndef UW_PENDING_H
#define UW_PENDING_H

#include "request/supply.h"

struct task_struct;

#define UW_PENDING_PROBES 8u /* slots that a task's requests may lie in */

/* The one in that slot, if it is the task's; NULL: none. */
struct uw_request *uw_pending_of(const struct task_struct *task, u32 probe);

/* One that the task may share: about the memory that it has, as it may have given up other memory since. */
struct uw_request *uw_pending_find(const struct task_struct *task);

/* false: there is no room. Nobody finds it before uw_pending_publish(). */
bool uw_pending_add(struct uw_request *request, const struct task_struct *task);

/* From here on an NMI may share it, so it must be sure to be answered. */
void uw_pending_publish(struct uw_request *request, const struct task_struct *task);

/* From here on a trigger makes a new request. */
void uw_pending_hide(struct uw_request *request);
void uw_pending_remove(struct uw_request *request);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Requests: somebody asks for current's user stack, and gets it when current
 * returns to user space.
 */
#ifndef UW_REQUEST_H
#define UW_REQUEST_H

#include "request/supply.h"
#include "uwind.h"

struct pt_regs;
struct uw_quota;
struct uw_walk;

/* What a request came to: a walk, or a loss. On the stack of the task that answers; constant for askers. */
struct uw_answer {
	struct uw_request *request; /* Lifetime: while askers are called */
	struct uw_walk *walk;       /* Lifetime: the same; NULL: lost. Askers may change it by uw_walk_fill() only */
	enum uwind_loss loss;       /* without a walk */
	bool past;                  /* the task has given up the memory that was walked: see request->last */
};

/* One of those on whose behalf requests are made. Constant. Called by the task whose stack it is. */
struct uw_asker {
	/* A request is answered: give what was asked for in asked[] or owed[], and clear it there. */
	void (*answer)(const struct uw_answer *answer);
	/* The slots of asked[] that may see current, a bit each. Does not sleep. NULL: it has none. */
	unsigned long (*visible_to)(void);
};

#define UW_MAX_ASKERS 2

/* Module init, before it asks. asker stays. */
void uw_request_register(const struct uw_asker *asker);

/* How many frames a walk has at most: what the deepest asker wants. */
void uw_request_set_max_frames(u32 most);

/* This task, current or one that is off its CPU, does what a request needs. Any context. */
bool uw_request_is_answering(const struct task_struct *task);

/* It has a stack in user space that can be asked for. Any context. */
bool uw_request_suits(const struct task_struct *task);

/*
 * Ask for current's stack on behalf of a session slot. Any context; no
 * allocation, no lock. regs are those of what was interrupted; NULL: unknown.
 * noted: the session keeps a note of it. Returns -1, or the uwind_loss if it cannot be asked.
 */
int uw_request_ask(unsigned int slot, struct pt_regs *regs, bool noted, u64 *cookie);

/*
 * The same of a task that this CPU is about to switch to: whoever calls this holds the lock of the run queue.
 */
int uw_request_ask_next(unsigned int slot, struct task_struct *task, bool noted, u64 *cookie);

/*
 * The same on behalf of a caller: see deferred.c. Returns 0; 1: that caller is
 * owed this cookie already; or -1 - the uwind_loss.
 */
int uw_request_call(unsigned int caller, struct pt_regs *regs, u64 *cookie);

/* Take one back, or all: whether it was still owed, and how many were. */
bool uw_request_cancel(unsigned int caller, u64 cookie);
u64 uw_request_cancel_all(unsigned int caller);

/*
 * Ask for the stack of another task, as it will be when it returns to user space.
 * Process context. quota, if not NULL, is uncharged (UW_QUOTA_ASKS) when it is
 * answered. -EAGAIN: too many are open; -ESRCH: it returns no more.
 */
int uw_request_ask_task(unsigned int slot, struct uw_quota *quota, struct task_struct *task, u64 *cookie);

/*
 * Take back whatever a slot has asked: returns the number of open triggers.
 * Nothing is requested for the slot any more.
 */
u64 uw_request_forget(unsigned int slot);

u32 uw_request_count(void);

/*
 * current is about to give up its memory: walk what is open, for its work comes too
 * late. Does not sleep: what is not resident ends the walk.
 */
void uw_request_walk_last(void);

/* Make sure that there is a first supply, and room for walks of so many frames. May sleep. */
int uw_request_prepare(u32 most);
void uw_request_exit(void);

#endif

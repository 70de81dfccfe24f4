/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Request objects, and their bounded supply.
 */
#ifndef UW_SUPPLY_H
#define UW_SUPPLY_H

#include <linux/atomic.h>
#include <linux/sched.h>
#include <linux/types.h>
#include <linux/uidgid.h>

#include "core/types.h"
#include "request/work.h"
#include "uwind.h"
#include "uwind_kernel.h"

#define UW_MAX_REQUESTS 16384

struct uw_frame;
struct uw_quota;

/*
 * What was walked in advance, of a task that exits, or executes a program. Written by that task, before its task
 * work ends; then by anyone who has found that it ended (uw_request_ask_task()).
 */
struct uw_last_walk {
	struct uw_frame *frames; /* owned; NULL: nothing */
	u32 nr_frames;
	u8 stop;                  /* enum uw_stop */
	u16 room;                 /* see uw_frames_give() */
	unsigned long visible_to; /* as uw_asker.visible_to() */
	u64 exec_id;              /* of the task, then */
	char comm[TASK_COMM_LEN]; /* the same */
};

/*
 * One open request. Lies in a block of pages (supply.c), and is kept in the supply for reuse.
 *
 * Lifetime: while the module is loaded, and until its work is done. Its taker owns it until it is queued; then
 * its task owns it, and gives it back.
 */
struct uw_request {
	struct uw_work work; /* Order: first member */
	u32 index;           /* in the supply. Set once */
	atomic_t *holder;    /* the supply's count of a user's requests, or NULL. Set by _take(), used by _give() */
	/* Whose stack. Order: set before it is in the pending table. Compared only; read anywhere by READ_ONCE(). */
	const struct task_struct *owner;
	/*
	 * Which task may share it: current, while in the pending table; NULL: nobody. Written by that task only, read
	 * anywhere by READ_ONCE().
	 */
	const struct task_struct *task;
	bool answering;         /* its task is at it. Written and read by its owner only */
	struct uw_quota *quota; /* whose share it takes; NULL: nobody's. Order: set before it is queued */
	struct uw_last_walk last;
	/* Set before it is queued, constant until answered, but for arch, regs and shadow if late_regs is set: */
	u32 cpu;
	u64 cookie;
	u64 time_ns;
	u64 exec_id;
	const struct mm_struct *mm; /* the memory that it is asked in; compared only. NULL: not known */
	bool late_regs; /* asked for in the kernel, or by another task: its task reads the saved registers later */
	u8 arch;        /* enum uw_arch of the registers; NONE: late */
	struct uw_regs regs;
	u64 shadow; /* where the shadow stack had its last return address; 0: it has none */
	/* Where asked[] and owed[] may be other than 0, a bit each. Set after these in any context; cleared while nobody asks. */
	unsigned long asked_by;
	unsigned long owed_by;
	/* Triggers per session slot. Added to in any context; taken by the answer, or by uw_request_forget(). */
	atomic_t asked[UWIND_MAX_SESSIONS];
	/* How many of them the session has noted itself. Added to before asked[], taken after it. */
	atomic_t noted[UWIND_MAX_SESSIONS];
	/* The cookie, to callers that wait for it; else 0. Set in any context; taken by the answer, or by a cancel. */
	atomic64_t owed[UW_MAX_CALLERS];
};

/*
 * Take an idle one, which that user, if not root, holds until it is given back; NULL: none,
 * or the user holds too many. Any context. Asks for more when few are left.
 */
struct uw_request *uw_supply_take(kuid_t user);
void uw_supply_give(struct uw_request *request);

/* All that exist: 0 … uw_supply_count() - 1. They never go while loaded. */
struct uw_request *uw_supply_at(u32 index);
u32 uw_supply_count(void);
u32 uw_supply_taken(void);

/* Have at least the first requests. May sleep. kind: of their works, which lie in pages. */
int uw_supply_prepare(const struct uw_work_kind *kind);
void uw_supply_exit(void);

#endif

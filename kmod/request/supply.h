/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Request objects, and their bounded supply.
 */
#ifndef UW_SUPPLY_H
#define UW_SUPPLY_H

#include <linux/atomic.h>
#include <linux/types.h>
#include <linux/uidgid.h>

#include "core/types.h"
#include "request/work.h"
#include "uwind.h"
#include "uwind_kernel.h"

#define UW_MAX_REQUESTS 16384

struct uw_frame;
struct uw_quota;

/* What was walked in advance, of a task that exits. */
struct uw_last_walk {
	struct uw_frame *frames; /* NULL: nothing */
	u32 nr_frames;
	u8 stop;                  /* enum uw_stop */
	unsigned long visible_to; /* as uw_asker.visible_to() */
};

/* One open request. Lies in a block of pages (supply.c), and is kept in the supply for reuse. */
struct uw_request {
	struct uw_work work;             /* first */
	u32 index;                       /* in the supply. Set once */
	atomic_t *holder;                /* the supply's, while it is taken */
	const struct task_struct *owner; /* whose stack. Order: set before it is in the pending table */
	/* Which task may share it: current, while in the pending table; NULL: nobody.
	 * Written by that task only */
	const struct task_struct *task;
	struct uw_quota *quota; /* whose share it takes; NULL: nobody's. Set before it is queued */
	/* Written by its owner, before its task work ends; then by who finds that it has ended. */
	struct uw_last_walk last;
	/* Set by the first asker, constant until answered: */
	u32 cpu;
	u64 cookie;
	u64 time_ns;
	u64 exec_id;
	bool in_execve;
	bool late_regs; /* asked where the saved registers may be half written, or a probe's */
	u8 arch;        /* enum uw_arch of the registers; NONE: late */
	struct uw_regs regs;
	u64 shadow;                         /* where the shadow stack had its last return address; 0: it has none */
	atomic_t asked[UWIND_MAX_SESSIONS]; /* triggers per session slot */
	atomic64_t owed[UW_MAX_CALLERS];    /* the cookie, to callers that wait for it; else 0 */
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

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Walks current's kernel stack from a function that is being entered. What differs between the architectures.
 */
#ifndef UW_KSTACK_WALK_H
#define UW_KSTACK_WALK_H

#include <linux/kallsyms.h>
#include <linux/types.h>

#include "core/frame_scan.h"
#include "uwind.h"
#include "uwind_kstack.h"

/* A stack, from its lowest address to its end. */
struct uw_kstack_stack {
	unsigned long low;
	unsigned long high;
	u8 on; /* enum uwind_kstack_on */
};

/* What a walk needs besides its frames; too big for a stack that is about to be the deepest. One walk uses it at a time. */
struct uw_kstack_scratch {
	struct uwind_kstack_frame frames[UWIND_KSTACK_FRAMES];
	char symbol[KSYM_SYMBOL_LEN];
#ifdef CONFIG_ARM64
	struct uw_frame_scan scan;
#endif
};

struct uw_kstack_walk {
	struct uw_kstack_scratch *scratch; /* its frames are filled */
	struct uw_kstack_stack stack;      /* where SP is */
	u32 nr;
	u8 flags;           /* UWIND_KSTACK_COMPLETE … */
	unsigned long stub; /* what calls this tracer, where it is alone; 0: nothing does. x86-64 */
	unsigned long own;  /* where on the walk's stack is a word of what calls tracers; 0: nowhere */
};

/* An SP at a stack's end has nothing of it in use. */
static inline bool uw_kstack_stack_has_sp(const struct uw_kstack_stack *stack, unsigned long sp)
{
	return sp > stack->low && sp <= stack->high;
}

/* The next frame, but for its bytes. NULL: there is no room, which is noted. */
static inline struct uwind_kstack_frame *uw_kstack_walk_add(struct uw_kstack_walk *walk, unsigned long pc, u32 depth,
							    u8 on)
{
	struct uwind_kstack_frame *frame = &walk->scratch->frames[walk->nr];

	if (walk->nr == UWIND_KSTACK_FRAMES) {
		walk->flags |= UWIND_KSTACK_TRUNCATED;
		return NULL;
	}
	walk->nr++;
	*frame = (struct uwind_kstack_frame){ .pc = pc, .depth = depth, .on = on };
	return frame;
}

/* A stack of this CPU that sp lies on, other than current's own. Any context, not preempted. */
bool uw_kstack_stack_find(unsigned long sp, struct uw_kstack_stack *stack);

/* Fills walk's frames from the function on that place is at. Any context in which RCU watches, not preempted. */
void uw_kstack_walk(struct uw_kstack_walk *walk, const struct uw_ftrace_place *place);

#endif

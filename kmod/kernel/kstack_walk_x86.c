// SPDX-License-Identifier: GPL-2.0
/*
 * The kernel's own unwinder knows by its tables where each frame ends (CONFIG_UNWINDER_ORC), so that sizes are exact
 * wherever a function is. It also knows what function_graph and return probes have done to return addresses.
 *
 * state.sp is the SP that a function has again once its callee has returned. The call had pushed 8 bytes below it.
 */
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include <asm/unwind.h>

#include "kernel/kstack_walk.h"

#define PUSHED sizeof(long)
#define CALL   0xe8

static u8 on_of(enum stack_type type)
{
	switch (type) {
	case STACK_TYPE_TASK:
		return UWIND_KSTACK_ON_TASK;
	case STACK_TYPE_IRQ:
	case STACK_TYPE_SOFTIRQ:
		return UWIND_KSTACK_ON_IRQ;
	default:
		return UWIND_KSTACK_ON_OTHER;
	}
}

static void stack_of(const struct stack_info *info, struct uw_kstack_stack *stack)
{
	*stack = (struct uw_kstack_stack){
		.low = (unsigned long)info->begin,
		.high = (unsigned long)info->end,
		.on = on_of(info->type),
	};
}

bool uw_kstack_stack_find(unsigned long sp, struct uw_kstack_stack *stack)
{
	struct unwind_state state;

	unwind_start(&state, current, NULL, (unsigned long *)sp);
	if (unwind_done(&state))
		return false;
	stack_of(&state.stack_info, stack);
	return uw_kstack_stack_has_sp(stack, sp);
}

/* What the last frame took is known by where the next one begins, or ends with its stack. */
static void end_last(struct uw_kstack_walk *walk, u32 depth, bool crosses, bool exact)
{
	struct uwind_kstack_frame *last = &walk->scratch->frames[walk->nr - 1];

	if (crosses)
		last->flags |= UWIND_KSTACK_CROSSES;
	if (exact)
		last->flags |= UWIND_KSTACK_EXACT;
	last->static_bytes = last->depth - min(depth, last->depth);
}

/* Whether pc follows a call of what calls tracers: this one alone, or several (ftrace_64.S). */
static bool called_tracers(const struct uw_kstack_walk *walk, unsigned long pc)
{
	char *symbol = walk->scratch->symbol;
	struct {
		u8 opcode;
		s32 distance;
	} __packed call;
	unsigned long target;

	if (copy_from_kernel_nofault(&call, (void *)(pc - sizeof(call)), sizeof(call)) || call.opcode != CALL)
		return false;
	target = pc + call.distance;
	if (target == walk->stub)
		return true;
	sprint_symbol(symbol, target);
	return strstarts(symbol, "ftrace_caller+0x0/") || strstarts(symbol, "ftrace_regs_caller+0x0/");
}

/*
 * What calls tracers is our own doing on the stack that the walk began on: it was interrupted, or has let another task run
 * at its end.
 */
static void look_for_own(struct uw_kstack_walk *walk, const struct unwind_state *state, unsigned long pc)
{
	if (!state->regs && !walk->own && (unsigned long)state->stack_info.begin == walk->stack.low &&
	    called_tracers(walk, pc))
		walk->own = state->sp - PUSHED;
}

/* Registers that lie on the stack belong to the code that has been called for an interrupt: the frame before. */
static bool add_frame(struct uw_kstack_walk *walk, struct unwind_state *state, struct uw_kstack_stack *at)
{
	const unsigned long pc = unwind_get_return_address(state), high = at->high;
	struct uwind_kstack_frame *frame;
	u32 depth;

	if (!pc)
		return false;
	stack_of(&state->stack_info, at);
	look_for_own(walk, state, pc);
	depth = at->high - state->sp + (state->regs ? 0 : PUSHED);
	end_last(walk, at->high == high ? depth : 0, at->high != high, !unwind_error(state));
	if (state->regs)
		walk->scratch->frames[walk->nr - 1].flags |= UWIND_KSTACK_REGISTERS;
	frame = uw_kstack_walk_add(walk, pc, depth, at->on);
	if (frame && state->regs)
		frame->flags |= UWIND_KSTACK_INTERRUPTED;
	return frame;
}

static bool has_ended_well(struct unwind_state *state)
{
	if (unwind_done(state))
		return !unwind_error(state);
	return state->regs && user_mode(state->regs);
}

void uw_kstack_walk(struct uw_kstack_walk *walk, const struct uw_ftrace_place *place)
{
	struct uw_kstack_stack at = walk->stack;
	struct unwind_state state;
	struct uwind_kstack_frame *first;

	first = uw_kstack_walk_add(walk, place->pc, at.high - place->sp, at.on);
	first->flags = UWIND_KSTACK_ENTERED;
	unwind_start(&state, current, NULL, (unsigned long *)place->sp);
	while (!unwind_done(&state) && add_frame(walk, &state, &at))
		unwind_next_frame(&state);
	if (walk->flags & UWIND_KSTACK_TRUNCATED || !has_ended_well(&state))
		return;
	end_last(walk, 0, false, true);
	walk->flags |= UWIND_KSTACK_COMPLETE;
}

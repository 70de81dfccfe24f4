// SPDX-License-Identifier: GPL-2.0
/*
 * Frame records say which functions are on the stack, but neither how much of it each of them has, nor that one was
 * interrupted before it made its record. Both are read from the functions' own instructions (core/frame_scan.h).
 *
 *   LOW    |         |
 *   SP     +---------+  at the entry of the callee. Where that ends is its CFA
 *          | ....... |  dynamic: as much as SP is lower than the code says
 *          | ....... |  static: CFA - what the code says is SP
 *   FP     | x29,x30 |  record, somewhere in there
 *          | ....... |
 *   CFA    +---------+  the caller's SP at the entry of this function
 *   HIGH   |         |
 *
 * CFA = FP + a number of the code's, or SP + one. Where a frame is not dynamic both are known, and must agree: then it is
 * exact. Of code that cannot be read so, the caller says where it ends: by its own FP, and by what its code says is SP.
 *
 * An exception saves all registers, and a record among them, to which FP points from then on. In Linux 6.1 and 6.12 that
 * record is {x29, pc} of what was interrupted; later it is {0, 0} and a type. What was interrupted, wherever it was, goes on
 * by its registers.
 *
 * Stacks are read by addresses that were checked to be on a stack of this CPU, and are above all that was read before.
 */
#include <linux/minmax.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include <asm/memory.h>
#include <asm/stacktrace.h>

#include "kernel/kstack_return.h"
#include "kernel/kstack_walk.h"

#define WINDOW 32u                       /* instructions that are read at a time */
#define SPARE  (2 * UWIND_KSTACK_FRAMES) /* turns of a walk, at most */

/* A function on the stack. */
struct at {
	unsigned long pc;
	unsigned long
		sp; /* at the entry of its callee, or where it was interrupted; 0: the code of the callee says nothing */
	unsigned long fp;
	const struct pt_regs *regs; /* of what was interrupted: this; NULL: it calls */
	const struct pt_regs *callee_regs;
};

/* The stacks that may be met, and where on them. */
struct walker {
	struct uw_kstack_walk *walk;
	struct uw_kstack_stack task;
	struct uw_kstack_stack irq; /* high 0: it is not on one */
	struct at at;
};

bool uw_kstack_stack_find(unsigned long sp, struct uw_kstack_stack *stack)
{
	if (!(in_hardirq() || in_serving_softirq()) || in_nmi() || !is_vmalloc_addr((void *)sp))
		return false;
	/* As all stacks of arm64 are aligned so that overflows show (asm/vmap_stack.h). */
	stack->low = ALIGN_DOWN(sp - 1, THREAD_SIZE);
	stack->high = stack->low + IRQ_STACK_SIZE;
	stack->on = UWIND_KSTACK_ON_IRQ;
	return true;
}

/* XPACLRI is a hint: a CPU without pointer authentication does nothing. */
static unsigned long strip(unsigned long address)
{
	register unsigned long lr asm("x30") = address;

	asm("hint #7" : "+r"(lr));
	return lr;
}

/* NULL: address, and so many bytes from there, are on none. */
static const struct uw_kstack_stack *stack_of(const struct walker *walker, unsigned long address, unsigned long bytes)
{
	if (address >= walker->irq.low && address < walker->irq.high)
		return walker->irq.high - address >= bytes ? &walker->irq : NULL;
	if (address >= walker->task.low && address < walker->task.high)
		return walker->task.high - address >= bytes ? &walker->task : NULL;
	return NULL;
}

static bool read_word(const struct walker *walker, unsigned long address, unsigned long *word)
{
	if (address % sizeof(long) || !stack_of(walker, address, sizeof(long)))
		return false;
	*word = READ_ONCE_NOCHECK(*(unsigned long *)address);
	return true;
}

/* "name+0x1c/0x90 [module]": of the function that holds address. False: there is none. */
static bool find_function(char *symbol, unsigned long address, u32 *offset, u32 *bytes)
{
	const char *plus;
	char *end;

	sprint_symbol(symbol, address);
	plus = strchr(symbol, '+');
	if (!plus)
		return false;
	*offset = simple_strtoul(plus + 1, &end, 16);
	if (*end != '/')
		return false;
	*bytes = simple_strtoul(end + 1, &end, 16);
	return *offset < *bytes;
}

/* The parts of functions that are never run are put elsewhere, and do not begin with a new frame. */
static bool is_part(const char *symbol)
{
	return strstr(symbol, ".cold");
}

/* entry-ftrace.S */
static bool calls_tracers(const char *symbol)
{
	return strstarts(symbol, "ftrace_call") || strstarts(symbol, "ftrace_common");
}

static void scan_code(struct uw_frame_scan *scan, unsigned long start, u32 words, u32 at)
{
	u32 code[WINDOW], word, nr;

	uw_frame_scan_begin(scan, words, at);
	while (uw_frame_scan_wants(scan, &word)) {
		nr = min(WINDOW, scan->words - word);
		if (copy_from_kernel_nofault(code, (void *)(start + 4ul * word), 4 * nr))
			nr = 0;
		uw_frame_scan_feed(scan, code, nr);
	}
}

/*
 * What calls tracers has made two records: one for the function that is entered, at its own CFA - 16, and below that its
 * own. It is not read by its symbols, which split it. On the stack of the walk it is our own doing.
 */
static struct uw_frame_state tracers_state(const struct walker *walker)
{
	const struct uw_kstack_stack *stack = stack_of(walker, walker->at.fp, 0);
	const struct at *at = &walker->at;
	unsigned long record;
	s32 bytes;

	if (stack && stack->low == walker->walk->stack.low && !walker->walk->own)
		walker->walk->own = at->regs ? (unsigned long)&at->regs->pc : at->fp + sizeof(long);
	if (at->regs || !read_word(walker, at->fp, &record) || record < at->fp || record - at->fp > THREAD_SIZE)
		return (struct uw_frame_state){};
	bytes = record + 2 * sizeof(long) - at->fp;
	return (struct uw_frame_state){
		.known = UW_FRAME_KNOWN,
		.fp_set = true,
		.fp_off = bytes,
		.ra_off = bytes - sizeof(long),
		.sp_off = at->sp ? bytes + (s32)(at->fp - at->sp) : 0,
		.dynamic = !at->sp,
	};
}

/* What the code of the function says at pc. A call's own instruction is asked: what follows may be another function. */
static const struct uw_frame_state *scan_function(const struct walker *walker, unsigned long pc)
{
	struct uw_kstack_scratch *scratch = walker->walk->scratch;
	u32 offset, bytes;

	scratch->scan.state = (struct uw_frame_state){};
	if (pc % 4 || !find_function(scratch->symbol, pc, &offset, &bytes) || is_part(scratch->symbol))
		return &scratch->scan.state;
	if (calls_tracers(scratch->symbol)) {
		scratch->scan.state = tracers_state(walker);
		return &scratch->scan.state;
	}
	scan_code(&scratch->scan, pc - offset, bytes / 4, offset / 4);
	return &scratch->scan.state;
}

/* What really is returned to. fp: of the caller. */
static unsigned long recover(const struct walker *walker, unsigned long ra, unsigned long fp)
{
	ra = strip(ra);
	if (!uw_kstack_return_traced())
		return ra;
	sprint_symbol(walker->walk->scratch->symbol, ra);
	return strip(uw_kstack_return(ra, walker->walk->scratch->symbol, fp));
}

/* Bytes of a frame, with its stack's end if it is on another one than what follows. */
static void set_bytes(struct uwind_kstack_frame *frame, unsigned long total, s64 stated, bool exact)
{
	frame->static_bytes = clamp_t(s64, stated, 0, total);
	frame->dynamic_bytes = total - frame->static_bytes;
	if (exact)
		frame->flags |= UWIND_KSTACK_EXACT;
}

static struct uwind_kstack_frame *add(struct walker *walker, unsigned long sp)
{
	const struct uw_kstack_stack *stack = stack_of(walker, sp, 0);
	struct uwind_kstack_frame *frame;

	if (!stack && sp != walker->irq.high && sp != walker->task.high)
		return NULL;
	if (!stack)
		stack = sp == walker->irq.high ? &walker->irq : &walker->task;
	frame = uw_kstack_walk_add(walker->walk, walker->at.pc, stack->high - sp, stack->on);
	if (frame && walker->at.regs)
		frame->flags |= UWIND_KSTACK_INTERRUPTED;
	return frame;
}

/* What the code of the callee says is not sure, or nothing: here it is known where it ends. */
static void settle_callee(struct walker *walker, unsigned long sp)
{
	struct uw_kstack_walk *walk = walker->walk;
	struct uwind_kstack_frame *callee = &walk->scratch->frames[walk->nr - 1];
	const struct uw_kstack_stack *stack = stack_of(walker, sp, 0);
	u32 stated = callee->static_bytes;

	if (callee->flags & (UWIND_KSTACK_EXACT | UWIND_KSTACK_CROSSES) || !stack || stack->on != callee->on ||
	    stack->high - sp > callee->depth)
		return;
	if (walker->at.sp != sp)
		stated = U32_MAX;
	walker->at.sp = sp;
	set_bytes(callee, callee->depth - (stack->high - sp), stated, true);
}

/* FP points to the record in registers that an exception has saved. */
static const struct pt_regs *exception_at(const struct walker *walker)
{
	const unsigned long fp = walker->at.fp, start = fp - offsetof(struct pt_regs, stackframe);
	const struct pt_regs *regs = (const struct pt_regs *)start;

	if (fp % sizeof(long) || !stack_of(walker, start, sizeof(*regs)))
		return NULL;
#ifdef FRAME_META_TYPE_PT_REGS
	if (READ_ONCE_NOCHECK(regs->stackframe.record.fp) || READ_ONCE_NOCHECK(regs->stackframe.record.lr) ||
	    READ_ONCE_NOCHECK(regs->stackframe.type) != FRAME_META_TYPE_PT_REGS)
		return NULL;
#else
	if (READ_ONCE_NOCHECK(regs->stackframe[0]) != READ_ONCE_NOCHECK(regs->regs[29]) ||
	    READ_ONCE_NOCHECK(regs->stackframe[1]) != READ_ONCE_NOCHECK(regs->pc) || !READ_ONCE_NOCHECK(regs->pc))
		return NULL;
#endif
	return (READ_ONCE_NOCHECK(regs->pstate) & PSR_MODE_MASK) == PSR_MODE_EL0t ? NULL : regs;
}

/* The code of the exception's vector has saved registers, and nothing else. */
static bool step_exception(struct walker *walker, const struct pt_regs *regs)
{
	const unsigned long sp = (unsigned long)regs;
	struct uwind_kstack_frame *frame;

	settle_callee(walker, sp);
	frame = add(walker, sp);
	if (!frame)
		return false;
	frame->flags |= UWIND_KSTACK_REGISTERS;
	set_bytes(frame, sizeof(*regs), sizeof(*regs), true);
	walker->at = (struct at){
		.pc = READ_ONCE_NOCHECK(regs->pc),
		.sp = READ_ONCE_NOCHECK(regs->sp),
		.fp = READ_ONCE_NOCHECK(regs->regs[29]),
		.regs = regs,
	};
	if (stack_of(walker, walker->at.sp, 0) != stack_of(walker, sp, 0))
		frame->flags |= UWIND_KSTACK_CROSSES;
	return true;
}

/* The record of {0, 0} in the registers of user space, or where those would be. */
static bool is_last(const struct walker *walker)
{
	const unsigned long fp = walker->at.fp;
	unsigned long words[2];

	return fp == (unsigned long)task_pt_regs(current) + offsetof(struct pt_regs, stackframe) &&
	       read_word(walker, fp, &words[0]) && read_word(walker, fp + 8, &words[1]) && !words[0] && !words[1];
}

static void step_last(struct walker *walker)
{
	const unsigned long sp = (unsigned long)task_pt_regs(current);
	struct uwind_kstack_frame *frame;

	settle_callee(walker, sp);
	frame = add(walker, walker->at.sp ?: sp);
	if (!frame)
		return;
	set_bytes(frame, frame->depth, frame->depth, true);
	walker->walk->flags |= UWIND_KSTACK_COMPLETE;
}

/* Of a function that calls a tracer before it has begun: the tracer has made a record for it. */
static bool caller_of_traced(struct walker *walker, struct at *next)
{
	const struct at *at = &walker->at;

	if (at->callee_regs) {
		next->pc = READ_ONCE_NOCHECK(at->callee_regs->regs[9]);
		next->fp = at->fp;
		return true;
	}
	return read_word(walker, at->fp, &next->fp) && read_word(walker, at->fp + 8, &next->pc);
}

/* Return address and FP of the caller. cfa: 0: not known. */
static bool find_caller(struct walker *walker, const struct uw_frame_state *state, unsigned long cfa, struct at *next)
{
	const struct at *at = &walker->at;

	if (!state->known || state->fp_set) { /* if it is not known, functions have a record most often */
		if (!read_word(walker, at->fp, &next->fp) || !read_word(walker, at->fp + 8, &next->pc))
			return false;
		if (!state->known || state->ra_off)
			return true;
	} else {
		next->fp = at->fp;
	}
	if (state->ra_off)
		return cfa && read_word(walker, cfa - state->ra_off, &next->pc);
	if (!at->regs)
		return caller_of_traced(walker, next);
	next->pc = READ_ONCE_NOCHECK(at->regs->regs[state->ra_reg]);
	return true;
}

/* Where the frame ends; 0: nobody knows. exact: whether that is sure. */
static unsigned long find_cfa(const struct walker *walker, const struct uw_frame_state *state, bool *exact)
{
	const struct at *at = &walker->at;
	const unsigned long by_fp = state->fp_set ? at->fp + state->fp_off : 0;
	const unsigned long by_sp = at->sp && !state->dynamic ? at->sp + state->sp_off : 0;

	*exact = state->known == UW_FRAME_KNOWN && (by_fp || by_sp);
	if (!state->known)
		return 0;
	if (by_fp && by_sp && by_fp != by_sp && stack_of(walker, by_fp, 0) == stack_of(walker, by_sp, 0))
		*exact = false;
	return by_fp ?: by_sp;
}

/* The frame of a function, and in walker->at its caller. */
static bool step_function(struct walker *walker)
{
	const struct uw_frame_state *state = scan_function(walker, walker->at.pc - (walker->at.regs ? 0 : 4));
	const bool is_static = state->known && !state->dynamic && state->fp_set;
	struct at *at = &walker->at, next = { .callee_regs = at->regs };
	const struct uw_kstack_stack *here, *there;
	struct uwind_kstack_frame *frame;
	unsigned long sp;
	bool exact;

	if (is_static)
		settle_callee(walker, at->fp + state->fp_off - state->sp_off);
	next.sp = find_cfa(walker, state, &exact);
	sp = at->sp ?: at->fp;
	here = stack_of(walker, sp, 0);
	there = stack_of(walker, next.sp ?: at->fp, 0);
	if (there && here != there) { /* it has called on another stack. On its own, its SP was this */
		walker->walk->scratch->frames[walker->walk->nr - 1].flags |= UWIND_KSTACK_CROSSES;
		sp = (next.sp ?: at->fp) - state->sp_off;
	}
	frame = add(walker, sp);
	if (!frame || !find_caller(walker, state, next.sp, &next))
		return false;
	if (next.sp >= sp)
		set_bytes(frame, next.sp - sp, state->sp_off, exact);
	next.pc = recover(walker, next.pc, next.fp);
	*at = next;
	if (there == &walker->task && here != there)
		walker->irq = (struct uw_kstack_stack){};
	return true;
}

/* Each step goes up a stack: nothing is read again. */
static bool goes_on(const struct walker *walker, unsigned long from_fp)
{
	const struct uw_kstack_stack *stack = stack_of(walker, walker->at.fp, 2 * sizeof(long));

	return walker->at.pc && stack && (walker->at.fp >= from_fp || stack_of(walker, from_fp, 0) != stack);
}

static void walk_on(struct walker *walker)
{
	const struct pt_regs *regs;
	unsigned long fp;
	u32 turn;

	for (turn = 0; turn < SPARE; turn++) {
		fp = walker->at.fp;
		regs = walker->at.regs ? NULL : exception_at(walker);
		if (regs) {
			if (!step_exception(walker, regs))
				return;
			continue;
		}
		if (!walker->at.regs && is_last(walker)) {
			step_last(walker);
			return;
		}
		if (!step_function(walker) || !goes_on(walker, fp))
			return;
	}
}

/* What the function that is entered will take, at least. */
static u16 ahead_bytes(const struct walker *walker, unsigned long pc)
{
	struct uw_kstack_scratch *scratch = walker->walk->scratch;
	u32 offset, bytes;

	if (pc % 4 || !find_function(scratch->symbol, pc, &offset, &bytes))
		return 0;
	scan_code(&scratch->scan, pc - offset, bytes / 4, bytes / 4 - 1);
	return min_t(s32, scratch->scan.deepest, U16_MAX);
}

void uw_kstack_walk(struct uw_kstack_walk *walk, const struct uw_ftrace_place *place)
{
	const unsigned long low = (unsigned long)task_stack_page(current);
	struct walker walker = {
		.walk = walk,
		.task = { low, low + THREAD_SIZE, UWIND_KSTACK_ON_TASK },
		.at = { .sp = place->sp, .fp = place->fp },
	};
	struct uwind_kstack_frame *first;

	if (walk->stack.on == UWIND_KSTACK_ON_IRQ)
		walker.irq = walk->stack;
	first = uw_kstack_walk_add(walk, place->pc, walk->stack.high - place->sp, walk->stack.on);
	first->flags = UWIND_KSTACK_ENTERED | UWIND_KSTACK_EXACT;
	first->ahead_bytes = ahead_bytes(&walker, place->pc);
	walker.at.pc = recover(&walker, place->lr, place->fp);
	walk_on(&walker);
}

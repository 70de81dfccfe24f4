// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * The walk: look the pc up, apply its rule, push the caller, until a reason to
 * stop.
 *
 * A return address is looked up one byte earlier, because a call may be a
 * function's last instruction; an exact pc (the first, or one that a signal
 * interrupted) is looked up as it is.
 *
 * Code without a row is left by the frame pointer. That register may be a
 * general one there, so the first such step after a frame found otherwise is a
 * guess, and its failures say NO_TABLE: nothing was broken, something was
 * missing. Once one step has worked, the chain is trusted. But the end of a
 * stack is accepted only after a second successful step, as zeros are everywhere (on
 * 32-bit Arm the call before a return address has shown that the step was right).
 * A single step may also have led to what is left of a frame that returned long ago,
 * and tables on from there, so a return address of 0 after it is not accepted either.
 * Nor is it after a row of kind READ at an exact pc, which may be no code at all, or of
 * kind CLONE, which may have been READ. No stack ends in the caller of clone().
 * At an exact pc the code may say that the frame pointer is not to be followed yet,
 * or any more: see prologue.h.
 *
 *                                     first step       in a chain
 *   FP lost                           NO_TABLE         NO_TABLE
 *   FP is 0                           NO_TABLE         ZERO_FP
 *   FP misaligned                     NO_TABLE         MISALIGNED
 *   FP below SP                       NO_TABLE         BACKWARDS, STACK_SWITCH
 *   return address is 0               NO_TABLE         ZERO_RA
 *   return address not executable     NO_TABLE         BAD_PC
 *   unreadable, FP far above SP       NO_TABLE         BAD_READ, REFUSED_READ
 *   unreadable, FP near SP            BAD_READ, REFUSED_READ
 *
 * On 32-bit Arm "FP" is whichever register has the frame; if none of the
 * conventions there gives an executable return address with a call before it,
 * the stop is BAD_PC, and if two of them disagree NO_TABLE: see compat_arm.c.
 *
 * An exact pc that is not executable was called or jumped to, and no function's frame
 * has been begun: it is shown, and the return address is still where the call left it,
 * if what is there follows a call (call_site.h). Else the stop is BAD_PC.
 *
 * A rule of kind UNKNOWN stands for code that rarely has a frame pointer. A caller
 * there may have set it up; at an exact pc it is not tried.
 *
 * What could not be looked up because the memory map was being changed might have been
 * anything: whatever such a step has found, the stop is BUSY, and the step's caller is
 * not shown.
 *
 * The walk ends: SP rises with every frame, except that a signal frame may
 * change the stack, which is allowed MAX_SIGNAL_FRAMES times, and that one
 * leaf of arm64 may follow each of them.
 */
#include "walk.h"
#include "call_site.h"
#include "compat_arm.h"
#include "plain.h"
#include "prologue.h"
#include "rule.h"
#include "stack_read.h"
#include "trail.h"

#define MAX_SIGNAL_FRAMES 16u
#define FP_NEAR_BYTES     (8u << 20) /* the usual limit of a stack */

static struct uw_frame *push(struct uw_walk *walk, const struct uw_found *found, u64 skipped, u8 method)
{
	struct uw_frame *frame = &walk->frames[walk->nr_frames++];

	frame->pc = walk->regs.pc;
	frame->offset = found->offset + skipped;
	frame->file = found->file;
	frame->stack_bytes = UW_STACK_BYTES_UNKNOWN;
	frame->method = method;
	return frame;
}

/* The first pc is still worth showing. */
static enum uw_stop stop_unfound(struct uw_walk *walk, const struct uw_progress *at, struct uw_found *found, int err)
{
	if (!walk->nr_frames && walk->max_frames) {
		found->offset = 0;
		found->file = 0;
		push(walk, found, 0, UW_METHOD_PC);
	}
	if (err == -EINTR)
		return UW_STOP_KILLED;
	return at->guessed ? UW_STOP_NO_TABLE : UW_STOP_BAD_PC;
}

static enum uw_stop step_by_table(struct uw_walk *walk, struct uw_port *port, struct uw_progress *at,
				  const struct uw_found *found, struct uw_frame *frame)
{
	const struct uw_rule *rule = &found->rule;
	bool guess = rule->kind == UW_RULE_READ || rule->kind == UW_RULE_CLONE;
	bool doubted = at->doubted || (at->exact && guess);
	enum uw_stop stop;

	at->chained = false;
	at->guessed = false;
	at->method = found->method;
	if (rule->kind == UW_RULE_SIGFRAME) {
		if (++at->signal_frames > MAX_SIGNAL_FRAMES)
			return UW_STOP_DEPTH;
		at->method = UW_METHOD_SIGFRAME;
	} else if (rule->ra_place == UW_PLACE_SAME) {
		at->method = UW_METHOD_LR;
	}
	stop = uw_rule_apply(rule, walk->arch, &walk->regs, port, &at->exact, &frame->stack_bytes);
	return stop == UW_STOP_ZERO_RA && doubted ? UW_STOP_NO_TABLE : stop;
}

/* What a failed first step really says. */
static enum uw_stop judge_guess(enum uw_stop stop, u64 fp, u64 sp)
{
	switch (stop) {
	case UW_STOP_NONE:
	case UW_STOP_KILLED:
		return stop;
	case UW_STOP_BAD_READ:
	case UW_STOP_REFUSED_READ:
		return fp - sp < FP_NEAR_BYTES ? stop : UW_STOP_NO_TABLE;
	default:
		return UW_STOP_NO_TABLE;
	}
}

static bool ends_by_zero(enum uw_stop stop)
{
	return stop == UW_STOP_ZERO_RA || stop == UW_STOP_ZERO_FP;
}

static const struct uw_rule *const frame_pointer_rules[UW_NR_ARCHES] = {
	[UW_ARCH_X86_64] = &uw_rule_frame_pointer_x86,
	[UW_ARCH_ARM64] = &uw_rule_frame_pointer_arm64,
	[UW_ARCH_I386] = &uw_rule_frame_pointer_i386,
};

static enum uw_stop apply_frame_pointer(struct uw_walk *walk, struct uw_port *port, struct uw_progress *at,
					struct uw_frame *frame)
{
	const struct uw_abi *abi = &uw_abis[walk->arch];
	u64 fp = walk->regs.r[abi->fp];
	enum uw_stop stop;

	if (!(walk->regs.known >> abi->fp & 1))
		return UW_STOP_NO_TABLE;
	if (!fp)
		return UW_STOP_ZERO_FP;
	if (fp < walk->regs.r[abi->sp])
		return UW_STOP_BACKWARDS;
	stop = uw_rule_apply(frame_pointer_rules[walk->arch], walk->arch, &walk->regs, port, &at->exact,
			     &frame->stack_bytes);
	if (walk->arch == UW_ARCH_ARM64) {
		walk->regs.known &= ~(1u << UW_ARM64_SP);
		frame->stack_bytes = UW_STACK_BYTES_UNKNOWN;
	}
	return stop;
}

/* The frame pointer that a failed step has tried. */
static u64 tried_fp(const struct uw_walk *walk)
{
	bool base = walk->regs.thumb && (walk->regs.known >> UW_ARM_R7 & 1);

	return walk->regs.r[base ? UW_ARM_R7 : uw_arch_fp(walk->arch)];
}

static enum uw_stop step_by_frame_pointer(struct uw_walk *walk, struct uw_port *port, struct uw_progress *at,
					  struct uw_frame *frame)
{
	enum uw_stop stop;

	if (walk->arch == UW_ARCH_ARM)
		stop = uw_compat_arm_step(&walk->regs, port, &at->aapcs, &frame->stack_bytes);
	else
		stop = apply_frame_pointer(walk, port, at, frame);
	if (!at->chained)
		stop = judge_guess(stop, tried_fp(walk), walk->regs.r[uw_arch_sp(walk->arch)]);
	else if (at->guessed && ends_by_zero(stop) && walk->arch != UW_ARCH_ARM)
		stop = UW_STOP_NO_TABLE;
	else if (stop == UW_STOP_BACKWARDS)
		stop = uw_stack_below(port, walk->regs.r[uw_arch_sp(walk->arch)], tried_fp(walk));
	at->guessed = !at->chained;
	at->doubted = at->guessed && walk->arch != UW_ARCH_ARM;
	at->chained = true;
	at->exact = false;
	at->method = uw_abis[walk->arch].word == 4 ? UW_METHOD_COMPAT_FP : UW_METHOD_FP;
	return stop;
}

/* At an exact pc without a table: what the instructions there say. */
static bool read_prologue(const struct uw_walk *walk, struct uw_port *port, struct uw_found *found)
{
	found->method = UW_METHOD_SYNTH;
	switch (walk->arch) {
	case UW_ARCH_X86_64:
	case UW_ARCH_I386:
		return uw_prologue_x86(port, walk->arch, walk->regs.pc, &found->rule);
	case UW_ARCH_ARM64:
		return uw_prologue_arm64(port, walk->regs.pc, &found->rule);
	default:
		return false;
	}
}

/*
 * This step looked at the caller's code and table. If that table is missed, it may have gone otherwise with it, and who goes
 * on has no code.
 */
static void cannot_go_on(struct uw_walk *walk)
{
	if (walk->missed && !walk->missed->file)
		walk->missed = NULL;
}

/* For one frame more. */
static bool has_room(struct uw_walk *walk, struct uw_port *port)
{
	if (walk->nr_frames == walk->max_frames && walk->max_frames < walk->most_frames)
		uw_port_grow(port, walk);
	return walk->nr_frames < walk->max_frames;
}

static enum uw_stop step_from_bad_pc(struct uw_walk *walk, struct uw_port *port, struct uw_progress *at,
				     struct uw_found *found)
{
	const struct uw_abi *abi = &uw_abis[walk->arch];
	bool link = abi->lr != UW_NO_REG;
	struct uw_frame *frame;
	enum uw_stop stop;

	if (!has_room(walk, port))
		return UW_STOP_DEPTH;
	*found = (struct uw_found){
		.method = UW_METHOD_SYNTH,
		.rule.kind = UW_RULE_FRAME,
		.rule.cfa_reg = abi->sp,
		.rule.cfa_off = link ? 0 : abi->word,
		.rule.ra_place = link ? UW_PLACE_SAME : UW_PLACE_CFA_MEM,
		.rule.ra_off = link ? 0 : -abi->word,
	};
	frame = push(walk, found, 0, at->method);
	stop = step_by_table(walk, port, at, found, frame);
	if (stop == UW_STOP_NONE)
		stop = uw_call_site_check(port, walk->arch, walk->regs.pc + walk->regs.thumb);
	if (stop == UW_STOP_NONE) {
		cannot_go_on(walk);
		return stop;
	}
	frame->stack_bytes = UW_STACK_BYTES_UNKNOWN;
	return stop == UW_STOP_KILLED ? stop : UW_STOP_BAD_PC;
}

/* Whether there were any. */
static bool plain_steps(struct uw_walk *walk, struct uw_port *port, struct uw_progress *at)
{
	if (!walk->plain || !uw_plain_steps(walk, port, at->exact, &at->method))
		return false;
	at->exact = false;
	at->chained = false;
	at->guessed = false;
	return true;
}

/* The pc has no row: if its file has no table, it may be that it is not there yet. */
static void note_missed(const struct uw_walk *walk, const struct uw_progress *at, const struct uw_found *found)
{
	struct uw_missed *missed = walk->missed;

	if (!missed || missed->file || found->table)
		return;
	missed->regs = walk->regs;
	missed->at = *at;
	missed->nr_frames = walk->nr_frames;
	missed->file = found->file;
}

/* *before: the frames before the step. Plain ones rely on nothing that was busy. */
static enum uw_stop step(struct uw_walk *walk, struct uw_port *port, struct uw_progress *at, struct uw_found *found,
			 u32 *before)
{
	u32 skipped = at->exact ? 0 : 1;
	struct uw_frame *frame;
	enum uw_stop stop;
	int err;

	err = uw_port_find(port, walk->regs.pc - skipped, found);
	if (err == -EFAULT && at->exact)
		return step_from_bad_pc(walk, port, at, found);
	if (err && err != -ENOENT)
		return stop_unfound(walk, at, found, err);
	if (!has_room(walk, port))
		return UW_STOP_DEPTH;
	if (!err && walk->plain && uw_plain_remember(walk, port, found, at->exact) && plain_steps(walk, port, at)) {
		*before = walk->nr_frames;
		return walk->stop;
	}
	note_missed(walk, at, found);
	frame = push(walk, found, skipped, at->method);
	if (err && at->exact && read_prologue(walk, port, found)) {
		found->rule.kind = UW_RULE_READ;
		err = 0;
	}
	if (err || (found->rule.kind == UW_RULE_UNKNOWN && skipped))
		return step_by_frame_pointer(walk, port, at, frame);
	stop = step_by_table(walk, port, at, found, frame);
	if (stop == UW_STOP_BAD_RULE)
		uw_port_retire_corrupt(port, walk->regs.pc - skipped, found);
	return stop;
}

/* In a step that began with so many frames. */
static enum uw_stop stop_busy(struct uw_walk *walk, u32 before)
{
	if (walk->nr_frames > before)
		walk->frames[before].stack_bytes = UW_STACK_BYTES_UNKNOWN;
	return UW_STOP_BUSY;
}

static void run(struct uw_walk *walk, struct uw_port *port, struct uw_progress at)
{
	struct uw_found found;
	u32 before;

	while (walk->stop == UW_STOP_NONE) {
		before = walk->nr_frames;
		if (plain_steps(walk, port, &at))
			before = walk->nr_frames; /* they rely on nothing that was busy */
		else
			walk->stop = step(walk, port, &at, &found, &before);
		if (uw_port_busy(port) && walk->stop != UW_STOP_KILLED)
			walk->stop = stop_busy(walk, before);
		if (walk->stop == UW_STOP_NONE && walk->nr_frames % UW_PLAIN_FRAMES == 0 && uw_port_rest(port))
			walk->stop = UW_STOP_KILLED;
	}
}

static void begin(struct uw_walk *walk)
{
	walk->stop = UW_STOP_NONE;
	walk->nr_same = 0;
	walk->nr_ids = 0;
	walk->ids_of = 0;
	if (walk->missed)
		walk->missed->file = 0;
	if (walk->arch >= UW_NR_ARCHES || !uw_abis[walk->arch].word ||
	    !(walk->regs.known >> uw_arch_sp(walk->arch) & 1))
		walk->stop = UW_STOP_BAD_REGS;
}

void uw_walk_run(struct uw_walk *walk, struct uw_port *port)
{
	const struct uw_progress at = { .method = UW_METHOD_PC, .exact = true };

	walk->nr_frames = 0;
	begin(walk);
	if (walk->along)
		uw_along_begin(walk->along);
	run(walk, port, at);
	walk->nr_filled = walk->nr_frames;
	if (walk->along)
		uw_along_end(walk);
}

void uw_walk_fill(struct uw_walk *walk)
{
	if (walk->nr_filled < walk->nr_frames)
		uw_along_fill(walk);
}

u32 uw_walk_id(const struct uw_walk *walk, u32 frame)
{
	u32 outer = walk->nr_frames - frame;

	return outer <= walk->nr_ids ? uw_trail_id(walk->along->trail, UW_TRAIL_STEPS + 1 - outer) : 0;
}

bool uw_stop_may_lack_table(enum uw_stop stop)
{
	switch (stop) {
	case UW_STOP_NO_TABLE:
	case UW_STOP_BAD_READ:
	case UW_STOP_REFUSED_READ:
	case UW_STOP_BACKWARDS:
	case UW_STOP_STACK_SWITCH:
	case UW_STOP_MISALIGNED:
	case UW_STOP_BAD_PC:
	case UW_STOP_LOST_REGISTER:
		return true;
	default:
		return false;
	}
}

void uw_walk_go_on(struct uw_walk *walk, const struct uw_missed *from, struct uw_port *port)
{
	walk->regs = from->regs;
	walk->nr_frames = from->nr_frames < walk->max_frames ? from->nr_frames : walk->max_frames;
	begin(walk);
	run(walk, port, from->at);
	walk->nr_filled = walk->nr_frames;
}

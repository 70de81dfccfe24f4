// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * 32-bit Arm code that keeps a frame pointer: r11 in ARM code, r7 in Thumb code.
 * What it points to depends on the compiler:
 *
 *             clang     gcc, ARM   gcc, ARM, leaf   APCS (gcc -mapcs-frame)
 *   fp + 4    LR
 *   fp        old FP    LR         old FP           PC, near the function's start
 *   fp - 4              old FP                      LR
 *   fp - 8                                          SP before the call
 *   fp - 12                                         old FP
 *
 * They are distinguished by which word is a return address: it is executable, and
 * before it lies a call. The call is asked for because frames hold pointers to
 * functions, too, and a register of a caller without a frame pointer may: in
 * qsort() it is the function that compares. Executable alone says little where the
 * stack is, so an address near FP gets no shortcut either.
 *
 * Since 2019 the AAPCS32 ("The Frame Pointer") wants r11 in both modes: clang's
 * record, -mframe-chain=aapcs. Thumb code without a record at r7 is left by r11
 * only if that record's call leads to Thumb code: r11 may still belong to a caller
 * in ARM code, which would be skipped. A call through the PLT is none: its entries
 * are ARM code. After one such step a call through a register will do; frames
 * may be skipped then if only some of a program's Thumb code follows that rule.
 *
 * gcc's Thumb code has r7 at the bottom of a frame, any distance below what it
 * saved. No word there looks like a return address, or only one left by chance.
 *
 * What no frame shows: code that has not yet, no longer or never (leaves, clang's
 * default) set FP has its caller's, and that caller is skipped. Only rows know.
 *
 * A variadic function pushes its arguments above all of that, so only APCS gives
 * the caller's SP; else there is a lower bound. The handler of a signal is not
 * variadic: there the bound is exact. What is not in the frame is lost: the other
 * frame pointer may have been saved anywhere.
 */
#include "compat_arm.h"
#include "stack_read.h"

/* What lies before an address that may be a return address: of calls, to which mode. */
enum origin { NO_CODE, PLAIN_CODE, CALL, CALL_ARM, CALL_THUMB, SIGNAL };

enum convention { NOBODY, RECORD, GCC, APCS };

/* The caller, as one convention has it. */
struct caller {
	enum convention convention;
	enum origin origin; /* of ra */
	u64 ra;
	u64 fp;
	u64 sp; /* exact if APCS or SIGNAL, else a lower bound */
};

/* DDI 0406C, A8.8.25 and A8.8.26: BL and BLX. */
static enum origin origin_thumb(u32 code)
{
	u32 first = code & 0xffff, second = code >> 16;

	if ((second & 0xff87) == 0x4780)
		return CALL;
	if ((first & 0xf800) != 0xf000)
		return PLAIN_CODE;
	if ((second & 0xd000) == 0xd000)
		return CALL_THUMB;
	return (second & 0xd001) == 0xc000 ? CALL_ARM : PLAIN_CODE;
}

static enum origin origin_arm(u32 code)
{
	if ((code & 0xfe000000) == 0xfa000000)
		return CALL_THUMB;
	if ((code & 0x0f000000) == 0x0b000000)
		return CALL_ARM;
	return (code & 0x0ffffff0) == 0x012fff30 ? CALL : PLAIN_CODE;
}

/* Nobody calls what returns from a signal handler or begins a thread, but rows know it. */
static enum origin origin_row(const struct uw_rule *rule)
{
	if (rule->kind == UW_RULE_SIGFRAME)
		return SIGNAL;
	return rule->kind == UW_RULE_OUTERMOST || rule->kind == UW_RULE_THREAD_START ? CALL : PLAIN_CODE;
}

static enum uw_stop find_origin(struct uw_port *port, u64 ra, enum origin *origin)
{
	u64 pc = ra & ~1ull;
	struct uw_found found;
	enum uw_stop stop;
	u64 code;
	int err;

	*origin = NO_CODE;
	if ((ra & 3) == 2)
		return UW_STOP_NONE;
	err = uw_port_find(port, pc - 1, &found);
	if (err && err != -ENOENT)
		return err == -EINTR ? UW_STOP_KILLED : UW_STOP_NONE;
	*origin = err ? PLAIN_CODE : origin_row(&found.rule);
	if (*origin != PLAIN_CODE)
		return UW_STOP_NONE;
	stop = uw_stack_read(port, pc - 4, &code);
	if (stop == UW_STOP_NONE)
		*origin = ra & 1 ? origin_thumb((u32)code) : origin_arm((u32)code);
	return stop;
}

static enum uw_stop check_fp(u64 fp, u64 sp)
{
	if (!fp)
		return UW_STOP_ZERO_FP;
	if (fp < sp)
		return UW_STOP_BACKWARDS;
	return fp & 3 ? UW_STOP_MISALIGNED : UW_STOP_NONE;
}

/* clang's and the AAPCS32's. It ends a stack if both words are 0. */
static enum uw_stop read_record(struct uw_port *port, u64 fp, u64 at_fp, struct caller *caller)
{
	enum uw_stop stop;

	stop = uw_stack_read(port, fp + 4, &caller->ra);
	if (stop != UW_STOP_NONE)
		return stop;
	if (!at_fp && !caller->ra)
		return UW_STOP_ZERO_RA;
	stop = find_origin(port, caller->ra, &caller->origin);
	if (stop != UW_STOP_NONE)
		return stop;
	if (caller->origin < CALL)
		return UW_STOP_BAD_PC;
	caller->convention = RECORD;
	caller->fp = at_fp;
	caller->sp = fp + 8;
	return UW_STOP_NONE;
}

static enum uw_stop read_gcc(struct uw_port *port, u64 fp, u64 at_fp, struct caller *caller)
{
	caller->convention = GCC;
	caller->ra = at_fp;
	caller->sp = fp + 4;
	return uw_stack_read(port, fp - 4, &caller->fp);
}

/* SP was copied before the push; a variadic function has pushed four registers at most before that. */
static enum uw_stop read_apcs(struct uw_port *port, u64 fp, struct caller *caller)
{
	enum uw_stop stop;

	stop = uw_stack_read(port, fp - 8, &caller->sp);
	if (stop != UW_STOP_NONE || caller->sp & 3 || caller->sp - (fp + 4) > 16)
		return stop;
	stop = uw_stack_read(port, fp - 4, &caller->ra);
	if (stop == UW_STOP_NONE)
		stop = find_origin(port, caller->ra, &caller->origin);
	if (stop != UW_STOP_NONE || caller->origin < CALL)
		return stop;
	caller->convention = APCS;
	return uw_stack_read(port, fp - 12, &caller->fp);
}

/* The frame of ARM code, if it is no leaf of gcc's. BAD_PC if it is none. */
static enum uw_stop read_arm(struct uw_port *port, u64 fp, u64 sp, u64 *at_fp, struct caller *caller)
{
	enum uw_stop stop;

	caller->convention = NOBODY;
	stop = uw_stack_read(port, fp, at_fp);
	if (stop == UW_STOP_NONE)
		stop = find_origin(port, *at_fp, &caller->origin);
	if (stop != UW_STOP_NONE)
		return stop;
	if (caller->origin >= CALL && fp - sp >= 4)
		return read_gcc(port, fp, *at_fp, caller);
	if (caller->origin == PLAIN_CODE && !(*at_fp & 1) && fp - sp >= 12) {
		stop = read_apcs(port, fp, caller);
		if (stop != UW_STOP_NONE || caller->convention == APCS)
			return stop;
	}
	return read_record(port, fp, *at_fp, caller);
}

/*
 * A leaf of gcc's saves no LR, and what lies at its FP leads to its caller's
 * frame. clang's frame, when one of gcc's called it, looks alike if LR is left
 * from its own last call and a call lies before the word above a leaf's FP:
 * nobody knows which. "said" is what read_arm() did of the frame at fp.
 */
static enum uw_stop judge_leaf(struct uw_port *port, const struct uw_regs *regs, u64 fp, u64 at_fp, enum uw_stop said,
			       struct caller *caller)
{
	u64 lr = regs->r[UW_ARM_LR];
	struct caller outer;
	enum origin origin;
	enum uw_stop stop;
	u64 at_outer;

	if (caller->convention == GCC || caller->convention == APCS || check_fp(at_fp, fp + 4) != UW_STOP_NONE)
		return said;
	stop = find_origin(port, lr, &origin);
	if (stop != UW_STOP_NONE || origin < CALL)
		return stop == UW_STOP_KILLED ? stop : said;
	stop = read_arm(port, at_fp, fp + 4, &at_outer, &outer);
	if (stop != UW_STOP_NONE)
		return stop == UW_STOP_KILLED ? stop : said;
	if (caller->convention == RECORD)
		return outer.convention == RECORD || lr == caller->ra ? said : UW_STOP_NO_TABLE;
	caller->origin = origin;
	caller->ra = lr;
	caller->fp = at_fp;
	caller->sp = fp + 4;
	return UW_STOP_NONE;
}

static enum uw_stop leave_arm(struct uw_port *port, const struct uw_regs *regs, struct caller *caller)
{
	u64 fp = regs->r[UW_ARM_FP], sp = regs->r[UW_ARM_SP], at_fp = 0;
	enum uw_stop stop;

	if (!(regs->known >> UW_ARM_FP & 1))
		return UW_STOP_NO_TABLE;
	stop = check_fp(fp, sp);
	if (stop != UW_STOP_NONE)
		return stop;
	stop = read_arm(port, fp, sp, &at_fp, caller);
	if (stop != UW_STOP_NONE && stop != UW_STOP_BAD_PC)
		return stop;
	if (regs->known >> UW_ARM_LR & 1)
		return judge_leaf(port, regs, fp, at_fp, stop, caller);
	return stop;
}

static enum uw_stop read_thumb(struct uw_port *port, u64 fp, u64 sp, struct caller *caller)
{
	enum uw_stop stop;
	u64 at_fp;

	stop = check_fp(fp, sp);
	if (stop == UW_STOP_NONE)
		stop = uw_stack_read(port, fp, &at_fp);
	return stop == UW_STOP_NONE ? read_record(port, fp, at_fp, caller) : stop;
}

/* What lies at gcc's r7 are often variables, and often 0: not the end of a stack. */
static enum uw_stop leave_by_r7(struct uw_port *port, const struct uw_regs *regs, struct caller *caller)
{
	enum uw_stop stop;

	if (!(regs->known >> UW_ARM_R7 & 1))
		return UW_STOP_NO_TABLE;
	stop = read_thumb(port, regs->r[UW_ARM_R7], regs->r[UW_ARM_SP], caller);
	return stop == UW_STOP_ZERO_RA ? UW_STOP_BAD_PC : stop;
}

static enum uw_stop leave_by_aapcs(struct uw_port *port, const struct uw_regs *regs, bool proven, struct caller *caller)
{
	enum uw_stop stop;

	if (!(regs->known >> UW_ARM_FP & 1))
		return UW_STOP_NO_TABLE;
	stop = read_thumb(port, regs->r[UW_ARM_FP], regs->r[UW_ARM_SP], caller);
	if (stop != UW_STOP_NONE || caller->origin == CALL_THUMB || (proven && caller->origin != CALL_ARM))
		return stop;
	return UW_STOP_NO_TABLE;
}

/* Of two records the lower one is that of the inner function. *reg is the register that led to it. */
static enum uw_stop leave_thumb(struct uw_port *port, const struct uw_regs *regs, bool proven, struct caller *caller,
				u8 *reg)
{
	struct caller by_aapcs;
	enum uw_stop stop, aapcs;

	*reg = UW_ARM_R7;
	stop = leave_by_r7(port, regs, caller);
	if (stop == UW_STOP_KILLED || (stop == UW_STOP_NONE && regs->r[UW_ARM_R7] <= regs->r[UW_ARM_FP]))
		return stop;
	aapcs = leave_by_aapcs(port, regs, proven, &by_aapcs);
	if (aapcs == UW_STOP_NONE) {
		*reg = UW_ARM_FP;
		*caller = by_aapcs;
		return aapcs;
	}
	if (aapcs == UW_STOP_KILLED)
		return aapcs;
	return proven && stop == UW_STOP_NO_TABLE ? aapcs : stop;
}

/* The base register may still be on the stack. */
static enum uw_stop load_r7(struct uw_port *port, struct uw_regs *regs)
{
	u32 bit = regs->known & 1u << UW_ARM_R7;

	if (!(regs->on_stack & bit))
		return UW_STOP_NONE;
	regs->on_stack &= ~bit;
	return uw_stack_read(port, regs->r[UW_ARM_R7], &regs->r[UW_ARM_R7]);
}

static void enter(struct uw_regs *regs, const struct caller *caller, u8 reg, u32 *stack_bytes)
{
	u32 sp_bit = 1u << UW_ARM_SP;
	u64 bytes = caller->sp - regs->r[UW_ARM_SP];

	if (caller->convention != APCS && caller->origin != SIGNAL)
		sp_bit = 0;
	if ((regs->known & sp_bit) && bytes < UW_STACK_BYTES_UNKNOWN)
		*stack_bytes = (u32)bytes;
	regs->thumb = caller->ra & 1;
	regs->pc = caller->ra - regs->thumb;
	regs->r[UW_ARM_SP] = caller->sp;
	regs->r[reg] = caller->fp;
	regs->known = 1u << reg | sp_bit;
}

enum uw_stop uw_compat_arm_step(struct uw_regs *regs, struct uw_port *port, bool *aapcs, u32 *stack_bytes)
{
	struct caller caller;
	u8 reg = UW_ARM_FP;
	enum uw_stop stop;

	if (!regs->thumb) {
		stop = leave_arm(port, regs, &caller);
	} else {
		stop = load_r7(port, regs);
		if (stop == UW_STOP_NONE)
			stop = leave_thumb(port, regs, *aapcs, &caller, &reg);
	}
	if (stop != UW_STOP_NONE)
		return stop;
	if (regs->thumb && reg == UW_ARM_FP)
		*aapcs = true;
	enter(regs, &caller, reg, stack_bytes);
	return UW_STOP_NONE;
}

enum uw_stop uw_compat_arm_check_call(struct uw_port *port, u64 ra)
{
	enum origin origin;
	enum uw_stop stop = find_origin(port, ra, &origin);

	if (stop == UW_STOP_KILLED)
		return stop;
	return stop == UW_STOP_NONE && origin >= CALL ? UW_STOP_NONE : UW_STOP_BAD_PC;
}

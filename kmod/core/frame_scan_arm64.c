// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * What GCC and Clang make of prologues and epilogues, in any order and with other instructions between them:
 *
 *   bti c, paciasp, str x30, [x18], #8       nothing lies on the stack by that
 *   sub sp, sp, #n                           the frame, or a part of it. n may come from a register: mov x12, #n
 *   stp x29, x30, [sp, #-n]!                 record, and n bytes of the frame
 *   stp x29, x30, [sp, #m]                   record, where the frame has it
 *   add x29, sp, #m; mov x29, sp             FP is the function's
 *   sub sp, sp, x1; mov sp, x0; and sp, …    dynamic from here on
 *   mov sp, x29; sub sp, x29, #n             no more
 *   ldp x29, x30, [sp, #m]; … [sp], #n       FP and the return address are the caller's
 *   add sp, sp, #n
 *
 * Compilers put parts of functions where they like, and give them their frame late. So the state goes along jumps: the
 * target of a jump has the state of the jump. After an instruction that does not go on to the next one, the state is
 * that of a jump to there, even of one that is read later: then the function is read again. Where there is none, it is
 * guessed to be that of the last instruction with a frame: compilers go on so after a return.
 *
 * Encodings: Arm Architecture Reference Manual, C4.1.
 */
#include "frame_scan.h"

#define SP        31
#define FIRST     9 /* register that may hold a constant */
#define CONSTANTS 10u

static u32 bits(u32 code, u32 low, u32 number)
{
	return code >> low & ((1u << number) - 1);
}

static s32 signed_bits(u32 code, u32 low, u32 number)
{
	const u32 sign = 1u << (number - 1);

	return (s32)(bits(code, low, number) ^ sign) - (s32)sign;
}

/* A frame of that size has gone wrong, or the code is none. */
static bool is_sane(s32 offset)
{
	return offset >= 0 && offset < 1 << 20;
}

static void move_sp(struct uw_frame_state *state, s32 sp_off)
{
	if (is_sane(sp_off))
		state->sp_off = sp_off;
	else
		state->known = UW_FRAME_UNKNOWN;
}

/* SP gets lower by bytes. Of a dynamic frame nobody knows by how much it is. */
static void lower_sp(struct uw_frame_state *state, s32 bytes)
{
	if (!state->dynamic)
		move_sp(state, state->sp_off + bytes);
}

/* add, sub with an immediate operand, 64 bits. False: another instruction. */
static bool read_add(struct uw_frame_state *state, u32 code)
{
	const u32 rd = bits(code, 0, 5), rn = bits(code, 5, 5);
	s32 imm = (s32)(bits(code, 10, 12) << (bits(code, 22, 1) ? 12 : 0));

	if ((code & 0xbf800000) != 0x91000000 && (code & 0xff800000) != 0xd1000000)
		return false;
	if (!(code & 1u << 30)) /* add */
		imm = -imm;
	if (rd == SP && rn == SP) {
		lower_sp(state, imm);
	} else if (rd == SP && rn == UW_ARM64_FP && state->fp_set) {
		state->dynamic = false;
		move_sp(state, state->fp_off + imm);
	} else if (rd == SP) {
		state->dynamic = true;
	} else if (rd == UW_ARM64_FP && rn == SP && !state->dynamic) {
		state->fp_set = true;
		state->fp_off = state->sp_off + imm;
		if (!is_sane(state->fp_off))
			state->known = UW_FRAME_UNKNOWN;
	} else if (rd == UW_ARM64_FP) {
		state->known = UW_FRAME_UNKNOWN;
	}
	return true;
}

/* add, sub with a register, and "and" with a mask, that change SP. False: another instruction. */
static bool read_dynamic(struct uw_frame_scan *scan, u32 code)
{
	const u32 reg = bits(code, 16, 5) - FIRST;
	struct uw_frame_state *state = &scan->state;
	s32 constant;

	if ((code & 0xff80001f) == 0x9200001f) { /* and sp, xN, #mask */
		state->dynamic = true;
		return true;
	}
	if ((code & 0xbfe0001f) != 0x8b20001f) /* add, sub sp, xN, xM */
		return false;
	if (bits(code, 5, 5) != SP || reg >= CONSTANTS || !(scan->constant_regs >> reg & 1) || bits(code, 10, 3)) {
		state->dynamic = true;
		return true;
	}
	constant = (s32)(scan->constants[reg] & 0xfffff);
	lower_sp(state, code & 1u << 30 ? constant : -constant);
	if (scan->constants[reg] >> 20)
		state->known = UW_FRAME_UNKNOWN;
	return true;
}

/* A register of 64 bits is stored at, or loaded from, CFA - offset. */
static void read_access(struct uw_frame_state *state, u32 reg, s32 offset, bool load)
{
	if (reg == UW_ARM64_LR) {
		state->ra_off = load || state->dynamic ? 0 : offset;
		state->ra_reg = UW_ARM64_LR;
	} else if (reg == UW_ARM64_FP && load) {
		state->old_fp_off = 0;
		state->fp_set = false;
	} else if (reg == UW_ARM64_FP && !state->fp_set && !state->dynamic) {
		state->old_fp_off = offset;
	}
}

/* stp, ldp of any kind with base SP. */
static bool read_pair(struct uw_frame_state *state, u32 code)
{
	const bool vector = bits(code, 26, 1), load = bits(code, 22, 1);
	const u32 opc = bits(code, 30, 2), mode = bits(code, 23, 2); /* none, after, offset, before */
	const u32 shift = vector ? 2 + opc : 2 + (opc >> 1);
	const s32 imm = signed_bits(code, 15, 7) * (1 << shift);
	s32 offset = state->sp_off;

	if ((code & 0x3a000000) != 0x28000000 || bits(code, 5, 5) != SP || opc == 3)
		return false;
	if (mode != 1)
		offset -= imm;
	if (!vector && opc == 2) {
		read_access(state, bits(code, 0, 5), offset, load);
		read_access(state, bits(code, 10, 5), offset - 8, load);
	}
	if (mode & 1)
		lower_sp(state, -imm);
	return true;
}

/* str, ldr of any kind with base SP and an immediate offset. */
static bool read_single(struct uw_frame_state *state, u32 code)
{
	const bool is_word = (code & 0xff000000) == 0xf8000000 || (code & 0xff000000) == 0xf9000000;
	const bool load = bits(code, 22, 1), scaled = (code & 0x3b000000) == 0x39000000;
	const u32 mode = bits(code, 10, 2); /* plain, after, none, before */
	s32 imm = signed_bits(code, 12, 9), offset = state->sp_off;

	if (bits(code, 5, 5) != SP || (!scaled && (code & 0x3b200000) != 0x38000000))
		return false;
	if (scaled)
		imm = (s32)bits(code, 10, 12) * 8;
	if (scaled || mode != 1)
		offset -= imm;
	if (is_word && !bits(code, 23, 1))
		read_access(state, bits(code, 0, 5), offset, load);
	if (!scaled && mode & 1)
		lower_sp(state, -imm);
	return true;
}

/* mov xN, #n of frames that are too big for an immediate operand: movz, movn, then movk, 32 or 64 bits. */
static bool read_constant(struct uw_frame_scan *scan, u32 code)
{
	const u32 reg = bits(code, 0, 5) - FIRST, shift = 16 * bits(code, 21, 2), imm = bits(code, 5, 16);
	const u32 opc = bits(code, 29, 2); /* movn, none, movz, movk */

	if ((code & 0x1f800000) != 0x12800000 || opc == 1)
		return false;
	if (reg >= CONSTANTS)
		return true;
	if (opc == 0 || shift >= 32)
		scan->constant_regs &= ~(1u << reg);
	if (opc == 2 && shift < 32) {
		scan->constant_regs |= 1u << reg;
		scan->constants[reg] = imm << shift;
	} else if (opc == 3 && shift < 32) {
		scan->constants[reg] = (scan->constants[reg] & ~(0xffffu << shift)) | imm << shift;
	}
	return true;
}

/* What it does to the stack. */
static void read_effect(struct uw_frame_scan *scan, u32 code)
{
	if (code == 0xaa1e03e9) /* mov x9, x30: the return address, as a tracer is about to be called */
		scan->copied = !scan->state.ra_off;
	else if ((code & 0xfc000000) == 0x94000000 && scan->copied)
		scan->copied = false; /* bl: it gives x30 back */
	else if (!read_constant(scan, code) && !read_add(&scan->state, code) && !read_dynamic(scan, code) &&
		 !read_pair(&scan->state, code))
		read_single(&scan->state, code);
	if (scan->state.fp_set && scan->state.known)
		scan->body = scan->state;
	if (scan->state.known == UW_FRAME_KNOWN && scan->state.sp_off > scan->deepest)
		scan->deepest = scan->state.sp_off;
}

/* Does it not go on to the next instruction: b, br, ret, eret and their like with authentication. */
static bool ends_flow(u32 code)
{
	if ((code & 0xfc000000) == 0x14000000)
		return true;
	return (code & 0xfe000000) == 0xd6000000 && bits(code, 21, 2) != 1; /* blr goes on */
}

/* Where it jumps to, in words from here; 0: it does not. */
static s32 jump_of(u32 code)
{
	if ((code & 0xfc000000) == 0x14000000)
		return signed_bits(code, 0, 26);
	if ((code & 0xff000000) == 0x54000000 || (code & 0x7e000000) == 0x34000000) /* b.cond, cbz, cbnz */
		return signed_bits(code, 5, 19);
	if ((code & 0x7e000000) == 0x36000000) /* tbz, tbnz */
		return signed_bits(code, 5, 14);
	return 0;
}

/* First target at word or after it. */
static u32 target_place(const struct uw_frame_scan *scan, u32 word)
{
	u32 low = 0, high = scan->nr_targets;

	while (low < high) {
		const u32 middle = (low + high) / 2;

		if (scan->targets[middle].word < word)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void target_add(struct uw_frame_scan *scan, u32 word)
{
	const u32 place = target_place(scan, word);
	struct uw_frame_target *target = &scan->targets[place];
	u32 i;

	if (place < scan->nr_targets && target->word == word) {
		if (target->state.known >= scan->state.known)
			return;
	} else {
		if (scan->nr_targets == UW_FRAME_SCAN_TARGETS)
			return;
		for (i = scan->nr_targets++; i > place; i--)
			scan->targets[i] = scan->targets[i - 1];
		if (place < scan->cursor)
			scan->cursor++;
	}
	target->word = word;
	target->state = scan->state;
	scan->learned |= word <= scan->next;
}

static void follow_jump(struct uw_frame_scan *scan, u32 code)
{
	const s64 word = (s64)scan->next + jump_of(code);

	if (jump_of(code) && word >= 0 && word < scan->words && scan->state.known)
		target_add(scan, (u32)word);
	if (!ends_flow(code))
		return;
	scan->state = scan->body;
	scan->state.known = scan->body.known ? UW_FRAME_GUESSED : UW_FRAME_UNKNOWN;
}

/* What jumps to here say. */
static void arrive(struct uw_frame_scan *scan)
{
	const struct uw_frame_target *target = &scan->targets[scan->cursor];

	if (scan->cursor == scan->nr_targets || target->word != scan->next)
		return;
	if (target->state.known >= scan->state.known)
		scan->state = target->state;
	scan->cursor++;
}

static void pass_begin(struct uw_frame_scan *scan)
{
	scan->state = (struct uw_frame_state){ .ra_reg = UW_ARM64_LR, .known = UW_FRAME_KNOWN };
	scan->body = (struct uw_frame_state){ .ra_reg = UW_ARM64_LR };
	scan->constant_regs = 0;
	scan->copied = false;
	scan->next = 0;
	scan->cursor = 0;
	scan->learned = false;
	scan->passes++;
}

void uw_frame_scan_begin(struct uw_frame_scan *scan, u32 words, u32 at)
{
	scan->words = words < UW_FRAME_SCAN_WORDS ? words : UW_FRAME_SCAN_WORDS;
	scan->at = at;
	scan->nr_targets = 0;
	scan->passes = 0;
	scan->deepest = 0;
	pass_begin(scan);
	scan->done = at >= scan->words;
	if (scan->done)
		scan->state.known = UW_FRAME_UNKNOWN;
}

bool uw_frame_scan_wants(const struct uw_frame_scan *scan, u32 *word)
{
	*word = scan->next;
	return !scan->done;
}

/* Only what is known ends a pass early: a jump that is read later may lead here. */
static bool answer_at(struct uw_frame_scan *scan)
{
	if (scan->copied && !scan->state.ra_off)
		scan->state.ra_reg = 9;
	scan->done = scan->state.known == UW_FRAME_KNOWN || scan->passes == UW_FRAME_SCAN_PASSES;
	return scan->done;
}

static void pass_end(struct uw_frame_scan *scan)
{
	if (!scan->learned) /* the next pass is the last one */
		scan->passes = UW_FRAME_SCAN_PASSES - 1;
	pass_begin(scan);
}

void uw_frame_scan_feed(struct uw_frame_scan *scan, const u32 *code, u32 words)
{
	if (!words) {
		scan->state.known = UW_FRAME_UNKNOWN;
		scan->done = true;
	}
	while (words-- && !scan->done) {
		arrive(scan);
		if (scan->next == scan->at && answer_at(scan))
			return;
		read_effect(scan, *code);
		follow_jump(scan, *code++);
		if (++scan->next < scan->words)
			continue;
		pass_end(scan);
		return;
	}
}

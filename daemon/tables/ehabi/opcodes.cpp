// SPDX-License-Identifier: GPL-2.0
// EHABI32, 10.3, table 4. The opcodes undo a function's prologue, last instruction first:
// they move a virtual stack pointer (vsp), which begins as SP, and pop registers.
//
//   push {r4, r7, lr}; sub sp, #8; add r7, sp, #0
//   97 01 84 09   vsp = r7; vsp += 8; pop {r4, r7, r14}   CFA = r7 + 20, r7 at CFA - 8, LR at CFA - 4
#include "tables/ehabi/opcodes.h"

#include "tables/ehabi/virtual_stack.h"

extern "C" {
#include "types.h"
}

#include <bit>

namespace uwind {
namespace {

// A run over one function's opcodes.
struct Run {
	ByteCursor cursor;
	VirtualStack stack{};
	bool finished = false;
	CfiReason failed = CfiReason::none;

	void fail(CfiReason reason) { failed = reason; }
};

void check_stack(Run& run)
{
	if (run.failed == CfiReason::none)
		run.failed = run.stack.check();
}

void pop(Run& run, unsigned registers)
{
	check_stack(run);
	if (const CfiReason reason = run.stack.pop(registers); reason != CfiReason::none)
		run.fail(reason);
}

// The mask of four registers in the second byte.
std::uint8_t small_mask(Run& run)
{
	const std::uint8_t mask = run.cursor.u8();
	if (!mask || mask > 15)
		run.fail(CfiReason::instruction);
	return mask & 15;
}

// The second byte is the first register, and how many follow it. Eight bytes each.
void skip_range(Run& run, unsigned last_valid, std::int64_t extra)
{
	const std::uint8_t range = run.cursor.u8();
	if ((range >> 4) + (range & 15u) > last_valid)
		return run.fail(CfiReason::instruction);
	run.stack.move(8 * (range & 15) + 8 + extra);
}

void add_short(Run& run, std::uint8_t op)
{
	run.stack.move(4 * (op & 0x3f) + 4);
}

void subtract_short(Run& run, std::uint8_t op)
{
	run.stack.move(-4 * (op & 0x3f) - 4);
}

void add_long(Run& run, std::uint8_t)
{
	constexpr std::uint64_t too_far = 1u << 30; // words
	const std::uint64_t words = run.cursor.uleb();
	if (words >= too_far)
		return run.fail(CfiReason::offset);
	run.stack.move(0x204 + 4 * static_cast<std::int64_t>(words));
}

void set_vsp(Run& run, std::uint8_t op)
{
	const std::uint8_t reg = op & 15;
	if (reg == UW_ARM_SP || reg == UW_ARM_PC)
		return run.fail(CfiReason::instruction);
	if (const CfiReason reason = run.stack.set(reg); reason != CfiReason::none)
		run.fail(reason);
}

void pop_mask(Run& run, std::uint8_t op)
{
	const unsigned mask = (op & 15u) << 8 | run.cursor.u8();
	if (run.cursor.ok() && !mask)
		return run.fail(CfiReason::refusal);
	pop(run, mask << 4);
}

void pop_range(Run& run, std::uint8_t op)
{
	const unsigned registers = (2u << (op & 7)) - 1;
	pop(run, registers << 4 | (op & 8u ? 1u << UW_ARM_LR : 0));
}

void pop_arguments(Run& run, std::uint8_t)
{
	if (const std::uint8_t mask = small_mask(run))
		pop(run, mask);
}

void pop_code(Run& run, std::uint8_t)
{
	run.stack.move(4);
}

void pass(Run&, std::uint8_t) {}

void finish(Run& run, std::uint8_t)
{
	run.finished = true;
}

void pop_vfp_fstmx(Run& run, std::uint8_t)
{
	skip_range(run, 15, 4);
}

void pop_vfp(Run& run, std::uint8_t op)
{
	skip_range(run, op == 0xc8 ? 15 : 31, 0); // from D16 or D0 on; D31 is the last
}

void pop_wmmx(Run& run, std::uint8_t)
{
	skip_range(run, 15, 0);
}

void pop_wmmx_control(Run& run, std::uint8_t)
{
	run.stack.move(4 * std::popcount(small_mask(run)));
}

void pop_d8_fstmx(Run& run, std::uint8_t op)
{
	run.stack.move(8 * (op & 7) + 12);
}

void pop_eight_bytes_each(Run& run, std::uint8_t op)
{
	run.stack.move(8 * (op & 7) + 8);
}

struct Opcode {
	std::uint8_t mask, value;
	void (*apply)(Run& run, std::uint8_t op);
};

// The first match applies; the other opcodes are spare or reserved. 0xb4 and 0xb5 are
// for return addresses with a separate signature, which the module does not need.
constexpr Opcode opcode_table[] = {
	{0xc0, 0x00, add_short},
	{0xc0, 0x40, subtract_short},
	{0xf0, 0x80, pop_mask},
	{0xf0, 0x90, set_vsp},
	{0xf0, 0xa0, pop_range},
	{0xff, 0xb0, finish},
	{0xff, 0xb1, pop_arguments},
	{0xff, 0xb2, add_long},
	{0xff, 0xb3, pop_vfp_fstmx},
	{0xff, 0xb4, pop_code},
	{0xff, 0xb5, pass},
	{0xf8, 0xb8, pop_d8_fstmx},
	{0xff, 0xc6, pop_wmmx},
	{0xff, 0xc7, pop_wmmx_control},
	{0xf8, 0xc0, pop_eight_bytes_each},
	{0xfe, 0xc8, pop_vfp},
	{0xf8, 0xd0, pop_eight_bytes_each},
};

void step(Run& run, std::uint8_t op)
{
	for (const Opcode& opcode : opcode_table)
		if ((op & opcode.mask) == opcode.value)
			return opcode.apply(run, op);
	run.fail(CfiReason::instruction);
}

// Each opcode takes a byte or more, so their number bounds the work.
void apply_all(Run& run)
{
	while (!run.cursor.done() && !run.finished && run.failed == CfiReason::none) {
		step(run, run.cursor.u8());
		if (!run.cursor.ok())
			run.fail(CfiReason::truncated);
	}
	check_stack(run);
}

} // namespace

LoweredRule lower_ehabi(Bytes opcodes)
{
	Run run{ByteCursor(opcodes)};
	apply_all(run);
	LoweredRule result;
	result.reason = run.failed;
	if (result.reason != CfiReason::none)
		return result;
	return lower_frame(run.stack.frame(), frame_abi(Arch::arm), false);
}

} // namespace uwind

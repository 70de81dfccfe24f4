// SPDX-License-Identifier: GPL-2.0
// EHABI32, 10.3, table 4. The opcodes undo a function's prologue, last instruction first:
// they move a virtual stack pointer (vsp), which begins as SP, and pop registers.
//
//   push {r4, r7, lr}; sub sp, #8; add r7, sp, #0
//   97 01 84 09   vsp = r7; vsp += 8; pop {r4, r7, r14}   CFA = r7 + 20, r7 at CFA - 8, LR at CFA - 4
//
// vsp is a register plus an offset until one that was popped becomes it; then it is what
// lies in memory, plus an offset. In the end it is the CFA.
#include "tables/ehabi/opcodes.h"

extern "C" {
#include "types.h"
}

#include <array>
#include <bit>

namespace uwind {
namespace {

constexpr unsigned nr_core_regs = 16;

// A chain of words in memory has no rule.
std::optional<Symbolic> value_at(const Symbolic& place)
{
	if (place.form != Form::address)
		return {};
	Symbolic value = place;
	value.form = Form::memory;
	return value;
}

// From one value to another; nothing if they count from different things.
std::optional<std::int64_t> distance(const Symbolic& from, const Symbolic& to)
{
	if (from.form != to.form || from.base != to.base)
		return {};
	if (from.form == Form::address)
		return to.offset - from.offset;
	return from.offset == to.offset ? std::optional(to.add - from.add) : std::nullopt;
}

// Each opcode goes one byte on, so the number of opcodes bounds the work.
class OpcodeProgram {
public:
	explicit OpcodeProgram(Bytes opcodes) : cursor_(opcodes)
	{
		vsp_.form = Form::address;
		vsp_.base = UW_ARM_SP;
	}

	// None: frame() has the outcome.
	CfiReason run();
	FrameState frame() const;

private:
	struct Opcode {
		std::uint8_t mask, value;
		void (OpcodeProgram::*step)(std::uint8_t op);
	};
	static const Opcode opcodes[];

	void step(std::uint8_t op);
	void add_short(std::uint8_t op) { move(4 * (op & 0x3f) + 4); }
	void subtract_short(std::uint8_t op) { move(-4 * (op & 0x3f) - 4); }
	void add_long(std::uint8_t op);
	void set_vsp(std::uint8_t op);
	void pop_mask(std::uint8_t op);
	void pop_range(std::uint8_t op);
	void pop_arguments(std::uint8_t op);
	void pop_code(std::uint8_t) { move(4); }
	void pass(std::uint8_t) {}
	void finish(std::uint8_t) { finished_ = true; }
	void pop_vfp_fstmx(std::uint8_t op);
	void pop_vfp(std::uint8_t op);
	void pop_wmmx(std::uint8_t op);
	void pop_wmmx_control(std::uint8_t op);
	void pop_d8_fstmx(std::uint8_t op) { move(8 * (op & 7) + 12); }
	void pop_eight_bytes_each(std::uint8_t op) { move(8 * (op & 7) + 8); }

	void move(std::int64_t bytes);
	void pop(unsigned registers);
	void skip_range(unsigned last_valid, std::int64_t extra);
	std::uint8_t small_mask();
	void check_stack();
	SavedRegister saved(unsigned reg, const Symbolic& cfa) const;
	void fail(CfiReason reason) { failed_ = reason; }

	ByteCursor cursor_;
	Symbolic vsp_;
	std::array<std::optional<Symbolic>, nr_core_regs> popped_; // where each lay
	bool finished_ = false;
	CfiReason failed_ = CfiReason::none;
};

// The first that matches counts; the others are spare or reserved. 0xb4 and 0xb5 are
// for return addresses with a separate signature, which the module does not need.
const OpcodeProgram::Opcode OpcodeProgram::opcodes[] = {
	{0xc0, 0x00, &OpcodeProgram::add_short},
	{0xc0, 0x40, &OpcodeProgram::subtract_short},
	{0xf0, 0x80, &OpcodeProgram::pop_mask},
	{0xf0, 0x90, &OpcodeProgram::set_vsp},
	{0xf0, 0xa0, &OpcodeProgram::pop_range},
	{0xff, 0xb0, &OpcodeProgram::finish},
	{0xff, 0xb1, &OpcodeProgram::pop_arguments},
	{0xff, 0xb2, &OpcodeProgram::add_long},
	{0xff, 0xb3, &OpcodeProgram::pop_vfp_fstmx},
	{0xff, 0xb4, &OpcodeProgram::pop_code},
	{0xff, 0xb5, &OpcodeProgram::pass},
	{0xf8, 0xb8, &OpcodeProgram::pop_d8_fstmx},
	{0xff, 0xc6, &OpcodeProgram::pop_wmmx},
	{0xff, 0xc7, &OpcodeProgram::pop_wmmx_control},
	{0xf8, 0xc0, &OpcodeProgram::pop_eight_bytes_each},
	{0xfe, 0xc8, &OpcodeProgram::pop_vfp},
	{0xf8, 0xd0, &OpcodeProgram::pop_eight_bytes_each},
};

CfiReason OpcodeProgram::run()
{
	while (!cursor_.done() && !finished_ && failed_ == CfiReason::none) {
		step(cursor_.u8());
		if (!cursor_.ok())
			fail(CfiReason::truncated);
	}
	check_stack();
	return failed_;
}

void OpcodeProgram::step(std::uint8_t op)
{
	for (const Opcode& opcode : opcodes)
		if ((op & opcode.mask) == opcode.value)
			return (this->*opcode.step)(op);
	fail(CfiReason::instruction);
}

void OpcodeProgram::move(std::int64_t bytes)
{
	(vsp_.form == Form::memory ? vsp_.add : vsp_.offset) += bytes;
}

void OpcodeProgram::add_long(std::uint8_t)
{
	constexpr std::uint64_t too_far = 1u << 30; // words
	const std::uint64_t words = cursor_.uleb();
	if (words >= too_far)
		return fail(CfiReason::offset);
	move(0x204 + 4 * static_cast<std::int64_t>(words));
}

void OpcodeProgram::set_vsp(std::uint8_t op)
{
	const std::uint8_t reg = op & 15;
	if (reg == UW_ARM_SP || reg == UW_ARM_PC)
		return fail(CfiReason::instruction);
	if (popped_[reg]) {
		const std::optional<Symbolic> value = value_at(*popped_[reg]);
		if (!value)
			return fail(CfiReason::cfa_expression);
		vsp_ = *value;
		return;
	}
	vsp_ = Symbolic{};
	vsp_.form = Form::address;
	vsp_.base = reg;
}

// Interrupts overwrite what lies below SP.
void OpcodeProgram::check_stack()
{
	if (failed_ == CfiReason::none && vsp_.form == Form::address && vsp_.base == UW_ARM_SP && vsp_.offset < 0)
		fail(CfiReason::below_sp);
}

// The lowest register lies lowest. What is popped into SP becomes vsp in the end.
void OpcodeProgram::pop(unsigned registers)
{
	check_stack();
	for (unsigned reg = 0; reg < nr_core_regs; reg++) {
		if (!(registers >> reg & 1))
			continue;
		popped_[reg] = vsp_;
		move(4);
	}
	if (!(registers >> UW_ARM_SP & 1))
		return;
	const std::optional<Symbolic> value = value_at(*popped_[UW_ARM_SP]);
	if (!value)
		return fail(CfiReason::cfa_expression);
	vsp_ = *value;
}

void OpcodeProgram::pop_mask(std::uint8_t op)
{
	const unsigned mask = (op & 15u) << 8 | cursor_.u8();
	if (cursor_.ok() && !mask)
		return fail(CfiReason::refusal);
	pop(mask << 4);
}

void OpcodeProgram::pop_range(std::uint8_t op)
{
	const unsigned registers = (2u << (op & 7)) - 1;
	pop(registers << 4 | (op & 8u ? 1u << UW_ARM_LR : 0));
}

// The mask of four registers in the second byte.
std::uint8_t OpcodeProgram::small_mask()
{
	const std::uint8_t mask = cursor_.u8();
	if (!mask || mask > 15)
		fail(CfiReason::instruction);
	return mask & 15;
}

void OpcodeProgram::pop_arguments(std::uint8_t)
{
	if (const std::uint8_t mask = small_mask())
		pop(mask);
}

// The second byte is the first register, and how many follow it. Eight bytes each.
void OpcodeProgram::skip_range(unsigned last_valid, std::int64_t extra)
{
	const std::uint8_t range = cursor_.u8();
	if ((range >> 4) + (range & 15u) > last_valid)
		return fail(CfiReason::instruction);
	move(8 * (range & 15) + 8 + extra);
}

void OpcodeProgram::pop_vfp_fstmx(std::uint8_t)
{
	skip_range(15, 4);
}

void OpcodeProgram::pop_vfp(std::uint8_t op)
{
	skip_range(op == 0xc8 ? 15 : 31, 0); // from D16 or D0 on; D31 is the last
}

void OpcodeProgram::pop_wmmx(std::uint8_t)
{
	skip_range(15, 0);
}

void OpcodeProgram::pop_wmmx_control(std::uint8_t)
{
	move(4 * std::popcount(small_mask()));
}

SavedRegister OpcodeProgram::saved(unsigned reg, const Symbolic& cfa) const
{
	SavedRegister result;
	if (!popped_[reg])
		return result;
	result.saved = Saved::at;
	result.how = *popped_[reg];
	if (const auto bytes = distance(cfa, result.how)) {
		result.how = Symbolic{};
		result.how.form = Form::address;
		result.how.base = cfa_base;
		result.how.offset = *bytes;
	}
	return result;
}

// What was not popped into PC is returned to by LR.
FrameState OpcodeProgram::frame() const
{
	FrameState state;
	state.cfa = vsp_;
	state.no_cfa = CfiReason::none;
	state.ra = saved(popped_[UW_ARM_PC] ? UW_ARM_PC : UW_ARM_LR, vsp_);
	state.fp = saved(UW_ARM_FP, vsp_);
	state.base = saved(UW_ARM_R7, vsp_);
	return state;
}

} // namespace

LoweredRule lower_ehabi(Bytes opcodes)
{
	OpcodeProgram program(opcodes);
	LoweredRule result;
	result.reason = program.run();
	if (result.reason != CfiReason::none)
		return result;
	return lower_frame(program.frame(), frame_abi(Arch::arm), false);
}

} // namespace uwind

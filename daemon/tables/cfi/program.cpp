// SPDX-License-Identifier: GPL-2.0
// The interpreter of call frame instructions. It follows states by number: most steps from one to the next have been
// made before, and need no decoding.
#include "tables/cfi/program.h"

#include "tables/cfi/instructions.h"

namespace uwind {

FrameProgram::FrameProgram(const CfiSection& section, FrameAbi abi, FrameSink& sink)
    : section_(section), abi_(abi), sink_(sink), states_(section.bytes.size())
{
	initial_.reserve(section.cies.size());
	for (const Cie& cie : section.cies)
		run_cie(cie);
}

// Equal CIEs are often neighbours, or equal to the first.
std::uint32_t FrameProgram::kind_of(const Cie& cie, const CieState& state) const
{
	const auto same = [&](const CieState& other) {
		return other.unusable == CfiReason::none && other.state == state.state &&
		       other.cie->data_factor == cie.data_factor && other.cie->ra_column == cie.ra_column &&
		       other.cie->signal_frame == cie.signal_frame;
	};
	if (!initial_.empty() && same(initial_.front()))
		return initial_.front().kind;
	if (!initial_.empty() && same(initial_.back()))
		return initial_.back().kind;
	return state.kind;
}

void FrameProgram::run_cie(const Cie& cie)
{
	const auto number = static_cast<std::uint32_t>(initial_.size());
	CieState result;
	result.cie = &cie;
	result.unusable = cie.ra_column > 31 ? CfiReason::ra_column : cie.unusable;
	result.kind = 2 * number + 1; // of its own instructions, which restore registers to something else
	if (result.unusable == CfiReason::none) {
		FrameEffect(abi_, cie, result.state, result.state).set_plain(cie.ra_column, Saved::unspecified);
		// Rows do not come from a CIE: there is no room for one.
		begin(result, 0, 0);
		run(ByteCursor(cie.instructions), cie.instructions_address);
		result.unusable = failed_;
		result.state = states_[now_];
		cie_ = nullptr;
	}
	result.kind = 2 * number;
	result.kind = kind_of(cie, result);
	result.number = no_frame_number;
	initial_.push_back(result);
}

void FrameProgram::begin(CieState& initial, std::uint64_t start, std::uint64_t end)
{
	cie_ = nullptr;
	depth_ = 0;
	if (states_.full())
		forget_numbers();
	if (initial.number == no_frame_number)
		initial.number = states_.number_of(initial.state, initial.kind);
	cie_ = &initial;
	now_ = initial.number;
	start_ = start;
	end_ = end;
}

void FrameProgram::run_fde(const Fde& fde, std::uint64_t end)
{
	CieState& initial = initial_[fde.cie];
	if (initial.unusable != CfiReason::none)
		return sink_.broken(fde.start, initial.unusable);
	begin(initial, fde.start, end);
	const Bytes code = section_.bytes.subspan(fde.instructions_offset, fde.instructions_bytes);
	run(ByteCursor(code), section_.bases.section + fde.instructions_offset);
	if (failed_ != CfiReason::none)
		sink_.broken(start_, failed_);
	else if (start_ < end_)
		sink_.row(start_, end_, states_[now_], now_);
}

void FrameProgram::run(ByteCursor cursor, std::uint64_t address)
{
	section_address_ = address;
	failed_ = CfiReason::none;
	while (!cursor.done()) {
		const std::uint32_t next = cursor.peek();
		const auto op = static_cast<std::uint8_t>(next);
		if ((op & packed_mask) == cfa_advance_loc) {
			cursor.skip(1);
			advance(op & ~packed_mask);
		} else if (op == cfa_nop) {
			cursor.skip(1);
			continue;
		} else if (const FrameStates::Step* made = states_.find_step(now_, next);
			   made && made->bytes <= cursor.left()) {
			cursor.skip(made->bytes);
			now_ = made->after;
			continue;
		} else {
			step(cursor, next);
		}
		if (failed_ != CfiReason::none || (end_ && start_ == end_))
			return;
	}
}

// One that has not been met in this state, or is not kept.
void FrameProgram::step(ByteCursor& cursor, std::uint32_t next)
{
	const std::uint8_t op = cursor.u8();
	if (!step_location(cursor, op) && !step_state(op) && !change(cursor, next))
		fail(CfiReason::instruction);
	if (!cursor.ok())
		fail(CfiReason::truncated);
}

// The cursor is after the instruction's first byte.
bool FrameProgram::change(ByteCursor& cursor, std::uint32_t next)
{
	if (states_.full())
		forget_numbers();
	const std::uint64_t left = cursor.left() + 1;
	FrameState state = states_[now_];
	if (!FrameEffect(abi_, *cie_->cie, cie_->state, state).execute(cursor, static_cast<std::uint8_t>(next)))
		return false;
	const FrameNumber after = states_.number_of(state, cie_->kind);
	if (cursor.ok())
		states_.note_step(now_, next, left - cursor.left(), after);
	now_ = after;
	return true;
}

bool FrameProgram::step_location(ByteCursor& cursor, std::uint8_t op)
{
	switch (op) {
	case cfa_advance_loc1:
		advance(cursor.u8());
		return true;
	case cfa_advance_loc2:
		advance(cursor.u16());
		return true;
	case cfa_advance_loc4:
		advance(cursor.u32());
		return true;
	case cfa_advance_loc8:
		advance(cursor.u64());
		return true;
	case cfa_set_loc: {
		PointerBases bases = section_.bases;
		bases.section = section_address_;
		move_to(read_pointer(cursor, cie_->cie->encoding, bases));
		return true;
	}
	default:
		return false;
	}
}

bool FrameProgram::step_state(std::uint8_t op)
{
	switch (op) {
	case cfa_remember_state:
		remember();
		return true;
	case cfa_restore_state:
		restore_state();
		return true;
	default:
		return false;
	}
}

void FrameProgram::advance(std::uint64_t delta)
{
	if (__builtin_mul_overflow(delta, cie_->cie->code_factor, &delta))
		delta = ~std::uint64_t{0};
	move_to(delta < end_ - start_ ? start_ + delta : end_);
}

void FrameProgram::move_to(std::uint64_t location)
{
	if (!end_)
		return; // in a CIE
	if (location < start_)
		return fail(CfiReason::backwards);
	if (location > end_)
		location = end_;
	if (location > start_)
		sink_.row(start_, location, states_[now_], now_);
	start_ = location;
}

void FrameProgram::remember()
{
	if (depth_ == max_remembered)
		return fail(CfiReason::nesting);
	remembered_[depth_++] = now_;
}

void FrameProgram::restore_state()
{
	if (!depth_)
		return fail(CfiReason::nesting);
	now_ = remembered_[--depth_];
}

// But for the states that the function is in, or comes back to.
void FrameProgram::forget_numbers()
{
	std::vector<FrameState> kept;
	for (unsigned i = 0; i < depth_; i++)
		kept.push_back(states_[remembered_[i]]);
	if (cie_)
		kept.push_back(states_[now_]);
	states_.clear();
	sink_.forget_numbers();
	for (CieState& initial : initial_)
		initial.number = no_frame_number;
	for (unsigned i = 0; i < depth_; i++)
		remembered_[i] = states_.number_of(kept[i], cie_->kind);
	if (cie_)
		now_ = states_.number_of(kept.back(), cie_->kind);
}

} // namespace uwind

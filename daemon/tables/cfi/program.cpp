// SPDX-License-Identifier: GPL-2.0
// The interpreter of call frame instructions. Of the registers it follows only
// those that a caller is made of: return address, frame pointer, base register, and
// stack pointer, which must be the CFA.
#include "tables/cfi/program.h"

#include "tables/cfi/instructions.h"

extern "C" {
#include "types.h"
}

namespace uwind {
namespace {

// Too far for any rule: shows as CfiReason::offset.
constexpr std::int64_t too_far = std::int64_t{1} << 40;

std::int64_t as_signed(std::uint64_t value)
{
	return value < too_far ? static_cast<std::int64_t>(value) : too_far;
}

} // namespace

FrameAbi frame_abi(Arch arch)
{
	const uw_abi& abi = uw_abis[static_cast<unsigned>(arch)];
	const bool has_link = abi.lr != UW_NO_REG;
	return {arch, abi.fp, abi.sp, has_link ? abi.lr : abi.nr_regs, abi.base, abi.nr_regs, has_link, abi.word};
}

CieState FrameProgram::run_cie(const Cie& cie)
{
	CieState result;
	result.unusable = cie.ra_column > 31 ? CfiReason::ra_column : cie.unusable;
	if (result.unusable != CfiReason::none)
		return result;
	cie_ = &cie;
	state_ = FrameState{};
	set_plain(cie.ra_column, Saved::unspecified);
	result.state = state_;
	initial_ = &result.state;
	// Rows do not come from a CIE: there is no room for one.
	start_ = end_ = 0;
	run(ByteCursor(cie.instructions), cie.instructions_address);
	result.unusable = failed_;
	result.state = state_;
	return result;
}

void FrameProgram::run_fde(const Fde& fde, const CieState& initial, std::uint64_t end)
{
	cie_ = &section_.cies[fde.cie];
	state_ = initial.state;
	initial_ = &initial.state;
	start_ = fde.start;
	end_ = end;
	if (initial.unusable != CfiReason::none)
		return sink_.broken(start_, initial.unusable);
	const Bytes code = section_.bytes.subspan(fde.instructions_offset, fde.instructions_bytes);
	run(ByteCursor(code), section_.bases.section + fde.instructions_offset);
	if (failed_ != CfiReason::none)
		sink_.broken(start_, failed_);
	else if (start_ < end_)
		sink_.row(start_, end_, state_);
}

void FrameProgram::run(ByteCursor cursor, std::uint64_t address)
{
	section_address_ = address;
	failed_ = CfiReason::none;
	depth_ = 0;
	while (!cursor.done()) {
		step(cursor, cursor.u8());
		if (!cursor.ok())
			fail(CfiReason::truncated);
		if (failed_ != CfiReason::none || (end_ && start_ == end_))
			return;
	}
}

void FrameProgram::step(ByteCursor& cursor, std::uint8_t op)
{
	const std::uint8_t operand = op & ~packed_mask;
	switch (op & packed_mask) {
	case cfa_advance_loc:
		return advance(operand);
	case cfa_offset:
		return set_offset(operand, factored(as_signed(cursor.uleb())), Saved::at);
	case cfa_restore:
		return restore(operand);
	}
	if (op == cfa_nop)
		return;
	if (!step_location(cursor, op) && !step_cfa(cursor, op) && !step_register(cursor, op) &&
	    !step_state(cursor, op))
		fail(CfiReason::instruction);
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
		move_to(read_pointer(cursor, cie_->encoding, bases));
		return true;
	}
	default:
		return false;
	}
}

bool FrameProgram::step_cfa(ByteCursor& cursor, std::uint8_t op)
{
	switch (op) {
	case cfa_def_cfa: {
		const std::uint64_t reg = cursor.uleb();
		set_cfa(reg, as_signed(cursor.uleb()));
		return true;
	}
	case cfa_def_cfa_sf: {
		const std::uint64_t reg = cursor.uleb();
		set_cfa(reg, factored(cursor.sleb()));
		return true;
	}
	case cfa_def_cfa_register:
		set_cfa(cursor.uleb(), state_.cfa_offset);
		return true;
	case cfa_def_cfa_offset:
		set_cfa_offset(as_signed(cursor.uleb()));
		return true;
	case cfa_def_cfa_offset_sf:
		set_cfa_offset(factored(cursor.sleb()));
		return true;
	case cfa_def_cfa_expression:
		set_cfa_expression(cursor.take(cursor.uleb()));
		return true;
	default:
		return false;
	}
}

bool FrameProgram::step_register(ByteCursor& cursor, std::uint8_t op)
{
	if (op < cfa_offset_extended || (op > cfa_register && op < cfa_expression) ||
	    (op > cfa_val_expression && op != cfa_negative_offset_extended))
		return false;
	const std::uint64_t reg = cursor.uleb();
	switch (op) {
	case cfa_offset_extended:
		set_offset(reg, factored(as_signed(cursor.uleb())), Saved::at);
		return true;
	case cfa_offset_extended_sf:
		set_offset(reg, factored(cursor.sleb()), Saved::at);
		return true;
	case cfa_negative_offset_extended:
		set_offset(reg, -factored(as_signed(cursor.uleb())), Saved::at);
		return true;
	case cfa_val_offset:
		set_offset(reg, factored(as_signed(cursor.uleb())), Saved::value);
		return true;
	case cfa_val_offset_sf:
		set_offset(reg, factored(cursor.sleb()), Saved::value);
		return true;
	case cfa_restore_extended:
		restore(reg);
		return true;
	case cfa_undefined:
		set_plain(reg, Saved::undefined);
		return true;
	case cfa_same_value:
		set_plain(reg, Saved::same);
		return true;
	case cfa_register:
		set_register(reg, cursor.uleb());
		return true;
	case cfa_expression:
		set_expression(reg, cursor.take(cursor.uleb()), Saved::at);
		return true;
	case cfa_val_expression:
		set_expression(reg, cursor.take(cursor.uleb()), Saved::value);
		return true;
	default:
		return false;
	}
}

bool FrameProgram::step_state(ByteCursor& cursor, std::uint8_t op)
{
	switch (op) {
	case cfa_remember_state:
		remember();
		return true;
	case cfa_restore_state:
		restore_state();
		return true;
	case cfa_args_size:
		cursor.uleb();
		return true;
	// Signed return addresses: the module strips them anyway.
	case cfa_negate_ra_state:
	case cfa_negate_ra_state_with_pc:
		return abi_.arch == Arch::arm64;
	default:
		return false;
	}
}

void FrameProgram::advance(std::uint64_t delta)
{
	if (__builtin_mul_overflow(delta, cie_->code_factor, &delta))
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
		sink_.row(start_, location, state_);
	start_ = location;
}

void FrameProgram::set_cfa(std::uint64_t reg, std::int64_t offset)
{
	state_.cfa_register = reg;
	state_.cfa_offset = offset;
	state_.cfa = Symbolic{};
	state_.cfa.form = Form::address;
	state_.cfa.base = static_cast<std::uint8_t>(reg);
	state_.cfa.offset = offset;
	state_.cfa_is_expression = false;
	const bool usable = reg < abi_.nr_regs;
	state_.no_cfa = usable ? CfiReason::none : CfiReason::cfa_register;
}

// Of a CFA that is an expression, only the remembered offset changes.
void FrameProgram::set_cfa_offset(std::int64_t offset)
{
	if (!state_.cfa_is_expression)
		set_cfa(state_.cfa_register, offset);
	state_.cfa_offset = offset;
}

void FrameProgram::set_cfa_expression(Bytes expression)
{
	const std::optional<Symbolic> value = evaluate(expression, abi_.arch, {});
	const bool usable =
		value && (value->form == Form::address || value->form == Form::memory || value->form == Form::stepped);
	state_.no_cfa = usable ? CfiReason::none : CfiReason::cfa_expression;
	state_.cfa_is_expression = true;
	if (usable)
		state_.cfa = *value;
}

SavedRegister* FrameProgram::slot(FrameState& state, std::uint64_t reg) const
{
	if (reg == cie_->ra_column)
		return &state.ra;
	if (reg == abi_.fp)
		return &state.fp;
	if (reg == abi_.base)
		return &state.base;
	return reg == abi_.sp ? &state.sp : nullptr;
}

void FrameProgram::set_offset(std::uint64_t reg, std::int64_t offset, Saved saved)
{
	SavedRegister* target = slot(state_, reg);
	if (!target)
		return;
	*target = SavedRegister{};
	target->saved = saved;
	target->how.form = Form::address;
	target->how.base = cfa_base;
	target->how.offset = offset;
}

void FrameProgram::set_register_value(SavedRegister& target, std::uint64_t other)
{
	target = SavedRegister{};
	target.saved = other > 31 ? Saved::unknown : Saved::value;
	target.how.form = Form::address;
	target.how.base = static_cast<std::uint8_t>(other);
}

void FrameProgram::set_register(std::uint64_t reg, std::uint64_t other)
{
	SavedRegister* target = slot(state_, reg);
	if (!target)
		return;
	if (other == reg)
		set_plain(reg, Saved::same);
	else
		set_register_value(*target, other);
}

void FrameProgram::set_expression(std::uint64_t reg, Bytes expression, Saved saved)
{
	SavedRegister* target = slot(state_, reg);
	if (!target)
		return;
	Symbolic cfa;
	cfa.form = Form::address;
	cfa.base = cfa_base;
	const std::optional<Symbolic> value = evaluate(expression, abi_.arch, cfa);
	target->saved = value ? saved : Saved::unknown;
	target->how = value.value_or(Symbolic{});
}

void FrameProgram::set_plain(std::uint64_t reg, Saved saved)
{
	// Left alone in a register that is not the ABI's: a rule must name it.
	const bool left_alone = saved == Saved::unspecified || saved == Saved::same;
	if (left_alone && reg == cie_->ra_column && reg != abi_.ra)
		return set_register_value(state_.ra, reg);
	if (SavedRegister* target = slot(state_, reg)) {
		*target = SavedRegister{};
		target->saved = saved;
	}
}

void FrameProgram::restore(std::uint64_t reg)
{
	if (SavedRegister* target = slot(state_, reg))
		*target = *slot(const_cast<FrameState&>(*initial_), reg);
}

void FrameProgram::remember()
{
	if (depth_ == max_remembered)
		return fail(CfiReason::nesting);
	remembered_[depth_++] = state_;
}

void FrameProgram::restore_state()
{
	if (!depth_)
		return fail(CfiReason::nesting);
	state_ = remembered_[--depth_];
}

std::int64_t FrameProgram::factored(std::int64_t value) const
{
	std::int64_t product;
	if (__builtin_mul_overflow(value, cie_->data_factor, &product) || product > too_far || product < -too_far)
		return too_far;
	return product;
}

} // namespace uwind

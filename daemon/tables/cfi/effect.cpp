// SPDX-License-Identifier: GPL-2.0
// Of the registers only those are followed that a caller is made of: return address, frame pointer, base register, and
// stack pointer, which must be the CFA.
#include "tables/cfi/effect.h"

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

bool FrameEffect::execute(ByteCursor& cursor, std::uint8_t op)
{
	const std::uint8_t operand = op & ~packed_mask;
	switch (op & packed_mask) {
	case cfa_offset:
		set_offset(operand, factored(as_signed(cursor.uleb())), Saved::at);
		return true;
	case cfa_restore:
		restore(operand);
		return true;
	}
	return change_cfa(cursor, op) || change_register(cursor, op) || keep(cursor, op);
}

// Signed return addresses: the module strips them anyway.
bool FrameEffect::keep(ByteCursor& cursor, std::uint8_t op) const
{
	switch (op) {
	case cfa_nop:
		return true;
	case cfa_args_size:
		cursor.uleb();
		return true;
	case cfa_negate_ra_state:
	case cfa_negate_ra_state_with_pc:
		return abi_.arch == Arch::arm64;
	default:
		return false;
	}
}

bool FrameEffect::change_cfa(ByteCursor& cursor, std::uint8_t op)
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

bool FrameEffect::change_register(ByteCursor& cursor, std::uint8_t op)
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

void FrameEffect::set_cfa(std::uint64_t reg, std::int64_t offset)
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
void FrameEffect::set_cfa_offset(std::int64_t offset)
{
	if (!state_.cfa_is_expression)
		set_cfa(state_.cfa_register, offset);
	state_.cfa_offset = offset;
}

void FrameEffect::set_cfa_expression(Bytes expression)
{
	const std::optional<Symbolic> value = evaluate(expression, abi_.arch, {});
	const bool usable =
		value && (value->form == Form::address || value->form == Form::memory || value->form == Form::stepped);
	state_.no_cfa = usable ? CfiReason::none : CfiReason::cfa_expression;
	state_.cfa_is_expression = true;
	if (usable)
		state_.cfa = *value;
}

SavedRegister* FrameEffect::slot(FrameState& state, std::uint64_t reg) const
{
	if (reg == cie_.ra_column)
		return &state.ra;
	if (reg == abi_.fp)
		return &state.fp;
	if (reg == abi_.base)
		return &state.base;
	return reg == abi_.sp ? &state.sp : nullptr;
}

void FrameEffect::set_offset(std::uint64_t reg, std::int64_t offset, Saved saved)
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

void FrameEffect::set_register_value(SavedRegister& target, std::uint64_t other)
{
	target = SavedRegister{};
	target.saved = other > 31 ? Saved::unknown : Saved::value;
	target.how.form = Form::address;
	target.how.base = static_cast<std::uint8_t>(other);
}

void FrameEffect::set_register(std::uint64_t reg, std::uint64_t other)
{
	SavedRegister* target = slot(state_, reg);
	if (!target)
		return;
	if (other == reg)
		set_plain(reg, Saved::same);
	else
		set_register_value(*target, other);
}

void FrameEffect::set_expression(std::uint64_t reg, Bytes expression, Saved saved)
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

void FrameEffect::set_plain(std::uint64_t reg, Saved saved)
{
	// Left alone in a register that is not the ABI's: a rule must name it.
	const bool left_alone = saved == Saved::unspecified || saved == Saved::same;
	if (left_alone && reg == cie_.ra_column && reg != abi_.ra)
		return set_register_value(state_.ra, reg);
	if (SavedRegister* target = slot(state_, reg)) {
		*target = SavedRegister{};
		target->saved = saved;
	}
}

void FrameEffect::restore(std::uint64_t reg)
{
	if (SavedRegister* target = slot(state_, reg))
		*target = *slot(const_cast<FrameState&>(initial_), reg);
}

std::int64_t FrameEffect::factored(std::int64_t value) const
{
	std::int64_t product;
	if (__builtin_mul_overflow(value, cie_.data_factor, &product) || product > too_far || product < -too_far)
		return too_far;
	return product;
}

} // namespace uwind

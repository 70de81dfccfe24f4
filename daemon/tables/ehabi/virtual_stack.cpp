// SPDX-License-Identifier: GPL-2.0
#include "tables/ehabi/virtual_stack.h"

extern "C" {
#include "types.h"
}

namespace uwind {
namespace {

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

Symbolic value_of(std::uint8_t reg)
{
	Symbolic value;
	value.form = Form::address;
	value.base = reg;
	return value;
}

} // namespace

VirtualStack::VirtualStack() : vsp_(value_of(UW_ARM_SP)) {}

void VirtualStack::move(std::int64_t bytes)
{
	(vsp_.form == Form::memory ? vsp_.add : vsp_.offset) += bytes;
}

CfiReason VirtualStack::set(std::uint8_t reg)
{
	const std::optional<Symbolic> value = popped_[reg] ? value_at(*popped_[reg]) : value_of(reg);
	if (!value)
		return CfiReason::cfa_expression;
	vsp_ = *value;
	return CfiReason::none;
}

// Interrupts overwrite what lies below SP.
CfiReason VirtualStack::check() const
{
	const bool below_sp = vsp_.form == Form::address && vsp_.base == UW_ARM_SP && vsp_.offset < 0;
	return below_sp ? CfiReason::below_sp : CfiReason::none;
}

CfiReason VirtualStack::pop(unsigned registers)
{
	for (unsigned reg = 0; reg < nr_core_regs; reg++) {
		if (!(registers >> reg & 1))
			continue;
		popped_[reg] = vsp_;
		move(4);
	}
	return registers >> UW_ARM_SP & 1 ? set(UW_ARM_SP) : CfiReason::none;
}

SavedRegister VirtualStack::saved(unsigned reg) const
{
	SavedRegister result;
	if (!popped_[reg])
		return result;
	result.saved = Saved::at;
	result.how = *popped_[reg];
	if (const auto bytes = distance(vsp_, result.how)) {
		result.how = Symbolic{};
		result.how.form = Form::address;
		result.how.base = cfa_base;
		result.how.offset = *bytes;
	}
	return result;
}

// A function returns by LR, unless a word was popped into PC.
FrameState VirtualStack::frame() const
{
	FrameState state;
	state.cfa = vsp_;
	state.no_cfa = CfiReason::none;
	state.ra = saved(popped_[UW_ARM_PC] ? UW_ARM_PC : UW_ARM_LR);
	state.fp = saved(UW_ARM_FP);
	state.base = saved(UW_ARM_R7);
	return state;
}

} // namespace uwind

// SPDX-License-Identifier: GPL-2.0
// Which forms of CFA and of saved registers the rule language has words for.
#include "tables/cfi/rule.h"

extern "C" {
#include "types.h"
}

#include <limits>
#include <optional>

namespace uwind {
namespace {

struct Place {
	std::uint8_t place = UW_PLACE_SAME;
	std::uint8_t reg = 0;
	std::int64_t offset = 0;
	CfiReason reason = CfiReason::none;
};

bool fits(std::int64_t offset)
{
	return offset >= std::numeric_limits<std::int32_t>::min() && offset <= std::numeric_limits<std::int32_t>::max();
}

bool general(std::uint8_t reg, const FrameAbi& abi)
{
	return reg < abi.nr_regs;
}

// The place of a register whose value is, or lies at, a symbolic value.
Place place_of(const SavedRegister& saved, const FrameAbi& abi, const FrameState& state)
{
	Symbolic how = saved.how;
	bool in_memory = saved.saved == Saved::at;
	if (how.form == Form::memory && !in_memory && !how.add) {
		how.form = Form::address;
		in_memory = true;
	} else if (how.form == Form::memory && state.cfa.form == Form::memory && how.base == state.cfa.base &&
		   how.offset == state.cfa.offset) {
		// Both go through the same word of memory: *(CFA + difference).
		how.form = Form::address;
		how.base = cfa_base;
		how.offset = how.add - state.cfa.add;
	}
	Place result;
	result.offset = how.offset;
	if (how.form != Form::address)
		result.reason = CfiReason::ra_expression;
	else if (!fits(how.offset))
		result.reason = CfiReason::offset;
	else if (how.base == cfa_base)
		result.place = in_memory ? UW_PLACE_CFA_MEM : UW_PLACE_CFA_VAL;
	else if (!general(how.base, abi))
		result.reason = CfiReason::ra_expression;
	else {
		result.place = in_memory ? UW_PLACE_REG_MEM : UW_PLACE_REG_VAL;
		result.reg = how.base;
	}
	return result;
}

Place return_address(const FrameState& state, const FrameAbi& abi)
{
	Place result;
	switch (state.ra.saved) {
	case Saved::unspecified:
	case Saved::same:
		// In the link register, where there is one.
		if (!abi.has_link)
			result.reason = CfiReason::no_ra;
		return result;
	case Saved::value:
	case Saved::at:
		return place_of(state.ra, abi, state);
	default:
		result.reason = CfiReason::ra_expression;
		return result;
	}
}

Place frame_pointer(const FrameState& state, const FrameAbi& abi)
{
	Place result;
	switch (state.fp.saved) {
	case Saved::unspecified:
	case Saved::same:
		return result;
	case Saved::undefined:
		result.place = UW_PLACE_LOST;
		return result;
	case Saved::value:
	case Saved::at:
		result = place_of(state.fp, abi, state);
		break;
	default:
		result.reason = CfiReason::fp_lost;
	}
	if (result.reason != CfiReason::none)
		result = Place{UW_PLACE_LOST, 0, 0, CfiReason::fp_lost};
	return result;
}

std::uint8_t base_slot(const SavedRegister& base, const FrameAbi& abi)
{
	if (abi.base == UW_NO_REG || base.saved == Saved::unspecified || base.saved == Saved::same)
		return 0;
	const std::int64_t below = -base.how.offset, slot = below / abi.word;
	const bool below_cfa = base.saved == Saved::at && base.how.form == Form::address && base.how.base == cfa_base &&
			       below > 0 && below % abi.word == 0;
	return below_cfa && slot < UW_BASE_LOST ? static_cast<std::uint8_t>(slot) : UW_BASE_LOST;
}

CfiReason fill_cfa(Rule& rule, const FrameState& state, const FrameAbi& abi)
{
	if (state.no_cfa != CfiReason::none)
		return state.no_cfa;
	if (!general(state.cfa.base, abi))
		return CfiReason::cfa_register;
	const bool memory = state.cfa.form == Form::memory;
	if (!fits(state.cfa.offset) || (memory && !fits(state.cfa.add)))
		return CfiReason::offset;
	rule.kind = UW_RULE_FRAME;
	rule.cfa_kind = memory ? UW_CFA_MEM : UW_CFA_REG;
	rule.cfa_reg = state.cfa.base;
	rule.cfa_off = static_cast<std::int32_t>(state.cfa.offset);
	rule.cfa_add = memory ? static_cast<std::int32_t>(state.cfa.add) : 0;
	return CfiReason::none;
}

// A value relative to the CFA, written without it. False: no form says it.
bool without_cfa(SavedRegister& saved, const Symbolic& cfa)
{
	if (saved.saved != Saved::value && saved.saved != Saved::at)
		return true;
	if (saved.how.base != cfa_base || saved.how.form == Form::constant)
		return true;
	Symbolic how = cfa;
	if (saved.how.form != Form::address || cfa.form == Form::stepped)
		return false;
	(cfa.form == Form::memory ? how.add : how.offset) += saved.how.offset;
	saved.how = how;
	return true;
}

// A rule's CFA is the caller's stack pointer. DWARF can tell the two apart, as
// longjmp() and setcontext() do: then the stack pointer becomes the CFA, and what
// was relative to the other one is written without it.
bool make_stack_pointer_cfa(FrameState& state, const FrameAbi& abi)
{
	if (!without_cfa(state.sp, state.cfa) || !without_cfa(state.ra, state.cfa) || !without_cfa(state.fp, state.cfa))
		return false;
	if (!without_cfa(state.base, state.cfa))
		state.base.saved = Saved::unknown;
	Symbolic sp = state.sp.how;
	if (state.sp.saved == Saved::same) {
		sp = Symbolic{};
		sp.form = Form::address;
		sp.base = abi.sp;
	} else if (state.sp.saved == Saved::at && sp.form == Form::address) {
		sp.form = Form::memory;
	} else if (state.sp.saved != Saved::value || (sp.form != Form::address && sp.form != Form::memory)) {
		return false;
	}
	state.cfa = sp;
	state.sp = SavedRegister{};
	return true;
}

bool is_plain_cfa(const SavedRegister& sp)
{
	return sp.saved == Saved::unspecified ||
	       (sp.saved == Saved::value && sp.how.form == Form::address && sp.how.base == cfa_base && !sp.how.offset);
}

bool lies_at(const SavedRegister& saved, std::uint8_t base, std::int64_t offset)
{
	return saved.saved == Saved::at && saved.how.form == Form::address && saved.how.base == base &&
	       saved.how.offset == offset;
}

// The kernel's signal frame. On amd64 SP points at the ucontext, whose mcontext
// begins at 40 with r8; rbp is at 120, rsp at 160, rip at 168. On i386 it depends on
// the kind of signal where struct sigcontext lies, and there ebp is at 24, esp at 28,
// eip at 56. The result is where that struct is above SP; amd64: 0.
std::optional<std::int32_t> signal_context(const FrameState& state, const FrameAbi& abi)
{
	const Symbolic& cfa = state.cfa;
	const bool amd64 = abi.arch == Arch::x86_64;
	const std::int64_t fp = amd64 ? 120 : 24, sp = amd64 ? 160 : 28, pc = amd64 ? 168 : 56;
	const std::int64_t context = cfa.offset - sp;
	if ((!amd64 && abi.arch != Arch::i386) || state.no_cfa != CfiReason::none || cfa.form != Form::memory ||
	    cfa.base != abi.sp || cfa.add || (amd64 && context) || !fits(context) ||
	    !lies_at(state.ra, abi.sp, context + pc) || !lies_at(state.fp, abi.sp, context + fp))
		return std::nullopt;
	return static_cast<std::int32_t>(context);
}

LoweredRule refused(CfiReason reason)
{
	LoweredRule result;
	result.reason = reason;
	return result;
}

void lower_offset(SavedRegister& saved, std::int64_t bytes)
{
	if ((saved.saved == Saved::value || saved.saved == Saved::at) && saved.how.base == cfa_base)
		saved.how.offset -= bytes;
}

} // namespace

std::int64_t missing_cfa_bytes(const FrameState& state, const FrameAbi& abi)
{
	const SavedRegister& ra = state.ra;
	const bool by_sp =
		state.no_cfa == CfiReason::none && state.cfa.form == Form::address && state.cfa.base == abi.sp;
	const bool by_cfa = ra.saved == Saved::at && ra.how.form == Form::address && ra.how.base == cfa_base;
	constexpr std::int64_t word = 8, most = 64;
	if (abi.arch != Arch::arm64 || !by_sp || !by_cfa || ra.how.offset < 0 || ra.how.offset > most)
		return 0;
	return ra.how.offset + word;
}

FrameState raise_cfa(FrameState state, const FrameAbi& abi, std::int64_t bytes)
{
	state.cfa.offset += bytes;
	lower_offset(state.ra, bytes);
	lower_offset(state.fp, bytes);
	lower_offset(state.base, bytes);
	// What lies below SP has been popped, and may be gone.
	if (state.cfa.base == abi.sp && state.ra.how.base == cfa_base && state.cfa.offset + state.ra.how.offset < 0)
		state.ra = SavedRegister{};
	return state;
}

LoweredRule lower_frame(const FrameState& state, const FrameAbi& abi, bool signal_frame)
{
	LoweredRule result;
	Rule& rule = result.rule;
	if (state.ra.saved == Saved::undefined) {
		rule.kind = UW_RULE_OUTERMOST;
		return result;
	}
	if (const auto context = signal_frame ? signal_context(state, abi) : std::nullopt) {
		rule.kind = UW_RULE_SIGFRAME;
		rule.cfa_off = *context;
		return result;
	}
	if (!is_plain_cfa(state.sp) && state.no_cfa == CfiReason::none) {
		FrameState rebased = state;
		if (!make_stack_pointer_cfa(rebased, abi))
			return refused(CfiReason::sp_rule);
		return lower_frame(rebased, abi, signal_frame);
	}
	if (const CfiReason reason = fill_cfa(rule, state, abi); reason != CfiReason::none)
		return refused(reason);
	const Place ra = return_address(state, abi);
	if (ra.reason != CfiReason::none)
		return refused(ra.reason);
	const Place fp = frame_pointer(state, abi);
	rule.ra_place = ra.place;
	rule.ra_reg = ra.reg;
	rule.ra_off = static_cast<std::int32_t>(ra.offset);
	rule.fp_place = fp.place;
	rule.fp_reg = fp.reg;
	rule.fp_off = static_cast<std::int32_t>(fp.offset);
	rule.base_slot = base_slot(state.base, abi);
	result.fp_lost = fp.reason != CfiReason::none;
	return result;
}

} // namespace uwind

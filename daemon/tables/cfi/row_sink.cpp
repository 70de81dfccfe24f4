// SPDX-License-Identifier: GPL-2.0
#include "tables/cfi/row_sink.h"

#include "tables/cfi/rule.h"

extern "C" {
#include "table.h"
}

#include <algorithm>

namespace uwind {
namespace {

// Interrupts overwrite what lies there. The i386 string functions of glibc 2.36 count
// one pop too many after each return.
bool ra_below_sp(const Rule& rule, const FrameAbi& abi)
{
	return !abi.has_link && rule.kind == UW_RULE_FRAME && rule.cfa_kind == UW_CFA_REG && rule.cfa_reg == abi.sp &&
	       rule.ra_place == UW_PLACE_CFA_MEM && std::int64_t{rule.cfa_off} + rule.ra_off < 0;
}

// SP stays where it was at the function's first instruction.
bool is_flat(const Rule& rule, const FrameAbi& abi)
{
	return rule.kind == UW_RULE_FRAME && rule.cfa_kind == UW_CFA_REG && rule.cfa_reg == abi.sp &&
	       rule.cfa_off == abi.word && rule.fp_place == UW_PLACE_SAME;
}

CfiFrame frame_of(const Rule& rule, const FrameAbi& abi)
{
	if (rule.kind != UW_RULE_FRAME)
		return CfiFrame::unsaid;
	const bool bare = rule.cfa_kind == UW_CFA_REG && rule.cfa_reg == abi.sp && !rule.cfa_off;
	return bare && rule.ra_place == UW_PLACE_SAME ? CfiFrame::bare : CfiFrame::made;
}

// Code that outlined.h is about: nothing but the pc, and maybe SP, is another one in the caller.
bool is_outlined(const FrameState& state, const FrameAbi& abi)
{
	constexpr std::int64_t far = std::int64_t{1} << 30;
	const auto unchanged = [](const SavedRegister& saved) {
		return saved.saved == Saved::unspecified || saved.saved == Saved::same;
	};
	const Symbolic &ra = state.ra.how, &cfa = state.cfa;
	return state.ra.saved == Saved::value && ra.form == Form::pc_bits && !ra.mask &&
	       state.no_cfa == CfiReason::none && cfa.form == Form::address && cfa.base < abi.nr_regs &&
	       cfa.offset <= far && cfa.offset >= -far && unchanged(state.fp) && unchanged(state.base) &&
	       unchanged(state.sp);
}

} // namespace

CfiFrame CfiTraits::frame_at(std::uint32_t offset) const
{
	const auto next = std::upper_bound(frames.begin(), frames.end(), offset,
					   [](std::uint32_t at, const auto& row) { return at < row.first; });
	return next == frames.begin() ? CfiFrame::unsaid : next[-1].second;
}

void CfiTraits::clear()
{
	missing_cfa_bytes = 0;
	contradicts_itself = mentions_fp = false;
	flat = true;
	frames.clear();
}

void RowSink::begin(const CfiFunction& function)
{
	function_ = function;
	traits_.clear();
	mark_ = {stated_.size(), left_out_.size(), outlined_.size()};
}

void RowSink::begin_again(const CfiFunction& function)
{
	forget_left_out();
	stated_.resize(mark_.stated);
	begin(function);
}

void RowSink::forget_left_out()
{
	left_out_.resize(mark_.left_out);
	outlined_.resize(mark_.outlined);
}

bool RowSink::full() const
{
	return builder_.full() || builder_.size() + stated_.size() + left_out_.size() + outlined_.size() > UW_MAX_ROWS;
}

bool RowSink::add(std::uint64_t address, const Rule& rule)
{
	const auto start = static_cast<std::uint32_t>(address - function_.bias);
	if (builder_.add(start, rule))
		return true;
	if (!builder_.full())
		count(CfiReason::too_many_rules);
	return false;
}

Stretch RowSink::stretch(std::uint64_t start, std::uint64_t end, const Rule& rule) const
{
	return {static_cast<std::uint32_t>(start - function_.bias), static_cast<std::uint32_t>(end - function_.bias),
		rule};
}

void RowSink::leave_out(std::uint64_t start, std::uint64_t end, CfiReason reason)
{
	Rule unknown;
	unknown.kind = UW_RULE_UNKNOWN;
	count(reason);
	add(start, Rule{});
	append_stretch(left_out_, stretch(start, end, unknown), mark_.left_out);
}

bool RowSink::add_outlined(std::uint64_t start, std::uint64_t end, const FrameState& state)
{
	if (!is_outlined(state, abi_))
		return false;
	add(start, Rule{});
	const Stretch at = stretch(start, end, Rule{});
	const OutlinedRow next{{at.start, at.end},
			       function_.bias,
			       state.ra.how.offset,
			       state.cfa.base,
			       static_cast<std::int32_t>(state.cfa.offset)};
	if (outlined_.size() > mark_.outlined && outlined_.back().continues(next))
		outlined_.back().range.end = next.range.end;
	else
		outlined_.push_back(next);
	return true;
}

void RowSink::note_traits(std::uint64_t start, const Known& known)
{
	traits_.mentions_fp |= known.mentions_fp;
	traits_.contradicts_itself |= known.contradicts_itself;
	traits_.flat &= known.flat;
	if (abi_.has_link && (traits_.frames.empty() || traits_.frames.back().second != known.frame))
		traits_.frames.emplace_back(static_cast<std::uint32_t>(start - function_.bias), known.frame);
}

void RowSink::add_known(std::uint64_t start, const Known& known)
{
	count(CfiReason::fp_lost, known.fp_lost);
	note_traits(start, known);
	builder_.add_numbered(static_cast<std::uint32_t>(start - function_.bias), known.rule);
}

// Of a state whose rule is the last row's.
void RowSink::note_known(FrameNumber number, Known known)
{
	if (function_.raise || function_.lose_fp)
		return;
	if (number >= known_.size())
		known_.resize(number + 1);
	known.plain = true;
	known.rule = builder_.last_rule();
	known_[number] = known;
}

void RowSink::add_new(std::uint64_t start, std::uint64_t end, const FrameState& state, FrameNumber number)
{
	if (full())
		return;
	const std::int64_t missing = uwind::missing_cfa_bytes(state, abi_);
	if (missing)
		traits_.missing_cfa_bytes = missing;
	LoweredRule lowered =
		function_.raise ? lower_frame(raise_cfa(state, abi_, function_.raise), abi_, function_.signal_frame)
				: lower_frame(state, abi_, function_.signal_frame);
	Rule& rule = lowered.rule;
	if (function_.lose_fp && frame_of(rule, abi_) == CfiFrame::made && !is_flat(rule, abi_))
		rule.fp_place = UW_PLACE_LOST;
	Known known;
	known.fp_lost = lowered.fp_lost;
	known.mentions_fp = state.fp.saved != Saved::unspecified;
	known.contradicts_itself = ra_below_sp(rule, abi_);
	known.flat = is_flat(rule, abi_);
	known.frame = frame_of(rule, abi_);
	count(CfiReason::fp_lost, known.fp_lost);
	note_traits(start, known);
	if (rule.kind != UW_RULE_FRAME && rule.kind != UW_RULE_NONE)
		append_stretch(stated_, stretch(start, end, rule), mark_.stated);
	if (lowered.reason != CfiReason::none) {
		if (!add_outlined(start, end, state))
			leave_out(start, end, lowered.reason);
	} else if (rule.kind == UW_RULE_FRAME && state.cfa.form == Form::stepped && state.cfa.add)
		add_stepped(start, end, state.cfa, rule);
	else if (add(start, rule) && rule.kind == UW_RULE_FRAME && !missing)
		note_known(number, known);
}

// The CFA depends on the pc's low bits: two rows for every block of mask + 1 bytes.
void RowSink::add_stepped(std::uint64_t start, std::uint64_t end, const Symbolic& cfa, const Rule& rule)
{
	Rule above = rule;
	if (__builtin_add_overflow(rule.cfa_off, cfa.add, &above.cfa_off))
		return leave_out(start, end, CfiReason::offset);
	for (std::uint64_t at = start; at < end && !builder_.full();) {
		const std::uint64_t low = at & cfa.mask;
		const bool step = low >= cfa.threshold;
		add(at, step ? above : rule);
		at += (step ? cfa.mask + 1u : cfa.threshold) - low;
	}
}

std::map<std::string, std::uint64_t> RowSink::reasons() const
{
	std::map<std::string, std::uint64_t> result;
	for (std::size_t i = 0; i < std::size(counts_); i++)
		if (counts_[i])
			result[cfi_reason_text[i]] = counts_[i];
	return result;
}

} // namespace uwind

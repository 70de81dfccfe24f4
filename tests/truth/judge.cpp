// SPDX-License-Identifier: GPL-2.0
#include "judge.h"

#include <algorithm>

namespace truth {

namespace {

// A stack that ends early is short if all that it shows is true.
Verdict compare(const Stack& stack, std::uint64_t pc, const std::vector<Call>& calls)
{
	const std::size_t expected = calls.size() + 1;
	for (std::size_t i = 0; i < stack.frames.size(); i++) {
		if (i >= expected)
			return Verdict::wrong;
		const Frame& frame = stack.frames[i];
		if (frame.pc != (i ? calls[calls.size() - i].ra : pc))
			return Verdict::wrong;
		if (i + 1 < expected && frame.cfa && frame.cfa != calls[calls.size() - 1 - i].cfa)
			return Verdict::wrong;
	}
	if (stack.complete())
		return stack.frames.size() == expected ? Verdict::right : Verdict::wrong;
	return Verdict::incomplete;
}

// The topmost frame's return address is in a register, and another one by now.
bool link_overwritten(std::uint64_t pc, const Call& call, const Stepping& at)
{
	const Target& target = at.target();
	const std::uint8_t lr = uw_abis[target.arch()].lr;
	uw_found found{};
	return pc == at.regs().pc && lr != UW_NO_REG && !target.find(pc, found) &&
	       found.rule.ra_place == UW_PLACE_SAME && target.return_address(at.regs().r[lr]) != call.ra;
}

// The frame's rule says where the call's return address, FP and base register are: are they gone from there?
bool saved_overwritten(const uw_rule& rule, const Call& call, Target& target)
{
	const auto differs = [&](std::int64_t offset, std::uint64_t value, bool is_ra) {
		std::uint64_t found = 0;
		return target.word(call.cfa + static_cast<std::uint64_t>(offset), found) &&
		       (is_ra ? target.return_address(found) : found) != value;
	};
	const bool has_base = rule.base_slot && rule.base_slot != UW_BASE_LOST;
	return (rule.ra_place == UW_PLACE_CFA_MEM && differs(rule.ra_off, call.ra, true)) ||
	       (rule.fp_place == UW_PLACE_CFA_MEM && differs(rule.fp_off, call.fp, false)) ||
	       (has_base && differs(-std::int64_t{uw_abis[target.arch()].word} * rule.base_slot, call.base, false));
}

bool overwritten(Stepping& at)
{
	Target& target = at.target();
	const auto& calls = at.shadow().calls();
	std::uint64_t pc = at.regs().pc;
	for (auto call = calls.rbegin(); call != calls.rend(); ++call) {
		uw_found found{};
		if (in_unwinder(target, pc) && link_overwritten(pc, *call, at))
			return true;
		if (in_unwinder(target, pc) && !target.find(pc - (pc != at.regs().pc), found) &&
		    saved_overwritten(found.rule, *call, target))
			return true;
		pc = call->ra;
	}
	return false;
}

constexpr std::uint64_t max_searched_bytes = 64 * 1024;

// The walk ends in this call: its return address is in no register and in no word of the stack up to the call's CFA.
// Nobody could have found it.
bool return_address_gone(const Call& call, Stepping& at)
{
	Target& target = at.target();
	const uw_abi& abi = uw_abis[target.arch()];
	const auto is_it = [&](std::uint64_t value) { return target.return_address(value) == call.ra; };
	if (std::any_of(std::begin(at.regs().r), std::end(at.regs().r), is_it))
		return false;
	const std::uint64_t sp = at.regs().r[abi.sp];
	if (call.cfa < sp || call.cfa - sp > max_searched_bytes)
		return false;
	std::uint64_t value = 0;
	for (std::uint64_t word = sp; word < call.cfa; word += abi.word)
		if (!target.word(word, value) || is_it(value))
			return false;
	return true;
}

// Behind the place to go to there are none but true frames.
bool jumping(const Stack& stack, const Stepping& at)
{
	const Target& target = at.target();
	const auto& calls = at.shadow().calls();
	const uw_abi& abi = uw_abis[target.arch()];
	uw_found found{};
	if (target.find(at.regs().pc, found) || found.rule.kind != UW_RULE_FRAME || !stack.complete())
		return false;
	const bool own_register = found.rule.cfa_reg != abi.sp && found.rule.cfa_reg != abi.fp;
	const std::size_t behind = stack.frames.size() - 2;
	if (stack.frames.size() < 2 || behind > calls.size())
		return false;
	if (!own_register && !(in_unwinder(target, at.regs().pc) && behind == calls.size()))
		return false;
	for (std::size_t i = 0; i < behind; i++)
		if (stack.frames[2 + i].pc != calls[behind - 1 - i].ra)
			return false;
	return true;
}

} // namespace

bool in_unwinder(const Target& target, std::uint64_t pc)
{
	return target.file_of(pc).find("/libgcc_s.so") != std::string::npos;
}

Verdict judge(const Stack& stack, Stepping& at)
{
	const Verdict verdict = compare(stack, at.regs().pc, at.shadow().calls());
	if (verdict == Verdict::right)
		return verdict;
	const auto& calls = at.shadow().calls();
	const bool ends_early = verdict == Verdict::incomplete && stack.frames.size() <= calls.size();
	if (overwritten(at) || (ends_early && return_address_gone(calls[calls.size() - stack.frames.size()], at)))
		return Verdict::overwritten;
	const bool is_jumping = at.shadow().leaving() || (verdict == Verdict::wrong && jumping(stack, at));
	return is_jumping ? Verdict::jumping : verdict;
}

void show(std::FILE* to, const char* what, const Stack& stack, const Stepping& at, std::uint64_t step)
{
	const Target& target = at.target();
	const auto& calls = at.shadow().calls();
	std::fprintf(to, "%s at %s, step %llu: stop %s\n", what, target.name_of(at.regs().pc).c_str(),
		     static_cast<unsigned long long>(step), stack.stop_text());
	for (const Frame& frame : stack.frames)
		std::fprintf(to, "    ours   %-40s cfa %llx\n", target.name_of(frame.pc).c_str(),
			     static_cast<unsigned long long>(frame.cfa));
	for (auto call = calls.rbegin(); call != calls.rend(); ++call)
		std::fprintf(to, "    shadow %-40s cfa %llx\n", target.name_of(call->ra).c_str(),
			     static_cast<unsigned long long>(call->cfa));
}

} // namespace truth

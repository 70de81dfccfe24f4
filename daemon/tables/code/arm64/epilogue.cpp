// SPDX-License-Identifier: GPL-2.0
#include "tables/code/arm64/epilogue.h"

#include "tables/code/arm64/registers.h"
#include "tables/isa/arm64/instruction.h"

#include <optional>

namespace uwind {
namespace {

using namespace arm64_registers;

constexpr std::uint32_t max_epilogue_bytes = 128;

// What is known before an instruction; places are bytes above SP.
struct Undone {
	std::int32_t cfa = 0;
	std::optional<std::int32_t> link, fp; // nothing: in the register
};

bool is_of_frame(std::uint8_t reg)
{
	return reg == fp || reg == link || reg == sp;
}

// What was known before SP rose.
void lower_sp(Undone& known, std::int32_t rise)
{
	known.cfa += rise;
	for (std::optional<std::int32_t>* place : {&known.link, &known.fp})
		if (*place)
			**place += rise;
}

// Loads from SP's memory, after which SP may rise, and those that do not matter. False: another access.
bool undo(Undone& known, const Arm64Access& access)
{
	if (!access.load || !access.known_offset || access.moved_before || access.moved_after < 0)
		return false;
	const bool matters = !access.vector && (is_of_frame(access.first) || is_of_frame(access.second));
	if (access.base != sp)
		return !matters && !access.moved_after;
	if (matters && !access.whole)
		return false;
	lower_sp(known, access.moved_after);
	if (access.vector)
		return true;
	for (const bool second : {false, true}) {
		const std::uint8_t reg = second ? access.second : access.first;
		const std::int32_t place = access.offset + (second ? access.bytes : 0);
		if (reg == link)
			known.link = place;
		if (reg == fp)
			known.fp = place;
	}
	return true;
}

// False: the instruction does something else than to restore registers, to give stack back, or to compute.
bool step_back(Undone& known, std::uint32_t word)
{
	const auto sum = sum_arm64(word);
	if (sum && sum->to == sp && sum->from == sp && sum->whole && !sum->sets_flags && sum->value > 0) {
		lower_sp(known, sum->value);
		return true;
	}
	if (const auto access = access_arm64(word))
		return undo(known, *access);
	const auto written = written_arm64(word);
	return is_hint_arm64(word) || (written && !is_of_frame(*written));
}

Rule rule_of(const Undone& known)
{
	Rule rule;
	rule.kind = UW_RULE_FRAME;
	rule.cfa_kind = UW_CFA_REG;
	rule.cfa_reg = sp;
	rule.cfa_off = known.cfa;
	rule.ra_place = known.link ? UW_PLACE_CFA_MEM : UW_PLACE_SAME;
	rule.ra_off = known.link ? *known.link - known.cfa : 0;
	rule.fp_place = known.fp ? UW_PLACE_CFA_MEM : UW_PLACE_SAME;
	rule.fp_off = known.fp ? *known.fp - known.cfa : 0;
	return rule;
}

// The return address was in the frame that is given back. A register that was only spilt lies in one that stays.
bool leaves_frame(const Undone& known)
{
	return known.link && *known.link < known.cfa;
}

// The stretches that end with a return or a jump, the last one first. Before a jump
// out of a function whose frame stays, no return address is restored.
void read_one(Bytes code, std::uint32_t end, std::uint32_t offset, bool jump, std::vector<Stretch>& stretches)
{
	const std::size_t before = stretches.size();
	Undone known;
	stretches.push_back({offset + end, offset + end + 4, rule_of(known)});
	for (std::uint32_t at = end; at && end - at < max_epilogue_bytes;) {
		at -= 4;
		if (!step_back(known, word_at(code, at)))
			break;
		stretches.push_back({offset + at, offset + at + 4, rule_of(known)});
	}
	if (jump && !leaves_frame(known))
		stretches.resize(before);
}

} // namespace

void read_epilogues_arm64(Bytes code, std::uint32_t offset, std::vector<Stretch>& stretches)
{
	for (std::uint32_t at = 0; at + 4 <= code.size(); at += 4) {
		const Arm64Way way = flow_arm64(word_at(code, at)).way;
		const bool jump = way == Arm64Way::jump || way == Arm64Way::computed_jump;
		if (jump || way == Arm64Way::leave)
			read_one(code, at, offset, jump, stretches);
	}
}

} // namespace uwind

// SPDX-License-Identifier: GPL-2.0
// Encodings: Arm Architecture Reference Manual, C4.1.
#include "tables/epilogue_arm64.h"

#include "tables/code_arm64.h"

extern "C" {
#include "types.h"
}

#include <cstring>
#include <optional>

namespace uwind {
namespace {

constexpr std::uint32_t max_epilogue_bytes = 128;
constexpr std::uint32_t fp = UW_ARM64_FP, link = UW_ARM64_LR, sp = UW_ARM64_SP;

// What is known before an instruction; places are bytes above SP.
struct Undone {
	std::int32_t cfa = 0;
	std::optional<std::int32_t> link, fp; // nothing: in the register
};

// A load from SP's memory: one register or two, then SP rises.
struct Load {
	std::uint32_t first, second; // equal: one
	std::int32_t at, rise;
	std::int32_t bytes; // of a register
};

std::int32_t signed_bits(std::uint32_t word, unsigned from, unsigned count)
{
	return static_cast<std::int32_t>(word << (32 - from - count)) >> (32 - count);
}

// ldp and ldr of 64-bit registers, general or (with bit 26) vector: by offset, or behind which SP rises.
std::optional<Load> load_of(std::uint32_t word)
{
	constexpr std::int32_t bytes = 8;
	constexpr std::uint32_t vector = 1u << 26, no_vector = 32;
	const std::uint32_t first = word & 31, second = word >> 10 & 31, general = word & ~vector;
	const bool is_vector = word & vector;
	const auto load = [&](std::uint32_t other, std::int32_t at, std::int32_t rise) {
		return is_vector ? Load{no_vector, no_vector, at, rise, bytes} : Load{first, other, at, rise, bytes};
	};
	if ((word >> 5 & 31) != sp)
		return {};
	const std::uint32_t pair = is_vector ? general ^ 0xc0000000 : general; // ldp of 64-bit vectors has another size
	if ((pair & 0xffc00000) == 0xa9400000)
		return load(second, signed_bits(word, 15, 7) * bytes, 0);
	if ((pair & 0xffc00000) == 0xa8c00000)
		return load(second, 0, signed_bits(word, 15, 7) * bytes);
	if ((general & 0xffc00000) == 0xf9400000)
		return load(first, static_cast<std::int32_t>(word >> 10 & 0xfff) * bytes, 0);
	if ((general & 0xffe00c00) == 0xf8400400)
		return load(first, 0, signed_bits(word, 12, 9));
	return {};
}

// add sp, sp, #n: n; 0: another instruction.
std::int32_t rise_of(std::uint32_t word)
{
	const std::int32_t number = static_cast<std::int32_t>(word >> 10 & 0xfff);
	if ((word & 0xff8003ff) != 0x910003ff)
		return 0;
	return word >> 22 & 1 ? number << 12 : number;
}

// It has no part in the frame: nop, and authentication of the return address.
bool is_hint(std::uint32_t word)
{
	return (word & 0xfffff01f) == 0xd503201f;
}

// What was known before SP rose.
void lower_sp(Undone& known, std::int32_t rise)
{
	known.cfa += rise;
	for (std::optional<std::int32_t>* place : {&known.link, &known.fp})
		if (*place)
			**place += rise;
}

// False: the instruction does something else.
bool step_back(Undone& known, std::uint32_t word)
{
	if (const std::int32_t rise = rise_of(word)) {
		lower_sp(known, rise);
		return true;
	}
	const std::optional<Load> load = load_of(word);
	if (!load)
		return is_hint(word);
	if (load->rise < 0)
		return false;
	lower_sp(known, load->rise);
	for (const std::uint32_t reg : {load->first, load->second}) {
		const std::int32_t place = load->at + (reg == load->first ? 0 : load->bytes);
		if (reg == link)
			known.link = place;
		if (reg == fp)
			known.fp = place;
	}
	return true;
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

} // namespace

void read_epilogues_arm64(Bytes code, std::uint32_t offset, std::vector<Stretch>& stretches)
{
	for (std::uint32_t at = 0; at + 4 <= code.size(); at += 4) {
		if (!returns_arm64(code.subspan(at)))
			continue;
		Undone known;
		stretches.push_back({offset + at, offset + at + 4, rule_of(known)});
		for (std::uint32_t before = at; before && at - before < max_epilogue_bytes;) {
			std::uint32_t word;
			before -= 4;
			std::memcpy(&word, code.data() + before, sizeof(word));
			if (!step_back(known, word))
				break;
			stretches.push_back({offset + before, offset + before + 4, rule_of(known)});
		}
	}
}

} // namespace uwind

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

// It has no part in the frame: a hint (nop, or authentication of the return address), or it
// computes or loads another register.
bool is_neutral(std::uint32_t word)
{
	const std::uint32_t to = word & 31;
	const bool computes = (word & 0x1c000000) == 0x10000000 || (word & 0x0e000000) == 0x0a000000;
	const bool loads = (word & 0xbfc00000) == 0xb9400000; // ldr by an unsigned offset
	return (word & 0xfffff01f) == 0xd503201f || ((computes || loads) && to != fp && to != link && to != sp);
}

// b or br: perhaps a call of another function in place of a return.
bool is_jump(std::uint32_t word)
{
	return (word & 0xfc000000) == 0x14000000 || (word & 0xfffffc1f) == 0xd61f0000;
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
		return is_neutral(word);
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

std::uint32_t word_at(Bytes code, std::uint32_t at)
{
	std::uint32_t word;
	std::memcpy(&word, code.data() + at, sizeof(word));
	return word;
}

// The return address was in the frame that is given back. A register that was only spilt lies in one that stays.
bool leaves_frame(const Undone& known)
{
	return known.link && *known.link < known.cfa;
}

// The stretches that end with a return or a jump, the last one first. Before a jump
// out of a function whose frame stays, no return address is restored.
void read_one(Bytes code, std::uint32_t end, std::uint32_t offset, std::vector<Stretch>& stretches)
{
	const std::size_t before = stretches.size();
	const bool jump = !returns_arm64(code.subspan(end));
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
	for (std::uint32_t at = 0; at + 4 <= code.size(); at += 4)
		if (returns_arm64(code.subspan(at)) || is_jump(word_at(code, at)))
			read_one(code, at, offset, stretches);
}

} // namespace uwind

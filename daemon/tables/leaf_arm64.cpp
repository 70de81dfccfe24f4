// SPDX-License-Identifier: GPL-2.0
// Reads instructions by their encoding (Arm Architecture Reference Manual, C4.1).
#include "tables/leaf_arm64.h"

#include "tables/segments.h"

extern "C" {
#include "types.h"
}

#include <cstring>

namespace uwind {
namespace {

constexpr std::uint64_t max_image_bytes = 64 << 10;
constexpr std::uint32_t sp = 31, lr = 30;

std::uint32_t first(std::uint32_t word)
{
	return word & 31;
}
std::uint32_t base(std::uint32_t word)
{
	return word >> 5 & 31;
}
std::uint32_t second(std::uint32_t word)
{
	return word >> 10 & 31;
}

bool is_call(std::uint32_t word)
{
	return (word & 0xfc000000) == 0x94000000 || (word & 0xfffffc1f) == 0xd63f0000; // bl, blr
}

bool moves_sp(std::uint32_t word)
{
	if ((word & 0x3f000000) == 0x11000000) // add, sub (immediate), no flags
		return first(word) == sp;
	if ((word & 0x3a800000) == 0x28800000) // ldp, stp with write-back
		return base(word) == sp;
	if ((word & 0x3b200400) == 0x38000400) // ldr, str with write-back
		return base(word) == sp;
	return false;
}

bool changes_lr(std::uint32_t word)
{
	if ((word & 0x3a400000) == 0x28400000) // ldp
		return first(word) == lr || second(word) == lr;
	if ((word & 0xbfc00000) == 0xb9400000) // ldr
		return first(word) == lr;
	return (word & 0xffe0ffff) == (0xaa0003e0 | lr); // mov
}

bool is_leaf(Bytes code)
{
	for (std::uint64_t at = 0; at + 4 <= code.size(); at += 4) {
		std::uint32_t word;
		std::memcpy(&word, code.data() + at, sizeof(word));
		if (is_call(word) || moves_sp(word) || changes_lr(word))
			return false;
	}
	return !code.empty();
}

Rule leaf_rule()
{
	Rule rule;
	rule.kind = UW_RULE_FRAME;
	rule.cfa_kind = UW_CFA_REG;
	rule.cfa_reg = UW_ARM64_SP;
	rule.ra_place = UW_PLACE_SAME;
	rule.fp_place = UW_PLACE_SAME;
	return rule;
}

} // namespace

std::vector<Stretch> leaf_stretches(const ElfFile& file)
{
	std::vector<Stretch> stretches;
	for (const Segment& segment : file.segments()) {
		if (file.arch() != Arch::arm64 || segment.bytes > max_image_bytes)
			continue;
		for (std::uint64_t at = segment.address; at < segment.address + segment.bytes; at += 4) {
			const std::uint64_t bytes = file.symbol_bytes(at);
			const auto range = offsets_of(file.segments(), at, bytes);
			if (bytes && range && is_leaf(file.read(at, bytes)))
				stretches.push_back({range->start, range->end, leaf_rule()});
		}
	}
	return stretches;
}

} // namespace uwind

// SPDX-License-Identifier: GPL-2.0
// ARM code, since the PLT's header is. The link register points into the GOT; the return
// address, which the header has pushed, is popped at the end into its place.
#include "tables/known/resolver_arm.h"

#include "elf/segments.h"
#include "tables/code/arm/frame.h"

#include <array>

namespace uwind {
namespace {

struct Pattern {
	std::uint32_t word, mask;
};

constexpr std::uint32_t whole = 0xffffffff, target = 0xfe000000;

constexpr std::array<Pattern, 9> resolver{{
	{0xe92d001f, whole},  // push {r0-r4}
	{0xe51e0004, whole},  // ldr r0, [lr, #-4]
	{0xe04c100e, whole},  // sub r1, ip, lr
	{0xe2411004, whole},  // sub r1, r1, #4
	{0xe0811001, whole},  // add r1, r1, r1
	{0xfa000000, target}, // blx _dl_fixup
	{0xe1a0c000, whole},  // mov ip, r0
	{0xe8bd401f, whole},  // pop {r0-r4, lr}
	{0xe12fff1c, whole},  // bx ip
}};

constexpr std::uint32_t arm_word = 4, after_push = 4, after_pop = 32;

bool is_resolver(Bytes code, std::uint64_t at)
{
	for (const Pattern& pattern : resolver) {
		if ((word_at(code, at) & pattern.mask) != pattern.word)
			return false;
		at += arm_word;
	}
	return true;
}

} // namespace

std::vector<Stretch> resolver_stretches_arm(const ElfFile& file)
{
	constexpr std::uint64_t bytes = resolver.size() * arm_word;
	std::vector<Stretch> stretches;
	for (const Segment& segment : file.segments()) {
		const Bytes code = file.read(segment.address, segment.bytes);
		for (std::uint64_t at = 0; at + bytes <= code.size(); at += arm_word) {
			if (word_at(code, at) != resolver[0].word || !is_resolver(code, at))
				continue;
			const auto range = offsets_of(file.segments(), segment.address + at, bytes);
			if (!range)
				continue;
			const std::uint32_t start = range->start;
			stretches.push_back({start, start + after_push, arm_rule_of_pushed(1)});
			stretches.push_back({start + after_push, start + after_pop, arm_rule_of_pushed(6)});
			stretches.push_back({start + after_pop, range->end, arm_rule_of_pushed(0)});
		}
	}
	return stretches;
}

} // namespace uwind

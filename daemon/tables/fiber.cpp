// SPDX-License-Identifier: GPL-2.0
#include "tables/fiber.h"

#include "tables/segments.h"

extern "C" {
#include "types.h"
}

#include <algorithm>
#include <array>
#include <cstring>

namespace uwind {
namespace {

constexpr std::uint64_t max_function_bytes = 128;

// In a function, from its start: the code at the end of a fiber.
struct Ending {
	std::uint64_t start = 0, end = 0; // equal: there is none
};

// push %rbp; jmp *%rbx enters the fiber's function; behind it, where that returns to:
// xor %rdi,%rdi; call _exit; hlt.
Ending x86_64_ending(Bytes code)
{
	constexpr std::array<int, 12> pattern = {0x55, 0xff, 0xe3, 0x48, 0x31, 0xff, 0xe8, -1, -1, -1, -1, 0xf4};
	constexpr std::uint64_t entering = 3;
	const auto same = [](std::uint8_t byte, int wanted) { return wanted < 0 || byte == wanted; };
	const auto found = std::search(code.begin(), code.end(), pattern.begin(), pattern.end(), same);
	if (found == code.end())
		return {};
	const auto start = static_cast<std::uint64_t>(found - code.begin());
	return {start + entering, start + pattern.size()};
}

std::uint32_t word_at(Bytes code, std::uint64_t at)
{
	std::uint32_t word;
	std::memcpy(&word, code.data() + at, sizeof(word));
	return word;
}

// adr x1, n bytes away; else 0.
std::uint64_t adr_x1(std::uint32_t word)
{
	const bool adr = (word & 0x9f00001f) == 0x10000001;
	return adr ? (word >> 3 & 0x1ffffc) | (word >> 29 & 3) : 0;
}

// adr x1, finish; …; ret; finish: mov x0, #0; bl _exit.
Ending arm64_ending(Bytes code)
{
	constexpr std::uint32_t ret = 0xd65f03c0, mov = 0xd2800000, bl = 0x94000000, bl_mask = 0xfc000000;
	std::uint64_t finish = 0;
	for (std::uint64_t at = 0; at + 12 <= code.size(); at += 4) {
		const std::uint32_t word = word_at(code, at);
		if (const std::uint64_t away = adr_x1(word))
			finish = at + away;
		if (word == ret)
			return finish == at + 4 && word_at(code, at + 4) == mov && (word_at(code, at + 8) & bl_mask) == bl
				       ? Ending{at + 4, at + 12}
				       : Ending{};
	}
	return {};
}

} // namespace

std::vector<Stretch> fiber_end_stretches(const ElfFile& file)
{
	std::vector<Stretch> stretches;
	if (file.arch() != Arch::x86_64 && file.arch() != Arch::arm64)
		return stretches;
	Rule outermost;
	outermost.kind = UW_RULE_OUTERMOST;
	for (const std::uint64_t start : file.functions_named("make_fcontext")) {
		const Bytes code = file.read(start, max_function_bytes);
		const Ending ending = file.arch() == Arch::arm64 ? arm64_ending(code) : x86_64_ending(code);
		const auto range = offsets_of(file.segments(), start + ending.start, ending.end - ending.start);
		if (ending.end && range)
			stretches.push_back({range->start - 1, range->end, outermost});
	}
	return stretches;
}

} // namespace uwind

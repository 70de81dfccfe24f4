// SPDX-License-Identifier: GPL-2.0
#include "tables/known/fiber.h"

#include "elf/segments.h"
#include "tables/code/functions.h"
#include "tables/isa/arm64/instruction.h"

extern "C" {
#include "types.h"
}

#include <algorithm>
#include <array>
#include <cstring>

namespace uwind {
namespace {

constexpr std::uint64_t max_fcontext_bytes = 128, max_makecontext_bytes = 1024;

// The code at the end of a fiber, from the start of the function that makes fibers.
struct FiberEnding {
	std::uint64_t start = 0, end = 0; // equal: there is none
};

// push %rbp; jmp *%rbx enters the fiber's function; after it, where that returns to:
// xor %rdi,%rdi; call _exit; hlt.
FiberEnding x86_64_ending(Bytes code)
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

// adr x1, finish; …; ret; finish: mov x0, #0; bl _exit.
FiberEnding arm64_ending(Bytes code)
{
	constexpr std::uint32_t mov_x0_0 = 0xd2800000;
	std::uint64_t finish = 0;
	for (std::uint64_t at = 0; at + 12 <= code.size(); at += 4) {
		const std::uint32_t word = word_at(code, at);
		const auto near = near_arm64(word);
		if (near && near->to == 1 && !near->of_page)
			finish = at + static_cast<std::uint64_t>(near->distance);
		if (flow_arm64(word).way != Arm64Way::leave)
			continue;
		const bool ends = finish == at + 4 && word_at(code, at + 4) == mov_x0_0 &&
				  flow_arm64(word_at(code, at + 8)).way == Arm64Way::call;
		return ends ? FiberEnding{at + 4, at + 12} : FiberEnding{};
	}
	return {};
}

// Does code that makecontext() returns to begin here? Its CFI is that of a function that was called.
bool starts_context(const ElfFile& file, std::uint64_t address)
{
	constexpr std::array<std::uint8_t, 3> mov_rbx_rsp = {0x48, 0x89, 0xdc};
	constexpr std::uint32_t mov_x19_x0 = 0xaa1303e0;
	const Bytes code = file.read(address, 8);
	if (code.size() < 8)
		return false;
	if (file.arch() == Arch::x86_64)
		return std::equal(mov_rbx_rsp.begin(), mov_rbx_rsp.end(), code.begin());
	return word_at(code, word_at(code, 0) == arm64_nop ? 4 : 0) == mov_x19_x0;
}

// lea n(%rip), %reg at an address: what it names; else 0.
std::uint64_t lea_target(Bytes code, std::uint64_t address)
{
	constexpr std::uint64_t bytes = 7;
	if (code.size() < bytes || (code[0] & 0xfb) != 0x48 || code[1] != 0x8d || (code[2] & 0xc7) != 0x05)
		return 0;
	return address + bytes + static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(word_at(code, 3))});
}

// adrp xN, page; ldr xN, [xN, #n]: what lies there (a slot of the GOT); else 0.
std::uint64_t got_target(const ElfFile& file, Bytes code, std::uint64_t address)
{
	constexpr std::uint64_t page_mask = 0xfff;
	if (code.size() < 8)
		return 0;
	const auto adrp = near_arm64(word_at(code, 0));
	const auto ldr = access_arm64(word_at(code, 4));
	if (!adrp || !adrp->of_page || !ldr || !ldr->load || !ldr->whole || ldr->vector || !ldr->known_offset)
		return 0;
	if (ldr->base != adrp->to || ldr->first != adrp->to || ldr->second != adrp->to)
		return 0;
	const std::uint64_t page = (address & ~page_mask) + static_cast<std::uint64_t>(adrp->distance);
	const Bytes slot = file.read(page + static_cast<std::uint64_t>(ldr->offset), 8);
	std::uint64_t target = 0;
	if (slot.size() == sizeof(target))
		std::memcpy(&target, slot.data(), sizeof(target));
	return target;
}

// What makecontext() at start takes for a return address; 0: it is not seen.
std::uint64_t start_context(const ElfFile& file, std::uint64_t start)
{
	const bool arm64 = file.arch() == Arch::arm64;
	const Bytes code = file.read(start, max_makecontext_bytes);
	for (std::uint64_t at = 0; at < code.size(); at += arm64 ? 4 : 1) {
		const std::uint64_t target = arm64 ? got_target(file, code.subspan(at), start + at)
						   : lea_target(code.subspan(at), start + at);
		if (target && starts_context(file, target))
			return target;
	}
	return 0;
}

// In a file, from the byte before the code on.
void add(const ElfFile& file, std::uint64_t address, std::uint64_t bytes, std::vector<Stretch>& stretches)
{
	Rule outermost;
	outermost.kind = UW_RULE_OUTERMOST;
	if (const auto range = offsets_of(file.segments(), address - 1, bytes + 1))
		stretches.push_back({range->start, range->end, outermost});
}

} // namespace

std::vector<Stretch> fiber_end_stretches(const ElfFile& file)
{
	std::vector<Stretch> stretches;
	if (file.arch() != Arch::x86_64 && file.arch() != Arch::arm64)
		return stretches;
	for (const std::uint64_t start : functions_named(file, "make_fcontext")) {
		const Bytes code = file.read(start, max_fcontext_bytes);
		const FiberEnding ending = file.arch() == Arch::arm64 ? arm64_ending(code) : x86_64_ending(code);
		if (ending.end)
			add(file, start + ending.start, ending.end - ending.start, stretches);
	}
	for (const std::uint64_t start : functions_named(file, "makecontext"))
		if (const std::uint64_t ending = start_context(file, start))
			add(file, ending, 0, stretches);
	return stretches;
}

} // namespace uwind

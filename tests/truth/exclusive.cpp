// SPDX-License-Identifier: GPL-2.0
// Arm ARM, F5.1: LDREX and its like; T32 and A32 encodings.
#include "exclusive.h"

namespace truth {

namespace {

constexpr int max_instructions = 16; // between an exclusive load and its store

std::uint32_t word_at(std::uint64_t address, Target& target)
{
	std::uint64_t value = 0;
	target.word(address, value);
	return static_cast<std::uint32_t>(value);
}

struct Found {
	unsigned bytes = 4;
	bool load = false, store = false;
	std::uint64_t branch_to = 0; // 0: it does not branch
};

std::uint64_t sign_extend(std::uint32_t value, unsigned bits)
{
	const std::uint32_t sign = 1u << (bits - 1);
	return static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>((value ^ sign) - sign)});
}

// A32: LDREX…, STREX… are cond 0001 1xxL … 1111 1001 (1110 and 1100: acquire, release); B is cond 1010.
Found arm_at(std::uint64_t pc, Target& target)
{
	const std::uint32_t word = word_at(pc, target);
	Found found;
	const bool exclusive = (word & 0x0f8000f0) == 0x01800090 && (word >> 8 & 0xe) == 0xe;
	found.load = exclusive && word >> 20 & 1;
	found.store = exclusive && !(word >> 20 & 1);
	if ((word & 0x0f000000) == 0x0a000000)
		found.branch_to = pc + 8 + (sign_extend(word & 0xffffff, 24) << 2);
	return found;
}

// T32: LDREX, STREX 1110 1000 010L; the sizes and acquire, release 1110 1000 110L …, 01xx or 1xxx.
Found wide_thumb(std::uint64_t pc, std::uint32_t first, std::uint32_t second)
{
	Found found;
	const bool sized = (first & 0xffe0) == 0xe8c0 && (second >> 4 & 0xf) >= 4;
	const bool exclusive = (first & 0xffe0) == 0xe840 || sized;
	found.load = exclusive && first >> 4 & 1;
	found.store = exclusive && !(first >> 4 & 1);
	if ((first & 0xf800) == 0xf000 && (second & 0xd000) == 0x8000 && (first >> 6 & 0xe) != 0xe) {
		const std::uint32_t offset = (first >> 10 & 1) << 20 | (second >> 11 & 1) << 19 |
					     (second >> 13 & 1) << 18 | (first & 0x3f) << 12 | (second & 0x7ff) << 1;
		found.branch_to = (pc + 4 + sign_extend(offset, 21)) | 1;
	}
	return found;
}

Found thumb_at(std::uint64_t pc, Target& target)
{
	const std::uint32_t word = word_at(pc, target), first = word & 0xffff;
	if (first >> 11 >= 0x1d)
		return wide_thumb(pc, first, word >> 16);
	Found found;
	found.bytes = 2;
	if ((first & 0xf000) == 0xd000 && (first >> 9 & 7) != 7)
		found.branch_to = (pc + 4 + sign_extend((first & 0xff) << 1, 9)) | 1;
	else if ((first & 0xf500) == 0xb100) // cbz, cbnz
		found.branch_to = (pc + 4 + ((first >> 9 & 1) << 6 | (first >> 3 & 0x1f) << 1)) | 1;
	return found;
}

// arm64: LDXR, LDAXR and their pairs, xx001000 0L…; conditional branches and CBZ, TBZ.
Found arm64_at(std::uint64_t pc, Target& target)
{
	const std::uint32_t word = word_at(pc & ~7ull, target);
	std::uint64_t pair = 0;
	target.word(pc & ~7ull, pair);
	const auto code = pc & 4 ? static_cast<std::uint32_t>(pair >> 32) : word;
	Found found;
	found.load = (code & 0x3fc00000) == 0x08400000;
	found.store = (code & 0x3fc00000) == 0x08000000;
	if ((code & 0xff000010) == 0x54000000 || (code & 0x7e000000) == 0x34000000)
		found.branch_to = pc + (sign_extend(code >> 5 & 0x7ffff, 19) << 2);
	else if ((code & 0x7e000000) == 0x36000000)
		found.branch_to = pc + (sign_extend(code >> 5 & 0x3fff, 14) << 2);
	return found;
}

Found instruction_at(std::uint64_t pc, bool thumb, Target& target)
{
	if (target.arch() == UW_ARCH_ARM64)
		return arm64_at(pc, target);
	return thumb ? thumb_at(pc, target) : arm_at(pc, target);
}

} // namespace

std::vector<std::uint64_t> exclusive_ends(const uw_regs& regs, Target& target)
{
	std::vector<std::uint64_t> ends;
	if (uw_abis[target.arch()].lr == UW_NO_REG || !instruction_at(regs.pc, regs.thumb, target).load)
		return ends;
	std::uint64_t at = regs.pc;
	for (int i = 0; i < max_instructions; i++) {
		const Found found = instruction_at(at, regs.thumb, target);
		if (found.branch_to)
			ends.push_back(found.branch_to);
		at += found.bytes;
		if (!found.store)
			continue;
		ends.push_back(at | (regs.thumb ? 1u : 0u));
		return ends;
	}
	return {};
}

} // namespace truth

// SPDX-License-Identifier: GPL-2.0
// Encodings: Arm Architecture Reference Manual, C4.1.
#include "tables/isa/arm64/instruction.h"

#include "tables/isa/arm/instruction_parts.h"

namespace uwind {
namespace {

using arm_parts::bit;
using arm_parts::bits;
using arm_parts::signed_bits;

constexpr std::uint8_t sp = UW_ARM64_SP;
constexpr std::int32_t word_bytes = 4;

std::uint8_t reg(std::uint32_t word, unsigned from)
{
	return static_cast<std::uint8_t>(bits(word, from, 5));
}

Arm64Flow to_target(Arm64Way way, std::uint32_t word, unsigned from, unsigned count)
{
	return {way, 0, true, std::int64_t{signed_bits(word, from, count)} * word_bytes};
}

// br, blr, ret, and these with authentication.
Arm64Flow through_register(std::uint32_t word)
{
	if (word == 0xd65f03c0 || word == 0xd65f0bff || word == 0xd65f0fff) // ret, retaa, retab
		return {Arm64Way::leave};
	if ((word & 0xfffffc1f) == 0xd61f0000) // br
		return {Arm64Way::computed_jump, reg(word, 5)};
	if ((word & 0xfefffc00) == 0xd63f0000 || (word & 0xfefff800) == 0xd63f0800)
		return {Arm64Way::call};
	const bool jump = (word & 0xfe9f0000) == 0xd61f0000 && bits(word, 21, 2) != 1;
	return {jump ? Arm64Way::stop : Arm64Way::next};
}

std::optional<Arm64Access> pair(std::uint32_t word)
{
	enum : unsigned { after = 1, before = 3 };
	Arm64Access access;
	const std::uint32_t size = bits(word, 30, 2), index = bits(word, 23, 2);
	access.load = bit(word, 22);
	access.vector = bit(word, 26);
	access.whole = size == (access.vector ? 1 : 2);
	access.known_offset = true;
	access.first = reg(word, 0);
	access.second = reg(word, 10);
	access.base = reg(word, 5);
	if (access.vector)
		access.bytes = 4 << size;
	else
		access.bytes = size == 2 ? 8 : size == 1 && !access.load ? 16 : 4; // stgp has 16
	const std::int32_t offset = signed_bits(word, 15, 7) * access.bytes;
	(index == after ? access.moved_after : index == before ? access.moved_before : access.offset) = offset;
	return access;
}

std::optional<Arm64Access> single(std::uint32_t word)
{
	enum : unsigned { after = 1, before = 3 };
	Arm64Access access;
	const std::uint32_t size = bits(word, 30, 2), operation = bits(word, 22, 2), index = bits(word, 10, 2);
	const bool scaled = bit(word, 24);
	access.vector = bit(word, 26);
	const bool wide = access.vector && operation > 1; // 128 bits
	access.load = access.vector ? operation & 1 : operation != 0;
	access.whole = size == 3 && operation < 2;
	access.known_offset = scaled || !bit(word, 21);
	access.first = access.second = reg(word, 0);
	access.base = reg(word, 5);
	if (scaled)
		access.offset = static_cast<std::int32_t>(bits(word, 10, 12)) << (wide ? 4 : size);
	else if (access.known_offset)
		(index == after    ? access.moved_after
		 : index == before ? access.moved_before
				   : access.offset) = signed_bits(word, 12, 9);
	return access;
}

} // namespace

Arm64Flow flow_arm64(std::uint32_t word)
{
	if ((word & 0x7c000000) == 0x14000000) // b, bl
		return to_target(bit(word, 31) ? Arm64Way::call : Arm64Way::jump, word, 0, 26);
	if ((word & 0xff000000) == 0x54000000 || (word & 0x7e000000) == 0x34000000) // b.cond, cbz, cbnz
		return to_target(Arm64Way::branch, word, 5, 19);
	if ((word & 0x7e000000) == 0x36000000) // tbz, tbnz
		return to_target(Arm64Way::branch, word, 5, 14);
	if ((word & 0xfe000000) == 0xd6000000)
		return through_register(word);
	const bool trap = (word & 0xffe0001f) == 0xd4200000 || (word & 0xffff0000) == 0; // brk, udf
	return {trap ? Arm64Way::stop : Arm64Way::next};
}

// C4.1: the groups of encodings that are not allocated; udf is one of the first group.
bool is_instruction_arm64(std::uint32_t word)
{
	const std::uint32_t group = bits(word, 25, 4);
	const bool reserved = group == 0 && !bit(word, 31);
	return word && group != 1 && group != 3 && (!reserved || !(word >> 16));
}

std::optional<Arm64Access> access_arm64(std::uint32_t word)
{
	if ((word & 0x3a000000) == 0x28000000)
		return pair(word);
	if ((word & 0x3a000000) == 0x38000000)
		return single(word);
	return {};
}

std::optional<Arm64Sum> sum_arm64(std::uint32_t word)
{
	if ((word & 0x1f800000) != 0x11000000)
		return {};
	const std::int32_t value = static_cast<std::int32_t>(bits(word, 10, 12)) << (bit(word, 22) ? 12 : 0);
	return Arm64Sum{reg(word, 0), reg(word, 5), bit(word, 30) ? -value : value, bit(word, 29), bit(word, 31)};
}

std::optional<Arm64Part> part_arm64(std::uint32_t word)
{
	constexpr std::uint64_t part = 0xffff;
	const bool movk = (word & 0x7f800000) == 0x72800000;
	if (!movk && (word & 0x7f800000) != 0x52800000)
		return {};
	const unsigned shift = bits(word, 21, 2) * 16;
	return Arm64Part{reg(word, 0), std::uint64_t{bits(word, 5, 16)} << shift, movk ? ~(part << shift) : 0};
}

std::optional<Arm64Shift> shift_arm64(std::uint32_t word)
{
	if ((word & 0xbfe0ffff) != 0x8b2063ff)
		return {};
	return Arm64Shift{reg(word, 16), bit(word, 30)};
}

bool lowers_sp_arm64(std::uint32_t word)
{
	if (const auto access = access_arm64(word))
		return access->base == sp && !access->load && access->moved_before < 0;
	const auto sum = sum_arm64(word);
	return sum && sum->to == sp && sum->from == sp && sum->whole && !sum->sets_flags && sum->value < 0;
}

std::optional<Arm64Near> near_arm64(std::uint32_t word)
{
	constexpr std::int64_t page_bytes = 4096;
	if ((word & 0x1f000000) != 0x10000000)
		return {};
	const bool of_page = bit(word, 31);
	const std::int64_t number = std::int64_t{signed_bits(word, 5, 19)} * 4 + bits(word, 29, 2);
	return Arm64Near{reg(word, 0), of_page, of_page ? number * page_bytes : number};
}

std::optional<std::uint8_t> written_arm64(std::uint32_t word)
{
	const bool load_literal = (word & 0x3f000000) == 0x18000000, system = (word & 0xfff00000) == 0xd5300000; // mrs
	const bool immediate = (word & 0x1c000000) == 0x10000000, registers = (word & 0x0e000000) == 0x0a000000;
	const bool logical = (word & 0x1f800000) == 0x12000000 && bits(word, 29, 2) != 3;
	const bool extended = (word & 0x3fe00000) == 0x0b200000;
	const std::uint8_t to = reg(word, 0);
	if (to == sp ? logical || extended : immediate || registers || load_literal || system)
		return to;
	return {};
}

bool is_hint_arm64(std::uint32_t word)
{
	return (word & 0xfffff01f) == arm64_nop;
}

bool signs_arm64(std::uint32_t word)
{
	return word == 0xd503233f || word == 0xd503237f; // paciasp, pacibsp
}

} // namespace uwind

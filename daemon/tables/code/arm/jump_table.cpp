// SPDX-License-Identifier: GPL-2.0
//   T32  cmp, bhi, tbb [pc, rI]
//        cmp, bhi, adr rT, ldr rE, [rT, rI, lsl #2], add rE, rT, bx rE
//   A32  cmp, addls pc, pc, rI, lsl #2, b…  or  ldrls pc, [pc, rI, lsl #2]
//        cmp, bhi, adr rT, ldr rE, [rT, rI, lsl #2], add pc, rT, rE  or  ldr pc, […]
//        rsb rI, rI, #52, add pc, pc, rI: into a run of instructions, as memcpy does
#include "tables/code/arm/jump_table.h"

#include <algorithm>

#include "tables/code/arm/registers.h"

namespace uwind {
namespace {

using arm_registers::pc;

using Kind = ArmJumpTable::Kind;
using Instructions = std::vector<ArmInstruction>;

bool writes(const ArmInstruction& instruction, std::uint8_t number)
{
	const bool adds = instruction.action == ArmAction::add && instruction.to == number;
	const bool loads = instruction.action == ArmAction::load && instruction.registers >> number & 1;
	return adds || loads || instruction.writes >> number & 1;
}

// What the index was compared with.
std::size_t bound(const Instructions& before, std::size_t from, const ArmInstruction& compare)
{
	if (compare.compared_with == 0xff)
		return compare.value;
	for (++from; from < before.size(); from++)
		if (writes(before[from], compare.compared_with))
			return before[from].constant ? before[from].value : max_jump_table_entries;
	return max_jump_table_entries;
}

// The number of entries, which the index was compared with.
std::size_t entries(const Instructions& before, std::size_t from, std::uint8_t index)
{
	for (; from < before.size(); from++) {
		const ArmInstruction& instruction = before[from];
		if (instruction.compared == index)
			return std::min(bound(before, from, instruction) + 1, max_jump_table_entries);
		const bool copy = instruction.action == ArmAction::add && !instruction.offset;
		if (writes(instruction, index) && !copy)
			break;
		if (writes(instruction, index))
			index = instruction.base;
	}
	return max_jump_table_entries;
}

// The address that adr has put into a register.
std::optional<std::uint32_t> address_in(const Instructions& before, std::size_t from, std::uint8_t number)
{
	const auto found = std::find_if(before.begin() + static_cast<std::ptrdiff_t>(from), before.end(),
					[&](const ArmInstruction& at) { return writes(at, number); });
	if (found == before.end() || !found->literal || found->literal_bytes)
		return std::nullopt;
	return found->literal;
}

std::optional<ArmJumpTable> table_of_words(const ArmInstruction& load, const Instructions& before, std::size_t from,
					   std::uint32_t pc_value, Kind kind, bool thumb)
{
	const auto start = load.base == pc ? std::optional(pc_value) : address_in(before, from, load.base);
	if (!start)
		return std::nullopt;
	return ArmJumpTable{kind, thumb, 4, *start, entries(before, from, load.index)};
}

// to = rT + rE, where rE was loaded from the table at rT.
std::optional<ArmJumpTable> table_of_distances(const ArmInstruction& sum, const Instructions& before, std::size_t from,
					       bool thumb)
{
	for (; from < before.size(); from++) {
		const ArmInstruction& at = before[from];
		const bool of_sum =
			at.to == sum.index ? at.base == sum.base : at.to == sum.base && at.base == sum.index;
		if (at.indexed == ArmIndexed::load && of_sum)
			return table_of_words(at, before, from + 1, 0, Kind::distances, thumb);
		if (writes(at, sum.index) || writes(at, sum.base))
			break;
	}
	return std::nullopt;
}

// No table: the distance was computed, and what is jumped into runs on to its end. The first that is
// reached is the next instruction, or the one after it, which PC names.
std::optional<ArmJumpTable> run_after(const ArmInstruction& jump, const Instructions& before, std::uint32_t address)
{
	const auto writer = std::find_if(before.begin(), before.end(),
					 [&](const ArmInstruction& at) { return writes(at, jump.index); });
	if (writer == before.end() || writer->action == ArmAction::load)
		return std::nullopt;
	return ArmJumpTable{Kind::code, false, 4, address + 4, 2};
}

} // namespace

std::uint32_t ArmJumpTable::target(Bytes entry, std::size_t number) const
{
	ByteCursor cursor(entry);
	switch (kind) {
	case Kind::halved:
		return start + 2u * (entry_bytes == 1 ? cursor.u8() : cursor.u16());
	case Kind::distances:
		return start + cursor.u32();
	case Kind::addresses:
		return cursor.u32();
	case Kind::code:
		return start + static_cast<std::uint32_t>(4 * number);
	}
	return 0;
}

ArmJumpTargets targets_of(const ArmJumpTable& table, const ArmText& text,
			  const std::function<bool(std::size_t)>& begins)
{
	const std::uint32_t first = text.address_of(0), start = table.start - first;
	std::uint64_t end = text.code().size(), entry = start;
	ArmJumpTargets result;
	for (std::size_t i = 0; i < table.entries && entry + table.entry_bytes <= end; i++) {
		const std::uint32_t target = table.target(text.code().subspan(entry), i) - first;
		entry += table.entry_bytes;
		if (target >= start && target < entry && !table.is_code())
			break;
		if (target > start)
			end = std::min<std::uint64_t>(end, table.is_code() ? end : target & ~1u);
		const std::size_t place = text.place_of(first + target);
		if (place < text.places() && begins(place))
			result.function = place;
		if (place >= text.places() || result.function)
			break;
		result.places.push_back(place);
	}
	if (!table.is_code() && start < text.code().size())
		result.table_bytes = static_cast<std::size_t>((entry - start + 1) & ~std::uint64_t{1});
	return result;
}

std::optional<ArmJumpTable> find_jump_table(const ArmInstruction& jump, const Instructions& before,
					    std::uint32_t address, bool thumb)
{
	const std::uint32_t pc_value = address + (thumb ? 4 : 8);
	switch (jump.indexed) {
	case ArmIndexed::table_of_bytes:
	case ArmIndexed::table_of_halves:
		if (jump.base != pc)
			return std::nullopt;
		return ArmJumpTable{Kind::halved, thumb,
				    jump.indexed == ArmIndexed::table_of_bytes ? std::uint8_t{1} : std::uint8_t{2},
				    pc_value, entries(before, 0, jump.index)};
	case ArmIndexed::load:
		return table_of_words(jump, before, 0, pc_value, Kind::addresses, thumb);
	case ArmIndexed::branches:
		if (jump.base != pc)
			return std::nullopt;
		return ArmJumpTable{Kind::code, thumb, 4, pc_value, entries(before, 0, jump.index)};
	case ArmIndexed::sum:
		return jump.base == pc && !thumb ? run_after(jump, before, address)
						 : table_of_distances(jump, before, 0, thumb);
	case ArmIndexed::no:
		break;
	}
	for (std::size_t i = 0; i < before.size(); i++)
		if (writes(before[i], jump.through))
			return before[i].indexed == ArmIndexed::sum
				       ? table_of_distances(before[i], before, i + 1, thumb)
				       : std::nullopt;
	return std::nullopt;
}

} // namespace uwind

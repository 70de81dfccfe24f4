// SPDX-License-Identifier: GPL-2.0
// How much of a section's code has a row, and what the rest is.
#pragma once

#include <algorithm>
#include <cstring>
#include <iomanip>
#include <sstream>

#include "tables/gaps.h"

extern "C" {
#include "types.h"
}

namespace uwind {

struct Coverage {
	std::uint64_t bytes = 0, covered = 0;
	std::uint64_t padding = 0; // of what is not covered: between functions, never executed

	void add(const Coverage& other)
	{
		bytes += other.bytes;
		covered += other.covered;
		padding += other.padding;
	}

	std::string said() const
	{
		const auto percent = [](std::uint64_t part, std::uint64_t all) {
			return all ? 100.0 * static_cast<double>(part) / static_cast<double>(all) : 0.0;
		};
		std::ostringstream text;
		text << std::fixed << std::setprecision(3) << percent(covered, bytes) << " % of " << bytes
		     << " bytes have a row, " << percent(padding, bytes) << " % are padding; of the rest "
		     << percent(covered, bytes - padding) << " % have a row, " << bytes - padding - covered
		     << " bytes have none";
		return text.str();
	}
};

// Length of the amd64 instruction that does nothing, or of int3 or zeros; 0: something else.
inline std::size_t amd64_padding_bytes(Bytes code)
{
	std::size_t at = 0;
	if (code[0] == 0xcc || code[0] == 0)
		return 1;
	while (at < code.size() && (code[at] == 0x66 || code[at] == 0x2e))
		at++;
	if (at < code.size() && code[at] == 0x90)
		return at + 1;
	if (at + 2 >= code.size() || code[at] != 0x0f || code[at + 1] != 0x1f)
		return 0;
	const std::uint8_t form = code[at + 2] >> 6, base = code[at + 2] & 7;
	return at + 3 + (base == 4) + (form == 1 ? 1 : form == 2 ? 4 : 0);
}

inline std::size_t padding_bytes(Bytes code, Arch arch)
{
	if (arch != Arch::arm64)
		return amd64_padding_bytes(code);
	std::uint32_t word = 0;
	std::memcpy(&word, code.data(), std::min<std::size_t>(4, code.size()));
	return word == 0 || word == 0xd503201f ? std::min<std::size_t>(4, code.size()) : 0;
}

// The padding at the start of a stretch without a row: all of it, or up to code that has no row.
inline std::uint64_t leading_padding(Bytes code, Arch arch)
{
	std::size_t at = 0;
	while (at < code.size()) {
		const std::size_t bytes = padding_bytes(code.subspan(at), arch);
		if (!bytes || bytes > code.size() - at)
			break;
		at += bytes;
	}
	return at;
}

// A rule that only says "do not guess" is no row.
inline TableRows known_rows(const TableRows& table)
{
	TableRows known = table;
	for (Rule& rule : known.rules)
		if (rule.kind == UW_RULE_UNKNOWN)
			rule = Rule{};
	return known;
}

inline Coverage coverage_of(const ElfSection& section, const ElfFile& file, const TableRows& table)
{
	Coverage result;
	const auto range = offsets_of(file.segments(), section.address, section.bytes.size());
	if (!range)
		return result;
	result.bytes = result.covered = section.bytes.size();
	for (const OffsetRange& gap : gaps_of(known_rows(table), *range)) {
		const Bytes code = section.bytes.subspan(gap.start - range->start, gap.end - gap.start);
		result.covered -= code.size();
		result.padding += leading_padding(code, file.arch());
	}
	return result;
}

} // namespace uwind

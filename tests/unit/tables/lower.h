// SPDX-License-Identifier: GPL-2.0
// Lowers small pieces of call frame information and shows the rows as text.
#pragma once

#include <catch2/catch.hpp>

#include "tables/file_rows.h"
#include "tables/module_view.h"
#include "tables/rule_text.h"
#include "unit/tables/image.h"

namespace image {

// "0 cfa=rsp+8 ra=[cfa-8] rbp=same; 16 none": offsets into the text.
inline std::string text_of(const uwind::TableRows& table, uwind::Arch arch)
{
	std::string text;
	for (const uwind::Row& row : table.rows)
		text += (text.empty() ? "" : "; ") + std::to_string(row.start - text_offset) + " " +
			uwind::rule_text(table.rules[row.rule], arch);
	return text;
}

inline uwind::TableRows lower(const Image& file)
{
	const auto elf = uwind::ElfFile::from_bytes(file.build());
	REQUIRE(elf);
	auto table = uwind::rows_of_file(*elf);
	INFO((table ? "" : table.error().message));
	REQUIRE(table);
	REQUIRE(uwind::check_rows(*table, elf->arch()));
	return *table;
}

inline std::string refusal(const Image& file)
{
	const auto elf = uwind::ElfFile::from_bytes(file.build());
	if (!elf)
		return elf.error().message;
	const auto table = uwind::rows_of_file(*elf);
	return table ? "" : table.error().message;
}

// What becomes of one function's instructions: 16 bytes of code at the text's
// start. A second function keeps the table from being empty; it is not shown.
struct Lowered {
	std::string rows;
	std::map<std::string, std::uint64_t> left_out;
};

inline Lowered lower_function(const CieText& cie, const ByteVector& instructions,
			      uwind::Arch arch = uwind::Arch::x86_64)
{
	Image file(arch);
	CfiText cfi(file.next_address());
	const auto common = cfi.cie(cie);
	cfi.fde(common, text_address, 16, instructions);
	const auto anchor = cfi.cie(arch == uwind::Arch::arm64 ? arm64_cie() : CieText{});
	cfi.fde(anchor, text_address + 0x800, 1, {0x0e, 64});
	file.section(".eh_frame", cfi.bytes());
	uwind::TableRows table = lower(file);
	REQUIRE(table.rows.size() >= 2);
	table.rows.resize(table.rows.size() - 2);
	return {text_of(table, arch), table.inexpressible};
}

inline std::string rows(const ByteVector& instructions)
{
	return lower_function(CieText{}, instructions).rows;
}

inline std::string arm64_rows(const ByteVector& instructions)
{
	return lower_function(arm64_cie(), instructions, uwind::Arch::arm64).rows;
}

// Nothing is known there, for this one reason, once; and nobody guesses.
inline std::string reason(const ByteVector& instructions, const CieText& cie = {},
			  uwind::Arch arch = uwind::Arch::x86_64)
{
	const Lowered lowered = lower_function(cie, instructions, arch);
	CHECK(lowered.rows == "0 unknown; 16 none");
	REQUIRE(lowered.left_out.size() == 1);
	CHECK(lowered.left_out.begin()->second == 1);
	return lowered.left_out.begin()->first;
}

// A block with its length in front, as expressions have.
inline ByteVector block(const ByteVector& bytes)
{
	return uleb(bytes.size()) + bytes;
}

} // namespace image

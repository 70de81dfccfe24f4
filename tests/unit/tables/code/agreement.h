// SPDX-License-Identifier: GPL-2.0
// Rows that are read from the code of a library, beside those that its CFI gives.
#pragma once

#include <algorithm>
#include <catch2/catch.hpp>
#include <fcntl.h>
#include <iostream>

#include "base/handle.h"
#include "tables/code/code.h"
#include "tables/file_rows.h"
#include "tables/rule_text.h"

extern "C" {
#include "types.h"
}

namespace uwind::code_agreement {

struct Agreement {
	std::uint64_t equal = 0, different = 0, unread = 0;
	std::string first;
};

// For docs/measured/code.json.
inline void print_figure(const std::string& arch, const std::string& file, const std::string& unit,
			 const Agreement& agreement)
{
	std::cout << "figure: code arch=" << arch << " file=" << file << " unit=" << unit
		  << " agree=" << agreement.equal << " differ=" << agreement.different << " unread=" << agreement.unread
		  << "\n";
}

// What was loaded from the stack again is in its register and still on the stack.
inline bool same_place(std::uint8_t cfi_place, std::int32_t cfi_off, std::uint8_t place, std::int32_t off)
{
	return (cfi_place == place && cfi_off == off) || (cfi_place == UW_PLACE_CFA_MEM && place == UW_PLACE_SAME);
}

// By the same base the same; by another one the same places.
inline bool agree(const Rule& cfi, const Rule& code)
{
	const bool base = cfi.cfa_reg != code.cfa_reg || cfi.cfa_off == code.cfa_off;
	const bool fp =
		code.fp_place == UW_PLACE_LOST || same_place(cfi.fp_place, cfi.fp_off, code.fp_place, code.fp_off);
	return base && fp && same_place(cfi.ra_place, cfi.ra_off, code.ra_place, code.ra_off);
}

inline const Rule& rule_at(const TableRows& table, std::uint32_t offset)
{
	static const Rule none;
	const auto row = std::upper_bound(table.rows.begin(), table.rows.end(), offset,
					  [](std::uint32_t at, const uwind::Row& row) { return at < row.start; });
	return row == table.rows.begin() ? none : table.rules[row[-1].rule];
}

inline void add(Agreement& result, Arch arch, std::uint32_t at, const Rule& right, const Rule& rule)
{
	if (rule.kind == UW_RULE_NONE)
		result.unread++;
	else if (agree(right, rule))
		result.equal++;
	else if (!result.different++)
		result.first = std::to_string(at) + " CFI " + uwind::rule_text(right, arch) + " code " +
			       uwind::rule_text(rule, arch);
}

// Every instruction of a library that has CFI, read without looking at it.
inline Agreement compare(const std::string& path)
{
	const uwind::UniqueFd fd(open(path.c_str(), O_RDONLY));
	const auto file = uwind::ElfFile::open(fd.get());
	REQUIRE(file);
	const auto cfi = uwind::rows_of_file(*file);
	REQUIRE(cfi);
	const TableRows code = uwind::rows_of(uwind::code_stretches(*file, TableRows{}));
	const auto text = file->section(".text");
	REQUIRE((text && *text));
	const std::uint64_t text_start = (*text)->offset, text_end = text_start + (*text)->bytes.size();
	const std::uint32_t step = file->arch() == Arch::arm64 ? 4 : 1;
	Agreement result;
	for (std::size_t i = 0; i + 1 < cfi->rows.size(); i++) {
		const Rule& right = cfi->rules[cfi->rows[i].rule];
		if (right.kind != UW_RULE_FRAME || cfi->rows[i].start < text_start || cfi->rows[i].start >= text_end)
			continue;
		for (std::uint32_t at = cfi->rows[i].start; at < cfi->rows[i + 1].start; at += step)
			add(result, file->arch(), at, right, rule_at(code, at));
	}
	return result;
}

} // namespace uwind::code_agreement

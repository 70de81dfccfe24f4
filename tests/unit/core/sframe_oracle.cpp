// SPDX-License-Identifier: GPL-2.0
// A function is a line "func idx [N]: pc = 0x…, size = N bytes", maybe with attributes,
// a line of column names, and one line for each row:
//
//   STARTPC  CFA      FP      RA
//   …        sp+16    c-16    f          from the CFA; where the header says
//   …        fp+32    c-32    c-24[s]    signed: all the same to us
//   …        (fp-8)   (fp+0)  U          what lies there; not said
//   …        r10+0    r11+0   u          a register's value; unchanged
//   …        RA undefined
#include "unit/core/sframe_oracle.h"

#include <catch2/catch.hpp>
#include <sstream>

namespace core::sframe {

namespace {

constexpr s32 x86_ra_off = -8;

u64 number_behind(const std::string& line, const std::string& words, int base)
{
	const auto at = line.find(words);
	REQUIRE(at != std::string::npos);
	return std::stoull(line.substr(at + words.size()), nullptr, base);
}

OracleFunction parse_function(const std::string& line)
{
	OracleFunction function;
	function.start = number_behind(line, "pc = ", 16);
	function.bytes = number_behind(line, "size = ", 10);
	const auto attributes = line.find("attr = \"");
	function.signal = attributes != std::string::npos && line.find('S', attributes) != std::string::npos;
	return function;
}

void add_row(const std::string& line, OracleFunction& function)
{
	std::istringstream in(line);
	std::string pc, cfa, fp, ra;
	if (!(in >> pc >> cfa >> fp) || pc.find_first_not_of("0123456789abcdef") != std::string::npos)
		return;
	in >> ra;
	function.rows.push_back({std::stoull(pc, nullptr, 16), cfa, fp, ra});
}

// "sp+8", "(fp-8)", "c-24[s]", "r11+0": a base, an offset, and whether it is the
// address of what is meant.
struct Place {
	std::string base;
	s32 off;
	bool in_memory;
};

bool parse_place(std::string column, Place& place)
{
	place.in_memory = column[0] == '(';
	column = column.substr(place.in_memory);
	const auto sign = column.find_first_of("+-");
	if (sign == std::string::npos)
		return false;
	place.base = column.substr(0, sign);
	place.off = std::stoi(column.substr(sign));
	return true;
}

u8 register_of(const std::string& base, uw_arch arch)
{
	if (base == "sp")
		return uw_arch_sp(arch);
	if (base == "fp")
		return uw_arch_fp(arch);
	REQUIRE(base[0] == 'r');
	return static_cast<u8>(std::stoi(base.substr(1)));
}

// False: the column names no place.
bool set_place(const std::string& column, uw_arch arch, u8& place, u8& reg, s32& off)
{
	Place parsed;
	if (!parse_place(column, parsed))
		return false;
	off = parsed.off;
	if (parsed.base == "c") {
		place = UW_PLACE_CFA_MEM;
		return true;
	}
	place = parsed.in_memory ? UW_PLACE_REG_MEM : UW_PLACE_REG_VAL;
	reg = register_of(parsed.base, arch);
	return true;
}

} // namespace

Oracle parse_oracle(std::istream& in)
{
	Oracle oracle;
	for (std::string line; std::getline(in, line);) {
		if (line.find("Version: SFRAME_VERSION_") != std::string::npos)
			oracle.version = static_cast<int>(number_behind(line, "SFRAME_VERSION_", 10));
		else if (line.find("func idx") != std::string::npos)
			oracle.functions.push_back(parse_function(line));
		else if (oracle.functions.empty())
			continue;
		else if (line.find("STARTPC") != std::string::npos)
			oracle.functions.back().repeats = line.find("[m]") != std::string::npos;
		else
			add_row(line, oracle.functions.back());
	}
	return oracle;
}

uw_rule rule_of(const OracleRow& row, uw_arch arch)
{
	if (row.cfa == "RA")
		return kind_rule(UW_RULE_OUTERMOST);
	uw_rule rule = kind_rule(UW_RULE_FRAME);
	Place cfa;
	REQUIRE(parse_place(row.cfa, cfa));
	rule.cfa_kind = cfa.in_memory ? UW_CFA_MEM : UW_CFA_REG;
	rule.cfa_reg = register_of(cfa.base, arch);
	rule.cfa_off = cfa.off;
	set_place(row.fp, arch, rule.fp_place, rule.fp_reg, rule.fp_off);
	if (!set_place(row.ra, arch, rule.ra_place, rule.ra_reg, rule.ra_off) && arch == UW_ARCH_X86_64) {
		rule.ra_place = UW_PLACE_CFA_MEM;
		rule.ra_off = x86_ra_off;
	}
	if (arch == UW_ARCH_X86_64)
		rule.base_slot = UW_BASE_LOST;
	return rule;
}

} // namespace core::sframe

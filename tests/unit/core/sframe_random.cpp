// SPDX-License-Identifier: GPL-2.0
// Random functions, written as SFrame and read back: the rule at every pc.
#include <catch2/catch.hpp>

#include <algorithm>
#include <map>
#include <random>

#include "unit/core/sframe_encoder.h"

using namespace core;
using namespace core::sframe;

namespace {

class Generator {
public:
	Generator(u32 seed, u8 version, u8 flags, uw_arch arch)
	    : random_(seed), section_{version, flags, arch, section_address, {}}
	{
	}

	// Fills the section and the rules that are expected of it.
	Section make()
	{
		u64 at = segment_address + below(20);
		for (u32 i = 1 + below(12); i > 0; i--) {
			Function function{at, 1 + below(200), {}};
			fill(function);
			at += function.bytes + (below(2) ? below(30) : 0);
			section_.functions.push_back(function);
		}
		if (below(2))
			std::shuffle(section_.functions.begin(), section_.functions.end(), random_);
		section_.aux_bytes = static_cast<u8>(below(3) * 8);
		return section_;
	}

	uw_rule expected(u64 offset) const
	{
		auto found = rules_.find(offset);
		return found == rules_.end() ? kind_rule(UW_RULE_NONE) : found->second;
	}

private:
	u32 below(u32 limit) { return static_cast<u32>(random_() % limit); }

	// A value that fits the width of the row's words.
	s32 offset(const Row& row)
	{
		s32 limit = row.word_size == 0 ? 127 : row.word_size == 1 ? 32767 : 1 << 30;
		return static_cast<s32>(random_() % (2u * static_cast<u32>(limit))) - limit;
	}

	uw_rule frame() const
	{
		uw_rule rule = kind_rule(UW_RULE_FRAME);
		if (section_.arch == UW_ARCH_X86_64) {
			rule.ra_place = UW_PLACE_CFA_MEM;
			rule.ra_off = -8;
			rule.base_slot = UW_BASE_LOST;
		}
		return rule;
	}

	uw_rule fill_default(Row& row)
	{
		bool arm64 = section_.arch == UW_ARCH_ARM64;
		uw_rule rule = frame();
		rule.cfa_reg = row.base_is_sp ? uw_arch_sp(section_.arch) : uw_arch_fp(section_.arch);
		rule.cfa_off = offset(row);
		row.words = {rule.cfa_off};
		if (arm64 && below(2)) {
			rule.ra_place = UW_PLACE_CFA_MEM;
			rule.ra_off = offset(row);
			row.words.push_back(rule.ra_off);
		}
		if ((!arm64 || row.words.size() == 2) && below(2)) {
			rule.fp_place = UW_PLACE_CFA_MEM;
			rule.fp_off = offset(row);
			row.words.push_back(rule.fp_off);
		}
		return rule;
	}

	// Returns the control word.
	s32 flex_place(Row& row, u8& place, u8& reg, s32& off)
	{
		u32 kind = 1 + below(3); // bit 0: by register, bit 1: in memory
		const u8 places[] = {0, UW_PLACE_REG_VAL, UW_PLACE_CFA_MEM, UW_PLACE_REG_MEM};
		place = places[kind];
		reg = kind & 1 ? static_cast<u8>(below(section_.arch == UW_ARCH_X86_64 ? 15 : 15)) : 0;
		off = offset(row);
		row.words.push_back(static_cast<s32>(kind | u32{reg} << 3));
		row.words.push_back(off);
		return row.words.back();
	}

	uw_rule fill_flex(Row& row)
	{
		uw_rule rule = frame();
		bool deref = below(2);
		rule.cfa_kind = deref ? UW_CFA_MEM : UW_CFA_REG;
		rule.cfa_reg = static_cast<u8>(below(16));
		rule.cfa_off = offset(row);
		row.words = {static_cast<s32>(1u | (deref ? 2u : 0u) | u32{rule.cfa_reg} << 3), rule.cfa_off};
		bool with_fp = below(2);
		if (below(2))
			flex_place(row, rule.ra_place, rule.ra_reg, rule.ra_off);
		else if (with_fp || below(2))
			row.words.push_back(0);
		if (with_fp)
			flex_place(row, rule.fp_place, rule.fp_reg, rule.fp_off);
		return rule;
	}

	uw_rule fill_row(Row& row, bool flex)
	{
		row.word_size = flex ? 1 + below(2) : below(3);
		row.base_is_sp = below(2);
		row.mangled = section_.arch == UW_ARCH_ARM64 && below(2);
		if (!below(8))
			return kind_rule(UW_RULE_OUTERMOST);
		return flex ? fill_flex(row) : fill_default(row);
	}

	void expect(u64 from, u64 to, const uw_rule& rule)
	{
		for (u64 at = from; at < to; at++)
			rules_[at - segment_address + segment_offset] = rule;
	}

	// No rows: what that means depends on the version.
	void fill_empty(Function& function)
	{
		u64 end = function.start + function.bytes;
		function.signal = section_.version == 3 && below(2);
		if (!function.signal) {
			expect(function.start, end,
			       kind_rule(section_.version == 3 ? UW_RULE_OUTERMOST : UW_RULE_NONE));
			return;
		}
		u64 before = function.start - 1;
		bool free = before >= segment_address && !rules_.count(before - segment_address + segment_offset);
		expect(free ? before : function.start, end, kind_rule(UW_RULE_SIGFRAME));
	}

	void fill(Function& function)
	{
		bool masks = section_.version != 1 || section_.arch == UW_ARCH_X86_64;
		function.flex = section_.version == 3 && below(3) == 0;
		function.start_size = below(3);
		if (below(6) == 0)
			return fill_empty(function);
		if (masks && below(5) == 0)
			function.block_bytes = static_cast<u8>(section_.version == 1 ? 16 : 1 + below(40));
		u32 limit = function.block_bytes ? function.block_bytes : function.bytes;
		u32 start = function.block_bytes ? 0 : std::min(below(3), limit - 1);
		expect(function.start, function.start + function.bytes, kind_rule(UW_RULE_NONE));
		for (; start < limit; start += 1 + below(limit)) {
			Row row{start, false, {}};
			uw_rule rule = fill_row(row, function.flex);
			for (u64 block = 0; block < function.bytes; block += limit)
				expect(std::min<u64>(function.start + block + start, function.start + function.bytes),
				       std::min<u64>(function.start + block + limit, function.start + function.bytes),
				       rule);
			function.rows.push_back(row);
		}
	}

	std::mt19937 random_;
	Section section_;
	std::map<u64, uw_rule> rules_;
};

void round_trip(u32 seed, u8 version, u8 flags, uw_arch arch)
{
	Generator generator(seed, version, flags, arch);
	Section section = generator.make();
	Lowered lowered = lower(section);
	CAPTURE(seed, int{version}, int{flags}, int{arch}, lowered.why, lowered.at);
	REQUIRE(lowered.err == 0);
	Table table(lowered.draft->draft);
	for (u64 offset = segment_offset; offset < segment_offset + 3000; offset++) {
		CAPTURE(offset);
		REQUIRE(table.find(offset) == generator.expected(offset));
	}
}

} // namespace

TEST_CASE("random functions survive SFrame V1 at every pc")
{
	for (u32 seed = 0; seed < 60; seed++)
		round_trip(seed, 1, seed % 2, seed % 4 < 2 ? UW_ARCH_X86_64 : UW_ARCH_ARM64);
}

TEST_CASE("random functions survive SFrame V2 at every pc, with both bases of function starts")
{
	for (u32 seed = 0; seed < 60; seed++)
		round_trip(seed, 2, seed % 2 ? 5 : 0, seed % 4 < 2 ? UW_ARCH_X86_64 : UW_ARCH_ARM64);
}

TEST_CASE("random functions survive SFrame V3 at every pc, flexible ones too")
{
	for (u32 seed = 0; seed < 120; seed++)
		round_trip(seed, 3, seed % 3 ? 5 : 1, seed % 4 < 2 ? UW_ARCH_X86_64 : UW_ARCH_ARM64);
}

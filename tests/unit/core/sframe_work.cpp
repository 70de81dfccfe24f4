// SPDX-License-Identifier: GPL-2.0
// What reading costs at most, counted and not timed; and that it ends early when it is told to.
#include <catch2/catch.hpp>

#include <numeric>
#include <random>

#include "unit/core/sframe_encoder.h"

using namespace core;
using namespace core::sframe;

namespace {

constexpr u32 nr_functions = 20000;
constexpr u32 function_bytes = 16;

int pauses;
int last_pause; // the one that ends the work; 0: none does

// Functions in random order, in segments whose offsets fall as their addresses rise.
struct Scattered {
	Section section;
	std::vector<uw_segment> segments;
};

Scattered scattered(u8 version)
{
	std::vector<u32> order(nr_functions);
	std::iota(order.begin(), order.end(), 0);
	std::shuffle(order.begin(), order.end(), std::mt19937(1));
	Scattered s{{version, 4, UW_ARCH_X86_64, 0x10000000, {}}, {}};
	constexpr u64 bytes = (nr_functions / UW_MAX_SEGMENTS) * function_bytes;
	for (u32 i = 0; i < UW_MAX_SEGMENTS; i++)
		s.segments.push_back({0x100000 + i * bytes, bytes, (UW_MAX_SEGMENTS - i) * 0x1000000ull});
	for (u32 i : order)
		s.section.functions.push_back(
			{0x100000 + u64{i} * function_bytes, function_bytes, {{0, true, {8 + 8 * s32(i % 50)}}}});
	return s;
}

struct Work {
	int err;
	u32 steps;
	u64 bytes;
	u32 rows;
};

Work work_of(const Scattered& s, const Bytes& bytes)
{
	uw_sframe_input in{bytes.data(),      bytes.size(),    s.section.address,
			   s.segments.data(), UW_MAX_SEGMENTS, UW_ARCH_X86_64};
	uw_sframe sf;
	if (int err = uw_sframe_open(&sf, &in))
		return {err, sf.steps, bytes.size(), 0};
	Draft draft(static_cast<u32>(sf.max_rows), sf.max_rules);
	std::vector<uw_draft_row> order(sf.nr_fdes);
	const int err = uw_sframe_lower(&sf, &draft.draft, order.data());
	return {err, sf.steps, bytes.size(), draft.draft.nr_rows};
}

// Ends the work at its first, second, third … pause, until it comes through. Returns how many pauses that took.
template <typename Run>
int interrupted(Run run)
{
	for (int n = 1;; n++) {
		pauses = 0;
		last_pause = n;
		const int err = run();
		last_pause = 0;
		if (pauses < n) {
			REQUIRE(err == 0);
			return n - 1;
		}
		REQUIRE(err == -EINTR);
		REQUIRE(pauses == n);
	}
}

} // namespace

extern "C" int uw_test_pause(void)
{
	return ++pauses == last_pause ? -EINTR : 0;
}

TEST_CASE("functions in the worst order cost less than a step for each byte that describes them")
{
	for (u8 version : {u8{2}, u8{3}}) {
		const Scattered s = scattered(version);
		const Work work = work_of(s, s.section.encode());
		REQUIRE(work.err == 0);
		REQUIRE(work.rows > nr_functions);
		REQUIRE(work.steps <= nr_functions * (UW_SFRAME_FDE_STEPS + 1));
		REQUIRE(work.steps < work.bytes);
	}
}

TEST_CASE("reading a section pauses every 1,024 steps, and gives up there when it is told to")
{
	const Scattered s = scattered(2);
	const Bytes bytes = s.section.encode();
	const u32 steps = work_of(s, bytes).steps;
	REQUIRE(interrupted([&] { return work_of(s, bytes).err; }) == static_cast<int>(steps / UW_PAUSE_TURNS));
}

TEST_CASE("checking rows and packing them give up when they are told to")
{
	Draft draft(10000);
	uw_reject reject{};
	for (u32 i = 0; i < 10000; i++)
		REQUIRE(draft.add(16 * i, x86_rule(UW_X86_SP, static_cast<s32>(8 + i % 100))) == 0);
	REQUIRE(interrupted([&] { return uw_draft_check(&draft.draft, UW_ARCH_X86_64, &reject); }) > 9);

	const uw_table_form form = uw_table_form_of(&draft.draft);
	std::vector<u64> memory(form.bytes / sizeof(u64) + 1);
	uw_table table{};
	REQUIRE(interrupted([&] { return uw_table_build(&table, memory.data(), &draft.draft, &form); }) > 9);
	REQUIRE(*uw_table_find(&table, 9999 * 16) == draft.naive_find(9999 * 16));
}

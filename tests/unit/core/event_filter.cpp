// SPDX-License-Identifier: GPL-2.0
// Filters of tracepoints: refusals of unsound steps; comparisons beside C++'s own, and beside fnmatch(3).
#include <catch2/catch.hpp>

#include <cstring>
#include <fnmatch.h>
#include <random>
#include <string>
#include <vector>

extern "C" {
#include "event_filter.h"
}

namespace {

uw_filter_step number_step(uw_filter_compare compare, u64 value, u16 offset = 0, u16 bytes = 4, bool is_signed = false)
{
	uw_filter_step step{};
	step.kind = UW_FILTER_NUMBER;
	step.compare = static_cast<u8>(compare);
	step.is_signed = is_signed;
	step.offset = offset;
	step.bytes = bytes;
	step.if_true = UW_FILTER_TAKE;
	step.if_false = UW_FILTER_LEAVE;
	step.value = value;
	return step;
}

uw_filter_step text_step(uw_filter_kind kind, uw_filter_compare compare, const std::string& text, u16 offset = 0,
			 u16 bytes = 0)
{
	uw_filter_step step = number_step(compare, 0, offset, bytes);
	step.kind = static_cast<u8>(kind);
	std::memcpy(step.text, text.data(), text.size());
	return step;
}

const char* check(const std::vector<uw_filter_step>& steps, u32& bad)
{
	return uw_filter_check(steps.data(), static_cast<u32>(steps.size()), &bad);
}

bool takes(const std::vector<uw_filter_step>& steps, const std::vector<u8>& entry, const char* comm = "comm",
	   u32 cpu = 0)
{
	u32 bad = 0;
	REQUIRE(check(steps, bad) == nullptr);
	const uw_filter_event event{entry.data(), static_cast<u32>(entry.size()), cpu, comm};
	return uw_filter_takes(steps.data(), &event);
}

// Why the only step is refused.
std::string refusal(const uw_filter_step& step)
{
	u32 bad = 7;
	const char* why = check({step}, bad);
	CHECK((why ? bad == 0 : bad == 1));
	return why ? why : "";
}

std::vector<u8> bytes_of(const std::string& text)
{
	return {text.begin(), text.end()};
}

bool compare_reference(u8 compare, auto a, auto b)
{
	switch (compare) {
	case UW_FILTER_EQUAL:
		return a == b;
	case UW_FILTER_NOT_EQUAL:
		return a != b;
	case UW_FILTER_LESS:
		return a < b;
	case UW_FILTER_LESS_EQUAL:
		return a <= b;
	case UW_FILTER_GREATER:
		return a > b;
	case UW_FILTER_GREATER_EQUAL:
		return a >= b;
	default:
		return (a & b) != 0;
	}
}

template <typename T>
void compare_numbers_of(std::mt19937_64& random)
{
	for (int i = 0; i < 2000; i++) {
		const T a = static_cast<T>(random()), b = random() % 2 ? static_cast<T>(random()) : a;
		const auto compare = static_cast<u8>(random() % (UW_FILTER_BITS + 1));
		std::vector<u8> entry(3 + sizeof(T));
		std::memcpy(entry.data() + 3, &a, sizeof(a));
		const auto step = number_step(uw_filter_compare(compare), static_cast<u64>(static_cast<s64>(b)), 3,
					      sizeof(T), std::is_signed_v<T>);
		auto wanted = step;
		if (!std::is_signed_v<T>)
			wanted.value = static_cast<u64>(b);
		CHECK(takes({wanted}, entry) == compare_reference(compare, a, b));
	}
}

} // namespace

TEST_CASE("a filter's unsound step is refused, and said")
{
	auto step = number_step(UW_FILTER_EQUAL, 1);
	CHECK(refusal(step).empty());
	step.kind = UW_NR_FILTER_KINDS;
	CHECK(refusal(step) == "its kind is unknown");
	CHECK(refusal(number_step(UW_FILTER_GLOB, 1)) == "its kind cannot be compared like that");
	CHECK(refusal(number_step(UW_NR_FILTER_COMPARES, 1)) == "its kind cannot be compared like that");
	CHECK(refusal(text_step(UW_FILTER_COMM, UW_FILTER_LESS, "a")) == "its kind cannot be compared like that");
	CHECK(refusal(number_step(UW_FILTER_EQUAL, 1, 0, 3)) == "a number has 1, 2, 4 or 8 bytes");
	step = number_step(UW_FILTER_EQUAL, 1);
	step.is_signed = 2;
	CHECK(refusal(step) == "a reserved field is not 0");
	step = text_step(UW_FILTER_CHARS, UW_FILTER_EQUAL, std::string(UW_FILTER_TEXT, 'x'));
	CHECK(refusal(step) == "its text does not end");
	for (const u16 next : {u16(0), u16(1), u16(UW_FILTER_LEAVE - 1)}) {
		step = number_step(UW_FILTER_EQUAL, 1);
		step.if_true = next;
		CHECK(refusal(step) == "it goes on with no later step");
	}
}

TEST_CASE("of several steps the one that is refused is named, and one may go on with a later one only")
{
	std::vector<uw_filter_step> steps(3, number_step(UW_FILTER_EQUAL, 1));
	steps[0].if_false = 2;
	steps[1].if_true = 2;
	u32 bad = 0;
	CHECK(check(steps, bad) == nullptr);
	steps[2].if_true = 1;
	CHECK(check(steps, bad) != nullptr);
	CHECK(bad == 2);
}

TEST_CASE("numbers of each width and sign compare as C++ compares them")
{
	std::mt19937_64 random(1);
	compare_numbers_of<std::uint8_t>(random);
	compare_numbers_of<std::int8_t>(random);
	compare_numbers_of<std::uint16_t>(random);
	compare_numbers_of<std::int16_t>(random);
	compare_numbers_of<std::uint32_t>(random);
	compare_numbers_of<std::int32_t>(random);
	compare_numbers_of<std::uint64_t>(random);
	compare_numbers_of<std::int64_t>(random);
}

TEST_CASE("what lies beyond the entry is 0, or no text")
{
	CHECK(takes({number_step(UW_FILTER_EQUAL, 0, 1)}, {1, 2, 3, 4}));
	CHECK(takes({number_step(UW_FILTER_EQUAL, 0, 0xffff)}, {}));
	CHECK(takes({text_step(UW_FILTER_CHARS, UW_FILTER_EQUAL, "", 2, 3)}, bytes_of("abcd")));
	CHECK(takes({text_step(UW_FILTER_CHARS, UW_FILTER_EQUAL, "")}, {})); // no address to count from
	// A __data_loc of 4 bytes at 4, of which the entry has 3.
	CHECK(takes({text_step(UW_FILTER_DATA_LOC, UW_FILTER_EQUAL, "")}, {4, 0, 4, 0, 'a', 'b', 'c'}));
}

TEST_CASE("texts lie in arrays, where a __data_loc or a __rel_loc says, or are the thread's name")
{
	CHECK(takes({text_step(UW_FILTER_CHARS, UW_FILTER_EQUAL, "bcd", 1, 3)}, bytes_of("abcdef")));
	CHECK(takes({text_step(UW_FILTER_CHARS, UW_FILTER_EQUAL, "b", 1, 3)}, bytes_of(std::string("ab\0def", 6))));
	CHECK(takes({text_step(UW_FILTER_DATA_LOC, UW_FILTER_EQUAL, "xyz")}, {5, 0, 4, 0, 0, 'x', 'y', 'z', 0}));
	CHECK(takes({text_step(UW_FILTER_REL_LOC, UW_FILTER_EQUAL, "xyz")}, {1, 0, 4, 0, 0, 'x', 'y', 'z', 0}));
	CHECK(takes({text_step(UW_FILTER_COMM, UW_FILTER_EQUAL, "bash")}, {}, "bash"));
	CHECK(takes({text_step(UW_FILTER_COMM, UW_FILTER_NOT_EQUAL, "bash")}, {}, "bas"));
	CHECK_FALSE(takes({text_step(UW_FILTER_COMM, UW_FILTER_NOT_GLOB, "ba*")}, {}, "bash"));
	auto cpu = number_step(UW_FILTER_EQUAL, 3);
	cpu.kind = UW_FILTER_CPU;
	CHECK(takes({cpu}, {}, "", 3));
	CHECK_FALSE(takes({cpu}, {}, "", 2));
}

TEST_CASE("a filter goes from step to step as the steps say")
{
	// a == 1 && (b == 2 || b == 3)
	std::vector<uw_filter_step> steps{number_step(UW_FILTER_EQUAL, 1, 0, 1), number_step(UW_FILTER_EQUAL, 2, 1, 1),
					  number_step(UW_FILTER_EQUAL, 3, 1, 1)};
	steps[0].if_true = 1;
	steps[1].if_false = 2;
	for (u8 a = 0; a < 3; a++)
		for (u8 b = 0; b < 5; b++)
			CHECK(takes(steps, {a, b}) == (a == 1 && (b == 2 || b == 3)));
}

TEST_CASE("patterns match what fnmatch(3) matches")
{
	std::mt19937 random(1);
	const std::string parts[] = {"a", "b", "c", "*", "?", "[ab]", "[!a]", "[a-b]", "\\*", "-", "]"};
	int matched = 0;
	for (int i = 0; i < 200'000; i++) {
		std::string pattern, text;
		for (unsigned n = random() % 7; n > 0; n--)
			pattern += parts[random() % std::size(parts)];
		for (unsigned n = random() % 8; n > 0; n--)
			text += "abc*-]"[random() % 6];
		const bool wanted = fnmatch(pattern.c_str(), text.c_str(), 0) == 0;
		INFO(pattern << " and " << text);
		REQUIRE(takes({text_step(UW_FILTER_CHARS, UW_FILTER_GLOB, pattern, 0, static_cast<u16>(text.size()))},
			      bytes_of(text)) == wanted);
		matched += wanted;
	}
	CHECK(matched > 10'000);
}

TEST_CASE("a pattern that tries again all the time ends, and a long text is looked at only so far")
{
	std::string pattern;
	for (unsigned i = 0; i < 31; i++)
		pattern += "*a";
	const std::vector<u8> text(60'000, 'a');
	CHECK(takes({text_step(UW_FILTER_CHARS, UW_FILTER_GLOB, pattern, 0, 60'000)}, text));
	CHECK_FALSE(takes({text_step(UW_FILTER_CHARS, UW_FILTER_GLOB, pattern + "b", 0, 60'000)}, text));
	std::vector<u8> late(UW_FILTER_MOST_TEXT, 'a');
	late.push_back('b');
	CHECK(takes({text_step(UW_FILTER_CHARS, UW_FILTER_GLOB, "a*a", 0, 300)}, late) ==
	      false); // no such array: shorter
	late.resize(300, 'b');
	CHECK(takes({text_step(UW_FILTER_CHARS, UW_FILTER_GLOB, "a*a", 0, 300)}, late));
}

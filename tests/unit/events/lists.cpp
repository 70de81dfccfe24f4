// SPDX-License-Identifier: GPL-2.0
// Lists and groups, patterns of names, limits.
#include "events/glob.h"
#include "events/split.h"
#include "unit/events/parsed.h"

using uwind::glob_matches;

namespace {

std::string split(const std::string& text)
{
	const auto events = uwind::split_events(text);
	if (!events)
		return events.error().message;
	std::string all;
	for (const auto& event : *events)
		all += (all.empty() ? "" : "|") + event.text + (event.modifiers.empty() ? "" : " +" + event.modifiers);
	return all;
}

} // namespace

TEST_CASE("a list is cut at commas, but not between the slashes of terms")
{
	CHECK(split("a") == "a");
	CHECK(split(" a , b ") == "a|b");
	CHECK(split("a,cpu/x=1,y=2/u,b") == "a|cpu/x=1,y=2/u|b");
	CHECK(split("cpu/name='a/,b',x/,c") == "cpu/name='a/,b',x/|c");
	CHECK(split("mem:0x10/8:w,b") == "mem:0x10/8:w|b");
	CHECK(split("uprobe:/usr/bin/a:main,b") == "uprobe:/usr/bin/a:main|b");
	CHECK(split("uprobe:/a\\,b:main,c") == "uprobe:/a\\,b:main|c");
	CHECK(split("usdt:/a:b:c\\") == "usdt:/a:b:c\\");
}

TEST_CASE("a group's modifiers are for all of its members, which are counted each on its own")
{
	CHECK(split("{a,b}") == "a|b");
	CHECK(split("{a,b}:u,c") == "a +u|b +u|c");
	CHECK(split("x,{a}:k,{b}") == "x|a +k|b");
	CHECK(split("{uprobe:/a:b,c}:u") == "uprobe:/a:b +u|c +u");
	CHECK(split("{cpu/x,y/,c}:u") == "cpu/x,y/ +u|c +u");
	CHECK(brief(parsed("{cycles:k,cs}:u")) == "cycles:ku 0:0 -vg; cs:u 1:3 -kvg");
	CHECK(brief(parsed("{cycles,cs:p}:G")) == "cycles:G 0:0 -h; cs:pG 1:3 -h p1");
	CHECK(refusal("{cycles,cs}:S").code == EINVAL);
}

TEST_CASE("braces, commas and slashes without partner are refused")
{
	CHECK(split("") == "an event is missing in ''");
	CHECK(split(",") == "an event is missing in ','");
	CHECK(split("a,") == "an event is missing in 'a,'");
	CHECK(split("{}") == "an event is missing in '{}'");
	CHECK(split("{a,}") == "an event is missing in '{a,}'");
	CHECK(split("{a") == "'{' is never closed");
	CHECK(split("a}") == "'a}': braces are for groups: {EVENT,EVENT}");
	CHECK(split("x{a,b}") == "'x{a': braces are for groups: {EVENT,EVENT}");
	CHECK(split("{{a},b}") == "a group has no group in it");
	CHECK(split("{a}b") == "'b' does not belong to an event: a comma is missing");
	CHECK(split("{a}:") == "modifiers are missing after '}:'");
	CHECK(split("cpu/a") == "the second '/' is missing in 'cpu/a'");
}

TEST_CASE("a session has at most 32 events, and a list that gives more says how many")
{
	std::string list = "cs";
	for (int i = 1; i < 32; i++)
		list += ",cs";
	CHECK(parsed(list).size() == 32);
	CHECK(refusal(list + ",cs").message == "33 events are given; a session has at most 32");
	CHECK(refusal("many:*").message == "'many:*' matches 40 tracepoints; a session has at most 32 events");
	CHECK(refusal("*:*").message == "'*:*' matches 50 tracepoints; a session has at most 32 events");
	CHECK(refusal("many:one_1*,many:one_2*,many:one_3*").message ==
	      "33 events are given; a session has at most 32");
	CHECK(refusal(std::string(100'000, 'a')).message == "this list of events is longer than 64 KiB");
}

TEST_CASE("several -e make one list, and none is an error")
{
	fake::Events machine = fake::machine();
	const auto events = uwind::parse_events({{"cs", {}}, {"faults,dummy", {}}}, machine);
	REQUIRE(events);
	CHECK(brief(*events) == "cs 1:3 -g; faults 1:2 -g; dummy 1:9 -g");
	CHECK(uwind::parse_events({}, machine).error().message == "no event is given");
	CHECK(uwind::parse_events({{"cs", {}}, {"", {}}}, machine).error().message == "an event is missing in ''");
}

TEST_CASE("patterns match as those of the kernel's filters")
{
	struct Row {
		const char *pattern, *text;
		bool matches;
	};
	constexpr Row rows[] = {
		{"", "", true},
		{"", "a", false},
		{"*", "", true},
		{"*", "abc", true},
		{"a*", "abc", true},
		{"a*", "bac", false},
		{"*c", "abc", true},
		{"*b*", "abc", true},
		{"a?c", "abc", true},
		{"a?c", "ac", false},
		{"?", "", false},
		{"a*b*c", "aXbYbZc", true},
		{"a*b*c", "aXbYbZ", false},
		{"[a-c]x", "bx", true},
		{"[a-c]x", "dx", false},
		{"[!a-c]x", "dx", true},
		{"[!a-c]x", "ax", false},
		{"[]]", "]", true},
		{"[!]]", "a", true},
		{"[a-]", "-", true},
		{"[", "[", true},
		{"[a", "[a", true},
		{"a\\*", "a*", true},
		{"a\\*", "ab", false},
		{"\\", "\\", true},
		{"**a", "a", true},
		{"abc", "abc", true},
		{"abc", "abcd", false},
	};
	for (const Row& row : rows) {
		INFO(row.pattern << " " << row.text);
		CHECK(glob_matches(row.pattern, row.text) == row.matches);
	}
}

TEST_CASE("a pattern of many stars ends soon")
{
	std::string pattern, text(4000, 'a');
	for (int i = 0; i < 1000; i++)
		pattern += "a*";
	CHECK_FALSE(glob_matches(pattern + "b", text));
}

// SPDX-License-Identifier: GPL-2.0
// Filters: fields, comparisons, the order in which they are looked at, and what is refused.
#include "events/filter.h"
#include "unit/events/parsed.h"
#include "unit/events/run_filter.h"

using namespace uwind;

namespace {

const std::vector<FilterField> fields = parse_fields(fake::switch_fields);

std::vector<FilterStep> compiled(const std::string& text)
{
	auto steps = compile_filter(text, fields);
	INFO(text << ": " << (steps ? "" : steps.error().message));
	REQUIRE(steps);
	CHECK(broken(*steps).empty());
	return std::move(*steps);
}

std::string said_of_filter(const std::string& text)
{
	const auto steps = compile_filter(text, fields);
	INFO(text);
	REQUIRE_FALSE(steps);
	CHECK(steps.error().code == EINVAL);
	return steps.error().message;
}

std::string way(std::uint8_t next)
{
	return next == filter_take ? "take" : next == filter_leave ? "leave" : std::to_string(next);
}

// "0? take : 1, 1? take : leave"
std::string ways(const std::string& text)
{
	std::string all;
	const auto steps = compiled(text);
	for (std::size_t i = 0; i < steps.size(); i++)
		all += (i ? ", " : "") + std::to_string(i) + "? " + way(steps[i].if_true) + " : " +
		       way(steps[i].if_false);
	return all;
}

template <typename Number>
void put(Moment& moment, std::size_t offset, Number number)
{
	std::memcpy(moment.entry.data() + offset, &number, sizeof(number));
}

void put(Moment& moment, std::size_t offset, const std::string& text)
{
	std::memcpy(moment.entry.data() + offset, text.data(), text.size());
}

// A switch from bash, process 4711; flags 6, tiny -2, level 200, path "/usr/bin/ls", rest "tail".
Moment from_bash()
{
	Moment moment{std::string(224, '\0'), 3, "bash"};
	put(moment, 4, std::int32_t{4711});
	put(moment, 8, std::string("bash"));
	put(moment, 24, std::int32_t{4711});
	put(moment, 32, std::int64_t{-1});
	put(moment, 40, std::uint16_t{6});
	put(moment, 42, std::int8_t{-2});
	put(moment, 43, std::uint8_t{200});
	put(moment, 44, std::uint32_t{160 | 12u << 16});
	put(moment, 48, std::uint32_t{(200 - 52) | 5u << 16});
	put(moment, 56, ~std::uint64_t{0});
	put(moment, 72, std::uint64_t{0xffff888000000000});
	put(moment, 152, std::string("abcdefg"));
	put(moment, 160, std::string("/usr/bin/ls"));
	put(moment, 200, std::string("tail"));
	return moment;
}

bool taken(const std::string& text)
{
	return takes(compiled(text), from_bash());
}

} // namespace

TEST_CASE("fields have the place, the size and the sign that the format gives them")
{
	const auto field = [](const char* name) {
		const auto found = find_field(fields, name);
		return found ? std::to_string(static_cast<int>(found->kind)) + (found->is_signed ? "s" : "u") +
				       std::to_string(found->bytes) + "@" + std::to_string(found->offset)
			     : found.error().message;
	};
	CHECK(fields.size() == 18);
	CHECK(field("common_pid") == "0s4@4");
	CHECK(field("prev_comm") == "1u16@8");
	CHECK(field("prev_state") == "0s8@32");
	CHECK(field("level") == "0u1@43");
	CHECK(field("path") == "2u4@44");
	CHECK(field("rest") == "3u4@48");
	CHECK(field("where") == "0u8@72");
	CHECK(field("mac") == "1u7@152");
	CHECK(field("cpu") == "4u4@0");
	CHECK(field("COMM") == "5u0@0");
}

TEST_CASE("an event's own field counts for more than the moment's")
{
	const auto own = parse_fields("\tfield:int cpu;\toffset:8;\tsize:4;\tsigned:1;\n");
	CHECK(find_field(own, "cpu")->kind == FilterKind::number);
	CHECK(find_field(own, "CPU")->kind == FilterKind::cpu);
}

TEST_CASE("lines of a format that are broken are no fields")
{
	CHECK(parse_fields("").empty());
	CHECK(parse_fields("field:int a; offset:x; size:4; signed:1;").empty());
	CHECK(parse_fields("field:int a; offset:8;").empty());
	CHECK(parse_fields("field:a; offset:8; size:4; signed:1;").empty());
	CHECK(parse_fields("field:int a; offset:99999; size:4; signed:1;").empty());
	CHECK(parse_fields("field:int * a; offset:8; size:8; signed:0;").at(0).name == "a");
	CHECK(parse_fields("field:int *a; offset:8; size:8; signed:0;").at(0).name == "a");
}

TEST_CASE("numbers are compared by the field's size and sign")
{
	for (const char* text : {"prev_pid == 4711",
				 "prev_pid == 0x1267",
				 "prev_pid == 011147",
				 "prev_pid != 4712",
				 "prev_pid < 4712",
				 "prev_pid <= 4711",
				 "prev_pid > 4710",
				 "prev_pid >= 4711",
				 "prev_pid>=4711",
				 "prev_state == -1",
				 "prev_state < 0",
				 "prev_state == 0xffffffffffffffff",
				 "flags & 4",
				 "flags & 0x2",
				 "tiny == -2",
				 "tiny < 0",
				 "tiny == 0xfe",
				 "tiny < -1",
				 "tiny & 0x80",
				 "level == 200",
				 "level > 100",
				 "address > 5",
				 "address == 18446744073709551615",
				 "where >= 0xffff888000000000",
				 "cpu == 3",
				 "CPU & 1",
				 "common_pid > 4000",
				 "prev_pid > -5",
				 "level == 0",
				 "!(level == 0) || level == 0"}) {
		INFO(text);
		CHECK(taken(text) == (std::string(text) != "level == 0"));
	}
	for (const char* text :
	     {"flags & 1", "prev_pid > 4711", "tiny > 0", "address < 5", "cpu != 3", "prev_state & 0"}) {
		INFO(text);
		CHECK_FALSE(taken(text));
	}
}

TEST_CASE("texts are compared with quotes or without, wholly or with a pattern")
{
	for (const char* text :
	     {"prev_comm == bash", "prev_comm == \"bash\"", "prev_comm == 'bash'", "prev_comm != sh", "prev_comm ~ ba*",
	      "prev_comm ~ \"*as*\"", "prev_comm ~ 'b[a-c]s?'", "comm == bash", "COMM ~ b*", "path == /usr/bin/ls",
	      "path ~ '*/ls'", "rest == tail", "mac == abcdefg", "prev_comm !~ sh*", "!(prev_comm ~ sh*)",
	      "prev_comm != \"\"", "(prev_comm==bash)", "prev_comm==bash&&cpu==3"}) {
		INFO(text);
		CHECK(taken(text));
	}
	for (const char* text : {"prev_comm == bas", "prev_comm == bashx", "prev_comm ~ bas", "path ~ ls",
				 "prev_comm == ''", "mac == abcdef"}) {
		INFO(text);
		CHECK_FALSE(taken(text));
	}
}

TEST_CASE("what is decided is not looked at again, and every step leads forwards")
{
	CHECK(ways("cpu==1") == "0? take : leave");
	CHECK(ways("!cpu==1") == "0? leave : take");
	CHECK(ways("!!cpu==1") == "0? take : leave");
	CHECK(ways("cpu==1 && cpu==2") == "0? 1 : leave, 1? take : leave");
	CHECK(ways("cpu==1 || cpu==2") == "0? take : 1, 1? take : leave");
	CHECK(ways("cpu==1 || cpu==2 && cpu==3") == "0? take : 1, 1? 2 : leave, 2? take : leave");
	CHECK(ways("cpu==1 && cpu==2 || cpu==3") == "0? 1 : 2, 1? take : 2, 2? take : leave");
	CHECK(ways("cpu==1 && (cpu==2 || cpu==3)") == "0? 1 : leave, 1? take : 2, 2? take : leave");
	CHECK(ways("!(cpu==1 && cpu==2)") == "0? 1 : take, 1? leave : take");
	CHECK(ways("!(cpu==1 || !cpu==2) && cpu==3") == "0? leave : 1, 1? 2 : leave, 2? take : leave");
}

TEST_CASE("a field that cannot be compared is named, with the reason")
{
	CHECK(said_of_filter("filename == x") ==
	      "the field 'filename' cannot be compared: it is a pointer to text, and the text is not in the entry");
	CHECK(said_of_filter("args == 1") == "the field 'args' cannot be compared: it is an array of numbers");
	CHECK(said_of_filter("numbers == 1") ==
	      "the field 'numbers' cannot be compared: it is a dynamic array of numbers");
	CHECK(said_of_filter("when == 1") == "the field 'when' cannot be compared: it is a structure of 16 bytes");
	CHECK(said_of_filter("prev_pdi == 1")
		      .starts_with("no field is called 'prev_pdi' (do you mean prev_pid?); it has prev_comm, "));
	CHECK(said_of_filter("filename.ustring ~ x") ==
	      "the field 'filename.ustring' has a suffix: '.ustring' is not supported");
	CHECK(said_of_filter("cpu & CPUS{0-3}") ==
	      "the field 'cpu' is compared with a set of CPUs, which is not supported");
	CHECK(compile_filter("x == 1", {}).error().message == "no field is called 'x'");
}

TEST_CASE("a comparison that a field does not know is refused")
{
	CHECK(said_of_filter("prev_pid ~ 4*") == "the field 'prev_pid' is a number: it knows no ~");
	CHECK(said_of_filter("prev_comm < b") == "the field 'prev_comm' is text: it knows ==, != and ~");
	CHECK(said_of_filter("comm & 1") == "the field 'comm' is text: it knows ==, != and ~");
	CHECK(said_of_filter("prev_pid == bash") == "the field 'prev_pid' is a number, and 'bash' is none");
	CHECK(said_of_filter("prev_pid == '5'") == "the field 'prev_pid' is a number, and '5' is none");
	CHECK(said_of_filter("prev_pid == 089") == "the field 'prev_pid' is a number, and '089' is none");
	CHECK(said_of_filter("prev_pid == 4294967296") == "the field 'prev_pid' has 4 bytes: 4294967296 does not fit");
	CHECK(said_of_filter("prev_pid == -2147483649") ==
	      "the field 'prev_pid' has 4 bytes: -2147483649 does not fit");
	CHECK(said_of_filter("level == 256") == "the field 'level' has 1 unsigned bytes: 256 does not fit");
	CHECK(said_of_filter("level == -1") == "the field 'level' has 1 unsigned bytes: -1 does not fit");
	CHECK(said_of_filter("address == 18446744073709551616") ==
	      "the field 'address' is a number, and '18446744073709551616' is none");
	CHECK(said_of_filter("prev_comm ~ '!b*'") ==
	      "the field 'prev_comm' has a pattern that begins with !: write !(FIELD ~ PATTERN)");
}

TEST_CASE("a filter's limits are 64 comparisons, 63 characters and 64 parentheses in each other")
{
	std::string many = "cpu == 0";
	for (int i = 1; i < 64; i++)
		many += i % 2 ? " || cpu == 1" : " && cpu == 2";
	CHECK(compiled(many).size() == 64);
	CHECK(said_of_filter(many + " || cpu == 3") == "filter: more than 64 comparisons at 'cpu == 3'");
	CHECK(compiled("prev_comm == " + std::string(63, 'a')).size() == 1);
	CHECK(said_of_filter("prev_comm == " + std::string(64, 'a')) ==
	      "the field 'prev_comm' is compared with 64 characters; at most 63 are possible");
	CHECK(compiled(std::string(64, '(') + "cpu==1" + std::string(64, ')')).size() == 1);
	CHECK(said_of_filter(std::string(65, '(') + "cpu==1" + std::string(65, ')'))
		      .starts_with("filter: more than 64 parentheses"));
	CHECK(said_of_filter(std::string(100'000, '!')) ==
	      "this filter is longer than 16 KiB, or has a zero byte in it");
	CHECK(said_of_filter(std::string("cpu == 1\0", 9)) ==
	      "this filter is longer than 16 KiB, or has a zero byte in it");
}

TEST_CASE("what is no filter is refused with the place")
{
	CHECK(said_of_filter("") == "filter: a field is missing at its end");
	CHECK(said_of_filter("prev_pid") == "filter: ==, !=, <, <=, >, >=, & or ~ is missing at its end");
	CHECK(said_of_filter("prev_pid = 5") == "filter: ==, !=, <, <=, >, >=, & or ~ is missing at '= 5'");
	CHECK(said_of_filter("prev_pid ==") == "filter: a value is missing at its end");
	CHECK(said_of_filter("prev_pid == && cpu == 1") == "filter: a value is missing at '&& cpu == 1'");
	CHECK(said_of_filter("prev_pid && cpu == 1") ==
	      "filter: ==, !=, <, <=, >, >=, & or ~ is missing at '&& cpu == 1'");
	CHECK(said_of_filter("(cpu == 1") == "filter: ')' is missing at its end");
	CHECK(said_of_filter("cpu == 1)") == "filter: && or || is missing at ')'");
	CHECK(said_of_filter("cpu == 1 cpu == 2") == "filter: && or || is missing at 'cpu == 2'");
	CHECK(said_of_filter("cpu == 1 &&") == "filter: a field is missing at its end");
	CHECK(said_of_filter("comm == 'x") == "filter: the second quote is missing at ''x'");
	CHECK(said_of_filter("== 5") == "filter: a field is missing at '== 5'");
}

TEST_CASE("a filter is for the tracepoints of the -e before it, and several are joined")
{
	fake::Events machine = fake::machine();
	const auto events = parse_events(
		{{"sched:sched_switch/name=mine/u,sched:sched_wakeup", {"cpu == 1 || cpu == 2", "common_pid > 1"}},
		 {"cs", {}}},
		machine);
	REQUIRE(events);
	REQUIRE(events->size() == 3);
	CHECK((*events)[0].filter == "(cpu == 1 || cpu == 2) && (common_pid > 1)");
	CHECK((*events)[0].filter_steps.size() == 3);
	CHECK((*events)[1].filter_steps.size() == 3);
	CHECK((*events)[2].filter_steps.empty());
	CHECK(refusal("cs", machine, {"cpu == 1"}).message ==
	      "--filter is for tracepoints and func, and follows one: cs is none");
	CHECK(refusal("kprobe:vfs_read", machine, {"cpu == 1"}).code == EINVAL);
	CHECK(refusal("sched:sched_switch", machine, {"prev_pid"}).message ==
	      "filter of sched:sched_switch: filter: ==, !=, <, <=, >, >=, & or ~ is missing at its end");
	CHECK(refusal("sched:sched_switch,sched:sched_wakeup", machine, {"prev_pid == 1"}).message ==
	      "filter of sched:sched_wakeup: no field is called 'prev_pid'");
	std::vector<EventArgument> arguments;
	CHECK(add_filter(arguments, "cpu == 1").error().message == "--filter follows the -e that it is for");
	arguments.push_back({"sched:sched_switch", {}});
	REQUIRE(add_filter(arguments, "cpu == 1"));
	CHECK(arguments[0].filters.size() == 1);
}

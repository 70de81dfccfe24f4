// SPDX-License-Identifier: GPL-2.0
// Functions of the kernel by name and by pattern.
#include "events/functions.h"
#include "base/text.h"
#include "unit/events/parsed.h"

namespace {

using Functions = std::vector<std::uint64_t>;

// A module's function has its name, two functions share one, and one can never be traced.
constexpr const char* kallsyms = "ffffffff81000100 T vfs_read\n"
				 "ffffffff81000200 T vfs_write\n"
				 "ffffffff81000300 t helper\n"
				 "ffffffff81000400 t helper\n"
				 "ffffffff81000500 T never_traced\n"
				 "ffffffffc0000100 t nf_hook\t[nf_tables]\n";

fake::Events machine(const std::string& names)
{
	fake::Events events = fake::machine();
	events.files["/proc/kallsyms"] = kallsyms;
	events.files[fake::tracefs + "/available_filter_functions"] = names;
	return events;
}

fake::Events machine()
{
	return machine("vfs_read\nvfs_write\nhelper\nhelper\nnf_hook [nf_tables]\n__ftrace_invalid_address___5\n");
}

// Since Linux 6.5. Of the two helpers only the second one can be traced.
fake::Events machine_with_places()
{
	fake::Events events = machine();
	events.files[fake::tracefs + "/available_filter_functions_addrs"] =
		"ffffffff81000104 vfs_read\nffffffff81000204 vfs_write\nffffffff81000404 helper\n"
		"ffffffffc0000104 nf_hook [nf_tables]\n";
	return events;
}

std::string said_of_functions(const std::string& text, const fake::Events& of = machine())
{
	return refusal(text, of).message;
}

} // namespace

TEST_CASE("func takes names and patterns, up to a slash or a colon")
{
	const auto read = parsed("func:vfs_read", machine())[0];
	CHECK(read.type == uwind::function_type);
	CHECK(read.config == 0);
	CHECK(read.functions == Functions{0xffffffff81000100});
	CHECK(read.name == "func:vfs_read");
	CHECK(read.rate->value == 1);
	CHECK(parsed("func:vfs_*,nf_hook", machine())[0].functions ==
	      Functions{0xffffffff81000100, 0xffffffff81000200, 0xffffffffc0000100});
	const auto returns = parsed("func:vfs_read/period=5,name=reads/:ret,cs", machine());
	REQUIRE(returns.size() == 2);
	CHECK(returns[0].config == uwind::function_return);
	CHECK(returns[0].rate->value == 5);
	CHECK(returns[0].name == "reads");
	CHECK(parsed("{func:vfs_read,vfs_write}", machine()).size() == 1);
}

TEST_CASE("the kernel's lists are read once, however many events need them")
{
	fake::Events events = machine_with_places();
	REQUIRE(uwind::parse_events({{"func:vfs_read", {}}, {"func:vfs_*:ret", {}}}, events));
	CHECK(events.reads["/proc/kallsyms"] == 1);
	CHECK(events.reads[fake::tracefs + "/available_filter_functions_addrs"] == 1);
}

TEST_CASE("functions that share a name are all meant, unless it is not known which of them can be traced")
{
	CHECK(parsed("func:helper", machine())[0].functions == Functions{0xffffffff81000300, 0xffffffff81000400});
	CHECK(parsed("func:helper", machine_with_places())[0].functions == Functions{0xffffffff81000400});
	const auto one_helper = machine("helper\nvfs_read\n");
	CHECK_THAT(said_of_functions("func:helper", one_helper), Catch::Contains("does not say which of them"));
	CHECK(parsed("func:*", one_helper)[0].functions == Functions{0xffffffff81000100});
}

TEST_CASE("a function is meant by each of its names, though tracefs says one of them")
{
	fake::Events aliases = machine("__ia32_sys_getppid\n");
	aliases.files["/proc/kallsyms"] = "ffffffff81000600 T __ia32_sys_getppid\n"
					  "ffffffff81000600 T __x64_sys_getppid\n"
					  "ffffffff81000600 d data\n";
	CHECK(parsed("func:__x64_sys_getppid", aliases)[0].functions == Functions{0xffffffff81000600});
	CHECK_FALSE(said_of_functions("func:data", aliases).empty());
}

TEST_CASE("what no function is called is said, and what nobody can trace")
{
	CHECK_THAT(said_of_functions("func:vfs_raed"), Catch::Contains("do you mean vfs_read?"));
	CHECK_THAT(said_of_functions("func:vfs_raed", machine_with_places()), Catch::Contains("do you mean vfs_read?"));
	CHECK_THAT(said_of_functions("func:vfs_read,cycles"), Catch::Contains("other events have a -e of their own"));
	CHECK_THAT(said_of_functions("func:never_traced"), Catch::Contains("lets nobody trace never_traced"));
	CHECK_THAT(said_of_functions("func:x*"), Catch::Contains("matches 'x*'"));
	CHECK_THAT(said_of_functions("func:__ftrace*"), Catch::Contains("no function"));
	CHECK_THAT(said_of_functions("func:vfs_read,"), Catch::Contains("a function is missing"));
	CHECK_THAT(said_of_functions("func:vfs_read:u"), Catch::Contains("':u' of 'func:vfs_read:u' is not :ret"));
	CHECK_THAT(said_of_functions("func:vfs_read/period=5"), Catch::Contains("the second '/' is missing"));
	CHECK_THAT(said_of_functions("func:vfs_read/freq=5/"), Catch::Contains("no frequency"));
	CHECK_THAT(said_of_functions("func:vfs_read/preiod=5/"), Catch::Contains("do you mean period?"));
	CHECK_THAT(said_of_functions("{func:vfs_read}:u"), Catch::Contains("no modifiers"));
}

TEST_CASE("why functions cannot be traced here is said")
{
	fake::Events without = fake::machine();
	without.files["/proc/kallsyms"] = kallsyms;
	CHECK_THAT(said_of_functions("func:vfs_read", without), Catch::Contains("CONFIG_DYNAMIC_FTRACE"));
	without.tracing_error = EACCES;
	CHECK(refusal("func:vfs_read", without).code == EACCES);
	fake::Events hidden = machine();
	hidden.files["/proc/kallsyms"] = "0000000000000000 T vfs_read\n";
	CHECK(refusal("func:vfs_read", hidden).code == EACCES);
	CHECK_THAT(said_of_functions("func:vfs_read", hidden), Catch::Contains("kernel.kptr_restrict"));
}

TEST_CASE("many functions are asked for twice, and an event has no more than the module takes")
{
	std::string names, symbols;
	for (std::size_t i = 0; i < 1100; i++) {
		const std::string name = "f" + std::to_string(i);
		names += name + "\n";
		symbols += uwind::hex(0xffffffff82000000 + 16 * i).substr(2) + " T " + name + "\n";
	}
	fake::Events many = machine(names);
	many.files["/proc/kallsyms"] = symbols;
	const auto calls = parsed("func:f*", many)[0];
	CHECK(calls.functions.size() == 1100);
	CHECK_THAT(uwind::check_few_functions(calls).error().message, Catch::Contains("1100 functions: --force"));
	CHECK(uwind::check_few_functions(parsed("func:f1?", many)[0]));
	CHECK_THAT(said_of_functions("func:f*:ret", many),
		   Catch::Contains("matches 1100 functions; one event has at most 1024"));
}

TEST_CASE("a filter of calls looks at arguments, and of returns at the value and the time, too")
{
	fake::Events of = machine();
	const auto filtered = [&](const std::string& event, const std::string& filter) {
		return uwind::parse_events({{event, {filter}}}, of);
	};
	const auto third = filtered("func:vfs_read", "arg3 == 4096");
	REQUIRE(third);
	CHECK((*third)[0].filter_steps[0].offset == uwind::call_arguments_offset + 16);
	CHECK((*third)[0].filter_steps[0].value == 4096);
	const auto failed = filtered("func:vfs_read:ret", "ret32 < 0 && duration > 1000");
	REQUIRE(failed);
	CHECK((*failed)[0].filter_steps.size() == 2);
	CHECK_THAT(filtered("func:vfs_read", "ret < 0").error().message, Catch::Contains("of :ret only"));
	CHECK_FALSE(filtered("func:vfs_read", "arg7 == 0"));
}

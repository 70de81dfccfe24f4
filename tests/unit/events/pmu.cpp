// SPDX-License-Identifier: GPL-2.0
// Events of PMUs: terms, formats, named events, which PMUs a name means.
#include "events/pmu.h"
#include "events/terms.h"
#include "unit/events/parsed.h"

using uwind::parse_format;
using uwind::PmuFormat;
using uwind::with_value;

TEST_CASE("a format says which bits of which word a term's value has")
{
	const auto check = [](const char* text, unsigned word, std::uint64_t bits) {
		const auto format = parse_format(text);
		INFO(text);
		REQUIRE(format);
		CHECK(format->word == word);
		CHECK(format->bits == bits);
	};
	check("config:0-7", 0, 0xff);
	check("config:0-7,32-35", 0, 0xf000000ff);
	check("config:18", 0, 1 << 18);
	check("config1:0-63", 1, ~std::uint64_t{0});
	check("config2:63", 2, std::uint64_t{1} << 63);
	for (const char* text : {"", "config", "config:", "config:7-0", "config:64", "config:0-64", "config3:0",
				 "config:a", "config:0,", "bits:0-7", "config:-1"}) {
		INFO(text);
		CHECK_FALSE(parse_format(text));
	}
}

TEST_CASE("a value is spread over the bits of its format, and refused if it has more")
{
	const PmuFormat event{0, 0xf000000ff};
	CHECK(with_value(0, event, 0x1ab) == 0x1000000ab);
	CHECK(with_value(~std::uint64_t{0}, event, 0) == ~std::uint64_t{0xf000000ff});
	CHECK(with_value(0, event, 0xfff) == 0xf000000ff);
	CHECK_FALSE(with_value(0, event, 0x1000));
	CHECK(with_value(0, {1, ~std::uint64_t{0}}, ~std::uint64_t{0}) == ~std::uint64_t{0});
	CHECK(with_value(0, {0, 1 << 18}, 1) == 1 << 18);
}

TEST_CASE("terms are a PMU's own, numbers for whole words, or names of events")
{
	const auto check = [](const char* text, const char* wanted) {
		INFO(text);
		CHECK(brief(parsed(text)) == wanted);
	};
	check("cpu/event=0x3c/", "cpu/event=0x3c/ 4:3c -g");
	check("cpu/event=0x13c,umask=2,edge/u", "cpu/event=0x13c,umask=2,edge/:u 4:10004023c -kvg");
	check("cpu/ event = 60 , umask = 1 /", "cpu/ event = 60 , umask = 1 / 4:13c -g");
	check("cpu/config=0x10,config1=2,config2=3/", "cpu/config=0x10,config1=2,config2=3/ 4:10,2,3 -g");
	check("cpu/far=5/", "cpu/far=5/ 4:0,0,50 -g");
	check("cpu//", "cpu// 4:0 -g");
	check("cpu/r1a8/", "cpu/r1a8/ 4:1a8 -g");
	check("cpu/mem-loads/P", "cpu/mem-loads/:P 4:1cd,3,0 p3");
	check("cpu/event=mem-loads/", "cpu/event=mem-loads/ 4:1cd,3,0 -g");
	check("cpu/cpu-cycles,name=c0/u", "c0:u 4:3c -kvg");
	check("cpu/mem-loads,name='a,b'/", "a,b 4:1cd,3,0 -g");
	check("cpu/open,umask=7/", "cpu/open,umask=7/ 4:701 -g");
	check("cpu/instructions/", "cpu/instructions/ 0:1 -g");
	check("mem-loads:u", "cpu/mem-loads/:u 4:1cd,3,0 -kvg");
}

TEST_CASE("what the user gives counts for more than what a named event stands for, in any order")
{
	CHECK(parsed("cpu/mem-loads,ldlat=30/")[0].config1 == 30);
	CHECK(parsed("cpu/ldlat=30,mem-loads/")[0].config1 == 30);
}

TEST_CASE("a PMU is meant by its name, a pattern, or without uncore_ and its number")
{
	for (const char* text : {"uncore_imc/event=4/", "imc/event=4/", "*imc*/event=4/", "uncore_imc_?/event=4/"}) {
		INFO(text);
		const auto events = parsed(text);
		REQUIRE(events.size() == 2);
		CHECK(events[0].name == "uncore_imc_0/event=4/");
		CHECK(events[1].type == 21);
		CHECK_FALSE(events[0].exclude_guest);
	}
	CHECK(brief(parsed("uncore_imc_1/cas_count_read/")) == "uncore_imc_1/cas_count_read/ 21:4");
	CHECK(brief(parsed("imc_1/cas_count_read/k")) == "uncore_imc_1/cas_count_read/:k 21:4 -uv");
	CHECK(parsed("cas_count_read").size() == 2);
	CHECK(refusal("im/event=4/").message == "'im/event=4/': this machine has no PMU 'im'");
	CHECK(refusal("cpy/event=4/").message == "'cpy/event=4/': this machine has no PMU 'cpy' (do you mean cpu?)");
	CHECK(refusal("/event=4/").message == "'/event=4/': this machine has no PMU ''");
	CHECK(refusal("../event=4/").code == EINVAL);
}

TEST_CASE("cpu stands for the PMUs of all kinds of CPUs")
{
	CHECK(brief(parsed("cpu/event=0x3c/", fake::hybrid())) ==
	      "cpu_atom/event=0x3c/ 10:3c -g; cpu_core/event=0x3c/ 4:3c -g");
	CHECK(brief(parsed("cpu/topdown/", fake::hybrid())) == "cpu_core/topdown/ 4:5 -g");
	CHECK(brief(parsed("cpu_core/instructions/", fake::hybrid())) == "cpu_core/instructions/ 0:400000001 -g");
	CHECK(refusal("cpu/event=1/", fake::Events()).message == "'cpu/event=1/': this machine has no PMU of its CPUs");
}

TEST_CASE("a term that is wrong is named")
{
	const auto said = [](const char* text) { return refusal(text).message; };
	CHECK(said("cpu/event=0x1000/") == "cpu/event=0x1000/: the term 'event' has 12 bits: 0x1000 is too large");
	CHECK(said("cpu/umaks=1/") ==
	      "cpu/umaks=1/: the PMU cpu has no event and no term 'umaks' (do you mean umask?)");
	CHECK(said("cpu/umask=x/") == "cpu/umask=x/: the term 'umask' needs a number, not 'x'");
	CHECK(said("cpu/config=x/") == "cpu/config=x/: the term 'config' needs a number");
	CHECK(said("cpu/mem-loads=2/") == "cpu/mem-loads=2/: the event cpu/mem-loads/ takes no value");
	CHECK(said("cpu/open/") == "cpu/open/: the event cpu/open/ needs a value: umask=...");
	CHECK(said("cpu/newer=1/") ==
	      "cpu/newer=1/: the kernel's form of the term 'newer' is not supported: config3:0-7");
	CHECK(said("cpu/time=1/") == "cpu/time=1/: the term 'time' is not supported");
	CHECK(said("cpu/@x/") == "cpu/@x/: the term '@x' is not supported");
	CHECK(said("cpu/event=1,,umask=1/") == "cpu/event=1,,umask=1/: a term is missing in 'event=1,,umask=1'");
	CHECK(said("cpu/event=1,/") == "cpu/event=1,/: a term is missing in 'event=1,'");
	CHECK(said("cpu/=1/") == "cpu/=1/: a term is missing in '=1'");
	CHECK(said("cpu/name='a/") == "the second '/' is missing in 'cpu/name='a/'");
	CHECK(said("cpu/event=1") == "the second '/' is missing in 'cpu/event=1'");
	CHECK(said("cpu/event=1/x") == "cpu/event=1/x: modifiers 'x': 'x' is none of u, k, h, I, G, H, p, P, W");
	CHECK(said("cpu/event=1/:") == "cpu/event=1/:: modifiers ':': ':' is none of u, k, h, I, G, H, p, P, W");
	CHECK(said("uncore_imc_0/instructions/") ==
	      "uncore_imc_0/instructions/: the PMU uncore_imc_0 has no event and no term 'instructions'");
}

TEST_CASE("a named event that the kernel describes wrongly is refused")
{
	fake::Events machine = fake::machine();
	machine.named("cpu", "odd", "event=0x1,what=2");
	CHECK(refusal("cpu/odd/", machine).message ==
	      "cpu/odd/: cpu/odd/: the PMU cpu has no event and no term 'what'");
	machine.named("cpu", "empty", "event=,");
	CHECK(refusal("cpu/empty/", machine).code == EINVAL);
	machine.files[fake::devices + "cpu/type"] = "x\n";
	CHECK(refusal("cpu/event=1/", machine).message == "'cpu/event=1/': this machine has no PMU of its CPUs");
}

// SPDX-License-Identifier: GPL-2.0
// Events by name: hardware, software, caches, raw; and their modifiers.
#include "events/names.h"
#include "events/modifiers.h"
#include "unit/events/parsed.h"

namespace {

struct Row {
	const char* text;
	const char* wanted;
};

constexpr Row plain_names[] = {
	{"cycles", "0:0 -g"},
	{"cpu-cycles", "0:0 -g"},
	{"instructions", "0:1 -g"},
	{"cache-references", "0:2 -g"},
	{"cache-misses", "0:3 -g"},
	{"branches", "0:4 -g"},
	{"branch-instructions", "0:4 -g"},
	{"branch-misses", "0:5 -g"},
	{"bus-cycles", "0:6 -g"},
	{"stalled-cycles-frontend", "0:7 -g"},
	{"idle-cycles-frontend", "0:7 -g"},
	{"stalled-cycles-backend", "0:8 -g"},
	{"idle-cycles-backend", "0:8 -g"},
	{"ref-cycles", "0:9 -g"},
	{"cpu-clock", "1:0 -gi"},
	{"task-clock", "1:1 -gi"},
	{"page-faults", "1:2 -g"},
	{"faults", "1:2 -g"},
	{"context-switches", "1:3 -g"},
	{"cs", "1:3 -g"},
	{"cpu-migrations", "1:4 -g"},
	{"migrations", "1:4 -g"},
	{"minor-faults", "1:5 -g"},
	{"major-faults", "1:6 -g"},
	{"alignment-faults", "1:7 -g"},
	{"emulation-faults", "1:8 -g"},
	{"dummy", "1:9 -g"},
	{"bpf-output", "1:a -g"},
	{"cgroup-switches", "1:b -g"},
	{"r1a8", "4:1a8 -g"},
	{"r0x1A8", "4:1a8 -g"},
	{"rffffffffffffffff", "4:ffffffffffffffff -g"},
	{"1:3", "1:3 -g"},
	{"0x4:0x10", "4:10 -g"},
};

constexpr Row cache_names[] = {
	{"L1-dcache-loads", "3:0 -g"},
	{"L1-dcache-load-misses", "3:10000 -g"},
	{"L1-dcache-stores", "3:100 -g"},
	{"L1-dcache-store-misses", "3:10100 -g"},
	{"L1-dcache-prefetches", "3:200 -g"},
	{"L1-dcache-prefetch-misses", "3:10200 -g"},
	{"l1d-misses", "3:10000 -g"},
	{"l1-d-misses-load", "3:10000 -g"},
	{"L1-data-speculative-read-miss", "3:10200 -g"},
	{"L1-icache-load-misses", "3:10001 -g"},
	{"L1-ICACHE-LOADS", "3:1 -g"},
	{"LLC-loads", "3:2 -g"},
	{"LLC-store-misses", "3:10102 -g"},
	{"L2-refs", "3:2 -g"},
	{"dTLB-load-misses", "3:10003 -g"},
	{"d-tlb-write-access", "3:103 -g"},
	{"Data-TLB", "3:3 -g"},
	{"iTLB-load-misses", "3:10004 -g"},
	{"branch-loads", "3:5 -g"},
	{"branch-load-misses", "3:10005 -g"},
	{"bpu-read-ops", "3:5 -g"},
	{"node-prefetch-misses", "3:10206 -g"},
};

constexpr Row modified[] = {
	{"cycles:u", "0:0 -kvg"},
	{"cycles:k", "0:0 -uv"},
	{"cycles:h", "0:0 -uk"},
	{"cycles:uk", "0:0 -vg"},
	{"cycles:ukh", "0:0 -g"},
	{"cycles:G", "0:0 -h"},
	{"cycles:H", "0:0 -g"},
	{"cycles:GH", "0:0"},
	{"cycles:uG", "0:0 -kvh"},
	{"cycles:Gu", "0:0 -kvh"},
	{"cycles:I", "0:0 -i"},
	{"cycles:p", "0:0 -g p1"},
	{"cycles:upp", "0:0 -kvg p2"},
	{"cycles:ppp", "0:0 -g p3"},
	{"cycles:W", "0:0"},
	{"cpu-clock:u", "1:0 -kvgi"},
	{"task-clock:k", "1:1 -uvi"},
	{"LLC-loads:u", "3:2 -kvg"},
	{"rc0:ku", "4:c0 -vg"},
	{"1:3:u", "1:3 -kvg"},
	{"cycles/period=5/u", "0:0 -kvg"},
	{"cycles/period=5/:u", "0:0 -kvg"},
};

template <std::size_t Count>
void check(const Row (&rows)[Count])
{
	for (const Row& row : rows) {
		INFO(row.text);
		const auto events = parsed(row.text);
		REQUIRE(events.size() == 1);
		CHECK(brief(events[0]) == row.wanted);
	}
}

} // namespace

TEST_CASE("hardware, software and raw events have perf's names and numbers")
{
	check(plain_names);
}

TEST_CASE("a cache event's name is its cache, what is done and how it ends, whatever letters are large")
{
	check(cache_names);
}

TEST_CASE("a modifier names what is counted, and the first of its kind leaves out the rest")
{
	check(modified);
}

TEST_CASE("an event is called as it was typed, without blanks around it")
{
	CHECK(parsed(" cycles:u ")[0].name == "cycles:u");
	CHECK(parsed("cpu-cycles")[0].name == "cpu-cycles");
	CHECK(parsed("cycles/period=3,name=mine/u")[0].name == "mine:u");
	CHECK(parsed("cycles/period=3/u")[0].name == "cycles:u");
	CHECK(parsed("requests")[0].name == "requests");
}

TEST_CASE("requests has no counter, and so no modifier and no term")
{
	CHECK(parsed("requests")[0].is_requests);
	for (const char* text : {"requests:u", "requests/period=1/", "{requests}:u"})
		CHECK(refusal(text).message == "requests has no counter: no modifiers, and no terms");
}

TEST_CASE("offcpu counts times from a least length on, so many a second, and has no modifiers")
{
	const auto plain = parsed("offcpu")[0];
	CHECK(plain.name == "offcpu");
	CHECK(plain.type == uwind::off_cpu_type);
	CHECK(plain.rate->value == 100'000);
	CHECK(plain.config == 0);
	CHECK(plain.config1 == 0);
	const auto all = parsed("offcpu/period=5,limit=7,wakers=0,name=away/")[0];
	CHECK(all.name == "away");
	CHECK(all.rate->value == 5);
	CHECK(all.config == 7);
	CHECK(all.config1 == uwind::off_cpu_no_wakers);
	CHECK(parsed("offcpu/wakers=1/")[0].config1 == 0);
	const auto said = [](const char* text) { return refusal(text).message; };
	CHECK(said("offcpu:u") == "offcpu has no modifiers: it is about the thread, wherever it was");
	CHECK(said("{offcpu}:k") == "offcpu has no modifiers: it is about the thread, wherever it was");
	CHECK(said("offcpu/limit=0/") == "offcpu/limit=0/: the term 'limit' of offcpu needs a number above 0");
	CHECK(said("offcpu/wakers=2/") == "offcpu/wakers=2/: the term 'wakers' of offcpu needs a number up to 1");
	CHECK(said("offcpu/limit=x/") == "offcpu/limit=x/: the term 'limit' of offcpu needs a number up to 4294967295");
	CHECK(said("offcpu/freq=9/").find("offcpu has no frequency") != std::string::npos);
	CHECK(said("offcpu/limits=9/").find("do you mean limit?") != std::string::npos);
	CHECK(said("ofcpu").find("do you mean offcpu?") != std::string::npos);
}

TEST_CASE("the most precise level is the highest that the machine opens")
{
	fake::Events machine = fake::machine();
	machine.opens = [](const uwind::EventSpec& event) { return event.precise > 2 ? EOPNOTSUPP : 0; };
	CHECK(brief(parsed("cycles:P", machine)[0]) == "0:0 p2");
	machine.opens = [](const uwind::EventSpec& event) { return event.precise ? EOPNOTSUPP : 0; };
	CHECK(brief(parsed("cycles:uP", machine)[0]) == "0:0 -kvg");
}

TEST_CASE("what is no modifier is refused, and what uwind does not do says why")
{
	const auto said = [](const char* text) { return refusal(text).message; };
	CHECK(said("cycles:S") ==
	      "cycles:S: modifiers 'S': S is not supported: samples have no values of other events of their group");
	CHECK(said("cycles:uD") == "cycles:uD: modifiers 'uD': D is not supported: events cannot be pinned");
	CHECK(said("cycles:e") ==
	      "cycles:e: modifiers 'e': e is not supported: events cannot have the counters for themselves");
	CHECK(said("cycles:b") == "cycles:b: modifiers 'b': b is not supported: events are counted without BPF");
	CHECK(said("cycles:x") == "cycles:x: modifiers 'x': 'x' is none of u, k, h, I, G, H, p, P, W");
	CHECK(said("cycles:uu") == "cycles:uu: modifiers 'uu': u is there twice");
	CHECK(said("cycles:pppp") == "cycles:pppp: modifiers 'pppp': there are at most three p");
	CHECK(said("cycles:") == "modifiers are missing after the colon of 'cycles:'");
	CHECK(said("cycles:u:k") == "'cycles:u:k' has a colon too many");
	CHECK(said("{cycles}:") == "modifiers are missing after '}:'");
	CHECK(uwind::Modifiers().read("").error().message == "modifiers '': none after the colon");
}

TEST_CASE("rates come from terms, one for an event")
{
	const auto rate = [](const char* text) {
		const auto events = parsed(text);
		return events[0].rate
			       ? std::to_string(events[0].rate->value) + (events[0].rate->is_frequency ? " Hz" : "")
			       : "";
	};
	CHECK(rate("cycles").empty());
	CHECK(rate("cycles/period=1000/") == "1000");
	CHECK(rate("cs/period=0x10/") == "16");
	CHECK(rate("cycles/freq=99/") == "99 Hz");
	CHECK(rate("sched:sched_switch/period=7/") == "7");
	CHECK(refusal("cycles/freq=99,period=1/").message ==
	      "cycles/freq=99,period=1/: one event has one period or frequency, not two");
	CHECK(refusal("cycles/period=0/").message == "cycles/period=0/: the term 'period' needs a number above 0");
	CHECK(refusal("cycles/period/").message == "cycles/period/: the term 'period' needs a number above 0");
	CHECK(refusal("cycles/name/").message == "cycles/name/: the term 'name' needs a name");
	CHECK(refusal("cycles/perod=5/").message ==
	      "cycles/perod=5/: unknown term 'perod' (do you mean period?): this event knows period, freq and name");
	CHECK(refusal("cycles/call-graph=fp/").message ==
	      "cycles/call-graph=fp/: the term 'call-graph' is not supported");
}

TEST_CASE("an unknown word gets the name that is meant")
{
	CHECK(refusal("cycle").message ==
	      "no event is called 'cycle' (do you mean cycles?); uwind list events lists them");
	CHECK(refusal("cycle:u").message ==
	      "no event is called 'cycle' (do you mean cycles?); uwind list events lists them");
	CHECK(refusal("page-fault").code == EINVAL);
	CHECK(refusal("L1-dcache-load-mises").message == "no event is called 'L1-dcache-load-mises' (do you mean "
							 "L1-dcache-load-misses?); uwind list events lists them");
	CHECK(refusal("L1-icache-stores").code == EINVAL);
	CHECK(refusal("cpu").message == "'cpu': cpu is a PMU: name its event, cpu/EVENT/");
	fake::Events bare;
	CHECK(refusal("topdown-retiring", bare).message ==
	      "no event is called 'topdown-retiring'; uwind list events lists "
	      "them (this machine has no PMU of its CPUs)");
	CHECK(refusal("rfffffffffffffffff").code == EINVAL);
}

TEST_CASE("where CPUs are of several kinds, an event of theirs becomes one for each kind")
{
	CHECK(brief(parsed("cycles:u", fake::hybrid())) ==
	      "cpu_atom/cycles/:u 0:a00000000 -kvg; cpu_core/cycles/:u 0:400000000 -kvg");
	CHECK(brief(parsed("LLC-loads", fake::hybrid())) ==
	      "cpu_atom/LLC-loads/ 3:a00000002 -g; cpu_core/LLC-loads/ 3:400000002 -g");
	CHECK(brief(parsed("r1a8", fake::hybrid())) == "cpu_atom/r1a8/ 10:1a8 -g; cpu_core/r1a8/ 4:1a8 -g");
	CHECK(brief(parsed("cpu-clock", fake::hybrid())) == "cpu-clock 1:0 -gi");
	CHECK(brief(parsed("cycles/name=c/", fake::hybrid())) == "c 0:a00000000 -g; c 0:400000000 -g");
	fake::Events old = fake::hybrid();
	old.opens = [](const uwind::EventSpec& event) { return event.config >> 32 ? ENOENT : 0; };
	CHECK(brief(parsed("cycles", old)) == "cycles 0:0 -g");
	old.opens = [](const uwind::EventSpec&) { return EACCES; };
	CHECK(parsed("cycles", old).size() == 2);
}

TEST_CASE("events that perf would sample at each occurrence say so")
{
	for (const char* text : {"sched:sched_switch", "mem:0x1000", "kprobe:vfs_read", "uprobe:/usr/bin/db:main"})
		CHECK(parsed(text)[0].each_time);
	for (const char* text : {"cycles", "cs", "LLC-loads", "r1", "cpu/mem-loads/"})
		CHECK_FALSE(parsed(text)[0].each_time);
}

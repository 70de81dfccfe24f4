// SPDX-License-Identifier: GPL-2.0
// What a machine has: names and kinds, patterns, and why something is missing.
#include <algorithm>
#include <sstream>

#include "events/catalogue.h"
#include "events/functions.h"
#include "export/events.h"
#include "unit/events/parsed.h"

using uwind::EventList;

namespace {

EventList list(fake::Events machine, const std::vector<std::string>& patterns = {})
{
	return uwind::list_events(machine, patterns);
}

// "": not listed.
std::string kind_of(const EventList& list, const std::string& name)
{
	for (const auto& event : list.events)
		if (event.name == name)
			return event.kind;
	return "";
}

std::string names(const EventList& list)
{
	std::string all;
	for (const auto& event : list.events)
		all += (all.empty() ? "" : " ") + event.name;
	return all;
}

bool has_note(const EventList& list, const std::string& note)
{
	return std::count(list.notes.begin(), list.notes.end(), note) > 0;
}

} // namespace

TEST_CASE("every kind of event is listed, with what it is called otherwise")
{
	const EventList all = list(fake::machine());
	CHECK(kind_of(all, "cpu-cycles") == "hardware event");
	CHECK(kind_of(all, "cycles") == "hardware event, the same as cpu-cycles");
	CHECK(kind_of(all, "page-faults") == "software event");
	CHECK(kind_of(all, "L1-dcache-load-misses") == "cache event");
	CHECK(kind_of(all, "cpu/mem-loads/") == "PMU event");
	CHECK(kind_of(all, "cpu/mem-loads.scale/").empty());
	CHECK(kind_of(all, "sched:sched_switch") == "tracepoint");
	CHECK(kind_of(all, "sched:enable").empty());
	CHECK(kind_of(all, "usdt:PATH:PROVIDER:NAME") == "probe");
	CHECK(kind_of(all, "mem:ADDRESS[/LENGTH][:rwx]") == "breakpoint");
	CHECK(kind_of(all, "requests") == "requests of BPF programs and modules");
	CHECK(all.notes.empty());
}

TEST_CASE("every plain name that is listed can be parsed, and is what its line says")
{
	for (const auto& event : list(fake::machine()).events) {
		if (event.kind.starts_with("raw") || event.kind == "probe" || event.kind == "breakpoint" ||
		    event.name.find("NAME") != std::string::npos || event.name == "cpu/open/" ||
		    event.name == "ftrace:function" || event.name == uwind::function_form)
			continue;
		INFO(event.name);
		CHECK(parsed(event.name).size() == 1);
	}
}

TEST_CASE("hardware and cache events that the machine does not open are not listed")
{
	fake::Events machine = fake::machine();
	machine.opens = [](const uwind::EventSpec& event) { return event.type == 0 && event.config == 0 ? 0 : ENOENT; };
	const EventList some = list(machine);
	CHECK(kind_of(some, "cycles") != "");
	CHECK(kind_of(some, "instructions").empty());
	CHECK(kind_of(some, "LLC-loads").empty());
	CHECK(kind_of(some, "cpu-clock") != "");
}

TEST_CASE("where this user may not try events, all are listed, and a note says so")
{
	fake::Events machine = fake::machine();
	machine.opens = [](const uwind::EventSpec&) { return EACCES; };
	machine.files["/proc/sys/kernel/perf_event_paranoid"] = "3\n";
	const EventList all = list(machine);
	CHECK(kind_of(all, "LLC-loads") == "cache event");
	CHECK(has_note(all,
		       "hardware and cache events are listed without being tried: kernel.perf_event_paranoid is 3, and "
		       "this user has no CAP_PERFMON"));
	CHECK(list(machine, {"cache event"}).notes.size() == 1);
	CHECK(list(machine, {"dummy"}).notes.empty());
}

TEST_CASE("what is missing on a machine is said once")
{
	fake::Events bare;
	bare.opens = [](const uwind::EventSpec&) { return ENOENT; };
	bare.tracing_error = ENODEV;
	const EventList some = list(bare);
	CHECK(has_note(some, "this machine has no PMU of its CPUs: no hardware and no cache events"));
	CHECK(has_note(some, "kprobe probes are missing: this kernel has no CONFIG_KPROBE_EVENTS"));
	CHECK(has_note(some,
		       "tracepoints are not listed: tracepoints are read from tracefs, which is not mounted: mount -t "
		       "tracefs tracefs /sys/kernel/tracing"));
	CHECK(some.notes.size() == 4);
	CHECK(list(bare, {"dummy"}).notes.empty());
	CHECK(list(bare, {"cycles"}).notes.size() == 4);
	CHECK(kind_of(some, "kprobe:SYMBOL[+OFFSET]").empty());
	CHECK(kind_of(some, "signal").empty());
}

TEST_CASE("a pattern is for the whole name or kind, a plain word for any part of them")
{
	CHECK(names(list(fake::machine(), {"sched:*"})) ==
	      "sched:sched_process_exec sched:sched_switch sched:sched_wakeup");
	CHECK(names(list(fake::machine(), {"openat", "migr"})) ==
	      "cpu-migrations migrations syscalls:sys_enter_openat syscalls:sys_exit_openat");
	CHECK(list(fake::machine(), {"tracepoint"}).events.size() == 52);
	CHECK(list(fake::machine(), {"nothing*"}).events.empty());
}

TEST_CASE("a line has a name and a kind, in columns unless a name is very long")
{
	std::ostringstream out;
	uwind::write_events({{"a", "x"}, {"bcd", "y"}, {std::string(60, 'z'), "w"}}, out);
	CHECK(out.str() == "a    x\nbcd  y\n" + std::string(60, 'z') + "  w\n");
}

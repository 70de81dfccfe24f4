// SPDX-License-Identifier: GPL-2.0
// The attributes that perf opens for the same texts: `perf stat -vv` prints them. Skipped where perf is missing, and
// tracepoints where this user has no tracefs; hidden, since perf mounts it: these tests have a mount namespace of their
// own.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>
#include <sched.h>
#include <set>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/handle.h"
#include "events/names.h"
#include "io/event_machine.h"
#include "unit/events/parsed.h"
#include "unit/skipped.h"

namespace {

std::string output_of(const std::string& command)
{
	const std::unique_ptr<FILE, uwind::FreeWith<&::pclose>> pipe(::popen(command.c_str(), "r"));
	std::string text;
	std::array<char, 4096> part{};
	while (const std::size_t length = pipe ? std::fread(part.data(), 1, part.size(), pipe.get()) : 0)
		text.append(part.data(), length);
	return text;
}

// A mount namespace with tracefs. Not for root only: without, tracepoints are left out.
bool has_tracefs()
{
	if (::geteuid() == 0 && ::unshare(CLONE_NEWNS) == 0) {
		(void)::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr);
		if (::access("/sys/kernel/tracing/events", F_OK) != 0)
			(void)::mount("tracefs", "/sys/kernel/tracing", "tracefs", 0, nullptr);
	}
	return ::access("/sys/kernel/tracing/events", R_OK) == 0;
}

// perf prints members that are not 0, a line each: "  config      0x174".
std::uint64_t member(const std::string& attributes, const std::string& name)
{
	const auto at = attributes.find("\n  " + name + " ");
	return at == std::string::npos ? 0 : std::strtoull(attributes.c_str() + at + name.size() + 3, nullptr, 0);
}

// The last ones that perf prints for one event: earlier ones were refused by the kernel.
std::vector<std::string> attributes_of(const std::string& text, bool last)
{
	const std::string said = output_of("perf stat -vv -e '" + text + "' true 2>&1");
	std::vector<std::string> found;
	for (auto at = said.find("perf_event_attr:"); at != std::string::npos;
	     at = said.find("perf_event_attr:", at + 1))
		found.push_back(said.substr(at, said.find("-----", at) - at));
	if (last && !found.empty())
		found = {found.back()};
	return found;
}

uwind::EventSpec spec_of(const std::string& attributes)
{
	uwind::EventSpec spec;
	spec.type = static_cast<std::uint32_t>(member(attributes, "type"));
	spec.config = member(attributes, "config");
	spec.config1 = member(attributes, "{ bp_addr, config1 }");
	spec.config2 = member(attributes, "{ bp_len, config2 }");
	spec.bp_type = static_cast<std::uint32_t>(member(attributes, "bp_type"));
	spec.exclude_user = member(attributes, "exclude_user");
	spec.exclude_kernel = member(attributes, "exclude_kernel");
	spec.exclude_hv = member(attributes, "exclude_hv");
	spec.exclude_host = member(attributes, "exclude_host");
	spec.exclude_guest = member(attributes, "exclude_guest");
	spec.exclude_idle = member(attributes, "exclude_idle");
	spec.precise = static_cast<std::uint8_t>(member(attributes, "precise_ip"));
	return spec;
}

// perf leaves idle time in; uwind always leaves it out of clocks.
std::string without_idle(uwind::EventSpec spec, const std::string& text)
{
	if (text.find("-clock") != std::string::npos)
		spec.exclude_idle = false;
	return brief(spec) + " " + std::to_string(spec.bp_type);
}

std::vector<std::string> spellings()
{
	std::vector<std::string> texts = {"cycles:u",
					  "cycles:k",
					  "cycles:h",
					  "cycles:uk",
					  "cycles:ukh",
					  "cycles:G",
					  "cycles:H",
					  "cycles:GH",
					  "cycles:uG",
					  "cycles:Gu",
					  "cycles:I",
					  "cycles:uI",
					  "cycles:p",
					  "cycles:upp",
					  "cycles:ppp",
					  "cycles:kpp",
					  "cycles:W",
					  "instructions:u",
					  "branches:kH",
					  "r1a8",
					  "r0",
					  "rffff",
					  "r1a8:k",
					  "r1a8:upp",
					  "rdeadbeef",
					  "1:3",
					  "0:4",
					  "1:3:u",
					  "cs:u",
					  "faults:k",
					  "cpu-clock:u",
					  "task-clock:k",
					  "L1-dcache-load-misses:u",
					  "l1d-misses",
					  "l1-d-load-miss",
					  "L2-refs",
					  "LLC",
					  "d-tlb-store-access",
					  "Data-TLB-read",
					  "bpu-loads",
					  "btb-load-miss",
					  "node-prefetches:k",
					  "L1-dcache-speculative-read",
					  "mem:0x1000",
					  "mem:0x1000:r",
					  "mem:0x1000:w",
					  "mem:0x1000:rw",
					  "mem:4096:wr",
					  "mem:0x1000:x",
					  "mem:0x1000/1",
					  "mem:0x1000/8:w",
					  "mem:0x1000/2:rw:u",
					  "mem:0x1000:u",
					  "cycles/period=1000/",
					  "cycles/name=mine/u",
					  "cs/period=10/k",
					  "{cs,faults}:k",
					  "{cs:k,faults}:u",
					  "{cs:p,faults:u}:G",
					  "{cs:I,faults:h}:k"};
	for (const auto& events : {uwind::hardware_events(), uwind::software_events(), uwind::cache_events()})
		for (const auto& event : events) {
			texts.push_back(event.name);
			texts.insert(texts.end(), event.aliases.begin(), event.aliases.end());
		}
	return texts;
}

std::vector<std::string> of_this_machine()
{
	std::vector<std::string> texts;
	uwind::EventMachine machine;
	for (const char* text : {"msr/tsc/", "msr/tsc/u", "tsc", "power/energy-psys/", "msr/event=4/", "msr/config=3/"})
		if (uwind::parse_events({{text, {}}}, machine))
			texts.emplace_back(text);
	return texts;
}

bool has_perf()
{
	return !output_of("perf version 2>/dev/null").empty() || skipped("perf is not installed");
}

// How many events were compared.
std::size_t compare(const std::vector<std::string>& texts, bool last)
{
	uwind::EventMachine machine;
	std::size_t compared = 0;
	for (const std::string& text : texts) {
		INFO(text);
		const auto events = uwind::parse_events({{text, {}}}, machine);
		REQUIRE(events);
		const auto wanted = attributes_of(text, last);
		REQUIRE_FALSE(wanted.empty());
		// perf takes the tracepoints of a pattern in the order of their folder, and also prints what it tries
		// after the kernel has refused an event.
		std::multiset<std::string> ours, theirs;
		for (const uwind::EventSpec& event : *events)
			ours.insert(without_idle(event, text));
		for (const std::string& attributes : wanted)
			theirs.insert(without_idle(spec_of(attributes), text));
		CAPTURE(ours, theirs);
		CHECK(std::includes(theirs.begin(), theirs.end(), ours.begin(), ours.end()));
		compared += events->size();
	}
	return compared;
}

} // namespace

TEST_CASE("perf opens the same attributes for the same text", "[.perf]")
{
	if (!has_perf())
		return;
	(void)has_tracefs(); // before perf mounts it for all
	const auto texts = spellings(), of_pmus = of_this_machine();
	const std::size_t compared = compare(texts, false) + compare(of_pmus, true);
	std::printf("%zu spellings, %zu events compared with perf's\n", texts.size() + of_pmus.size(), compared);
	CHECK(texts.size() >= 60);
}

TEST_CASE("perf opens the same attributes for the same tracepoints", "[.perf-tracepoints]")
{
	if (!has_perf())
		return;
	if (!has_tracefs() && !skipped("this user has no tracefs: run it as root"))
		return;
	const std::size_t compared =
		compare({"sched:sched_switch", "sched:sched_switch:u", "signal:signal_deliver:k",
			 "raw_syscalls:sys_enter", "syscalls:sys_enter_openat", "syscalls:sys_exit_read:u",
			 "sched:sched_process_*", "syscalls:sys_enter_open*", "sched:sched_wak*"},
			false);
	std::printf("%zu tracepoints compared with perf's\n", compared);
	CHECK(compared >= 9);
}

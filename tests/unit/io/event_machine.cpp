// SPDX-License-Identifier: GPL-2.0
// This machine's events, and files with probes.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cerrno>
#include <dlfcn.h>
#include <fstream>
#include <gnu/libc-version.h>
#include <set>

#include "events/names.h"
#include "events/parse.h"
#include "io/event_machine.h"
#include "unit/skipped.h"
#include "unit/temporary_folder.h"

extern "C" __attribute__((noinline, visibility("default"))) int uwind_probe_me(int argument)
{
	return argument + 1;
}

namespace {

uwind::EventMachine machine;

std::string c_library()
{
	Dl_info info{};
	return ::dladdr(reinterpret_cast<void*>(&::gnu_get_libc_version), &info) ? info.dli_fname : "";
}

std::string output_of(const std::string& command)
{
	FILE* pipe = ::popen(command.c_str(), "r");
	std::string text;
	char part[4096];
	while (const std::size_t length = pipe ? std::fread(part, 1, sizeof(part), pipe) : 0)
		text.append(part, length);
	if (pipe)
		::pclose(pipe);
	return text;
}

} // namespace

TEST_CASE("names of a folder are sorted, without those that are hidden")
{
	TemporaryFolder folder;
	for (const char* name : {"b", "a", ".c"})
		std::ofstream(folder.at(name)) << "x";
	const auto names = machine.list(folder.path);
	REQUIRE(names);
	CHECK(*names == std::vector<std::string>{"a", "b"});
	CHECK(machine.list(folder.at("none")).error().code == ENOENT);
	CHECK(*machine.read(folder.at("a")) == "x");
}

TEST_CASE("a software event opens, an event of no PMU does not")
{
	const auto dummy = uwind::find_symbol_event("dummy");
	const auto tried = machine.try_event(dummy->event);
	CHECK((tried || tried.error().code == EACCES || tried.error().code == EPERM));
	uwind::EventSpec none;
	none.type = 0xfffffff0;
	none.exclude_kernel = true;
	CHECK_FALSE(machine.try_event(none));
}

TEST_CASE("where tracefs is, or why it is not, has one of four answers")
{
	const auto tracing = machine.tracing();
	if (tracing)
		CHECK(machine.list(*tracing + "/events"));
	else
		CHECK(std::set<int>{ENOENT, ENODEV, EACCES}.count(tracing.error().code) == 1);
}

TEST_CASE("a function's place in this program holds the function's own bytes")
{
	const auto file = machine.probe_file("/proc/self/exe");
	REQUIRE(file);
	const auto symbol = std::find_if(file->symbols.begin(), file->symbols.end(),
					 [](const uwind::ProbeSymbol& one) { return one.name == "uwind_probe_me"; });
	REQUIRE(symbol != file->symbols.end());
	CHECK(uwind_probe_me(1) == 2);
	std::ifstream program(file->path);
	program.seekg(static_cast<std::streamoff>(symbol->offset));
	char bytes[8];
	REQUIRE(program.read(bytes, sizeof(bytes)));
	CHECK(std::equal(bytes, bytes + sizeof(bytes), reinterpret_cast<const char*>(&uwind_probe_me)));
}

TEST_CASE("a program is looked up in PATH, a library by its path, and what is no ELF file is refused")
{
	CHECK(machine.probe_file("sh")->path[0] == '/');
	CHECK(machine.probe_file("no-such-program").error().message ==
	      "no program is called 'no-such-program': a library needs its whole path");
	CHECK(machine.probe_file("/no/such/file").error().code == ENOENT);
	TemporaryFolder folder;
	std::ofstream(folder.at("script")) << "#!/bin/sh\n";
	CHECK(machine.probe_file(folder.at("script")).error().code == EINVAL);
	const auto library = machine.probe_file(c_library());
	REQUIRE(library);
	CHECK(std::any_of(library->symbols.begin(), library->symbols.end(),
			  [](const uwind::ProbeSymbol& one) { return one.name == "malloc"; }));
}

#if __SIZEOF_POINTER__ == 8
// As sys/sdt.h writes a probe that has a semaphore.
extern "C" {
volatile std::uint16_t uwind_probe_users = 0x5aa5;
__attribute__((noinline)) void uwind_static_probe()
{
	__asm__ volatile("990:	nop\n"
			 ".pushsection .note.stapsdt,\"\",\"note\"\n"
			 ".balign 4\n"
			 ".4byte 992f-991f, 994f-993f, 3\n"
			 "991:	.asciz \"stapsdt\"\n"
			 "992:	.balign 4\n"
			 "993:	.8byte 990b, 0, uwind_probe_users\n"
			 "	.asciz \"uwind\"\n"
			 "	.asciz \"probe\"\n"
			 "	.asciz \"\"\n"
			 "994:	.balign 4\n"
			 ".popsection\n");
}
}

TEST_CASE("a static probe's place and semaphore in this program hold its own bytes, where readelf says")
{
	uwind_static_probe();
	const auto file = machine.probe_file("/proc/self/exe");
	REQUIRE(file);
	REQUIRE(file->places.size() == 1);
	const uwind::ProbePlace& place = file->places[0];
	CHECK(place.provider == "uwind");
	CHECK(place.name == "probe");
	std::ifstream program(file->path);
	std::uint16_t users = 0;
	program.seekg(static_cast<std::streamoff>(place.semaphore_offset));
	program.read(reinterpret_cast<char*>(&users), sizeof(users));
	CHECK(users == uwind_probe_users);
	const std::string said = output_of("readelf -nW " + file->path + " 2>/dev/null");
	const auto location = said.find("Location: ");
	Dl_info info{};
	REQUIRE(::dladdr(reinterpret_cast<void*>(&uwind_static_probe), &info));
	if (location == std::string::npos && !skipped("there is no readelf"))
		return;
	const auto address = std::stoull(said.substr(location + 10), nullptr, 16);
	char bytes[8];
	program.seekg(static_cast<std::streamoff>(place.offset));
	REQUIRE(program.read(bytes, sizeof(bytes)));
	CHECK(std::equal(bytes, bytes + sizeof(bytes), static_cast<const char*>(info.dli_fbase) + address));
}

// Opening registers the probe: the kernel checks the file, the offset and the semaphore.
TEST_CASE("the kernel takes probes of this program's own functions, where it has them and this user may")
{
	for (const char* text : {"uprobe:/proc/self/exe:uwind_probe_me", "uretprobe:/proc/self/exe:uwind_probe_me:u",
				 "usdt:/proc/self/exe:uwind:probe"}) {
		INFO(text);
		auto events = uwind::parse_events({{text, {}}}, machine);
		if (!events && events.error().code == ENOENT && !skipped("this kernel has no CONFIG_UPROBE_EVENTS"))
			return;
		REQUIRE(events);
		REQUIRE(events->size() == 1);
		const auto tried = machine.try_event((*events)[0]);
		if (!tried && (tried.error().code == EACCES || tried.error().code == EPERM) &&
		    !skipped("this user may not count probes"))
			return;
		CAPTURE(tried ? "" : tried.error().message);
		CHECK(tried);
		(*events)[0].config1_text += ".none";
		CHECK_FALSE(machine.try_event((*events)[0]));
	}
}
#endif

// SPDX-License-Identifier: GPL-2.0
// A machine on which this user may count nothing. The kernel says so of perf_event_open(2) to a child process.
#include <catch2/catch.hpp>

#include <cerrno>
#include <cstddef>
#include <functional>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "events/catalogue.h"
#include "events/names.h"
#include "events/parse.h"
#include "io/event_machine.h"
#include "unit/cli/programs.h"

using namespace uwind;

namespace {

// From now on, in this process and in those that it starts.
bool refuse_counting(std::uint32_t error)
{
	sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_perf_event_open, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const sock_fprog program = {std::size(filter), filter};
	return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
	       ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

// What the child finds; nothing: it could not be made so.
std::optional<std::string> said_without_counting(std::uint32_t error, const std::function<std::string()>& says)
{
	int ends[2];
	REQUIRE(::pipe(ends) == 0);
	const pid_t child = ::fork();
	REQUIRE(child >= 0);
	if (child == 0) {
		if (!refuse_counting(error))
			::_exit(2);
		const std::string text = says();
		::_exit(::write(ends[1], text.data(), text.size()) == static_cast<ssize_t>(text.size()) ? 0 : 1);
	}
	::close(ends[1]);
	std::string text;
	char part[4096];
	for (ssize_t length; (length = ::read(ends[0], part, sizeof(part))) > 0;)
		text.append(part, static_cast<std::size_t>(length));
	::close(ends[0]);
	int status = 0;
	REQUIRE(::waitpid(child, &status, 0) == child);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 2 && !skipped("this kernel filters no system calls"))
		return std::nullopt;
	REQUIRE(status == 0);
	return text;
}

} // namespace

TEST_CASE("an event that this user may not count is forbidden, which is no lack of the machine")
{
	for (const int error : {EACCES, EPERM}) {
		const auto said = said_without_counting(static_cast<std::uint32_t>(error), [] {
			EventSpec event = find_symbol_event("dummy")->event;
			event.name = "dummy";
			const auto tried = EventMachine().try_event(event);
			return tried ? "it opens" : std::to_string(tried.error().code) + " " + tried.error().message;
		});
		if (!said)
			return;
		CHECK(*said == std::to_string(error) + " dummy: " + std::strerror(error));
	}
}

TEST_CASE("an event that the machine does not have is tried for all CPUs and for one, and is lacking")
{
	const auto said = said_without_counting(EINVAL, [] {
		return std::to_string(EventMachine().try_event(find_symbol_event("dummy")->event).error().code);
	});
	if (said)
		CHECK(*said == std::to_string(EINVAL));
}

TEST_CASE("events that this user may not count are listed without being tried, which a line says, and can be typed")
{
	const auto said = said_without_counting(EACCES, [] {
		EventMachine machine;
		const EventList list = list_events(machine, {"hardware event"});
		std::string text = std::to_string(list.events.size() >= hardware_events().size());
		for (const std::string& note : list.notes)
			text += "; " + note.substr(0, note.find(':'));
		const auto events = parse_events({{"cycles:u,cycles:P", {}}}, machine);
		return text + (events ? "; " + std::to_string(events->size() >= 2) : "; " + events.error().message);
	});
	if (said)
		CHECK(*said == "1; hardware and cache events are listed without being tried; 1");
}

TEST_CASE("a shell is told on standard error that events could not be tried, and lists them all the same")
{
	if (!programs::programs_are_built())
		return;
	const auto said = said_without_counting(EACCES, [] {
		const auto outcome = programs::run("uwind", "list events cycles");
		return std::to_string(outcome.status) + " " + outcome.output;
	});
	if (!said)
		return;
	CHECK_THAT(*said, Catch::StartsWith("0 "));
	CHECK_THAT(*said, Catch::Contains("cycles") && Catch::Contains("hardware event"));
	CHECK_THAT(*said, Catch::Contains("uwind: hardware and cache events are listed without being tried: "
					  "kernel.perf_event_paranoid is "));
}

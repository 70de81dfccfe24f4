// SPDX-License-Identifier: GPL-2.0
// The kernel's own filters as the oracle: a thread renames itself, task:task_rename is counted with a random filter,
// and the count is what the filter's steps say of the same entry. Hidden, since it needs root and tracefs
// (scripts/check/host.sh).
#include <cstdlib>
#include <linux/perf_event.h>
#include <random>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/handle.h"
#include "events/filter.h"
#include "io/event_machine.h"
#include "unit/events/parsed.h"
#include "unit/events/run_filter.h"
#include "unit/skipped.h"

using namespace uwind;

namespace {

using Random = std::mt19937;

constexpr const char* thread_names[] = {"a", "ab", "abc", "b", "bab", "[x]", "x-y"};

std::string random_term(Random& random)
{
	const auto of = [&](auto&& list) { return std::string(list[random() % std::size(list)]); };
	constexpr const char* texts[] = {"newcomm", "oldcomm", "COMM"};
	// Not "*b": the kernel compares its end with the end of an array, not of the text in it.
	constexpr const char* patterns[] = {"*",     "a*",  "*[b]", "?",     "*a*", "a?*",
					    "[ab]*", "*-*", "ab",   "[!a]*", "b*b", "*[a-b]"};
	constexpr const char* compares[] = {"==", "!=", "<", "<=", ">", ">=", "&"};
	switch (random() % 4) {
	case 0:
		return of(texts) + (random() % 2 ? " == \"" : "!='") + of(thread_names);
	case 1:
		return of(texts) + " ~ \"" + of(patterns);
	case 2:
		return "oom_score_adj " + of(compares) + " " + std::to_string(static_cast<int>(random() % 5) - 2);
	default:
		// The last comparison is &, which the kernel takes for CPU, but never finds true.
		return random() % 2
			       ? "pid " + of(compares) + (random() % 2 ? " 0x" : " 0") + std::to_string(random() % 8)
			       : "CPU " + std::string(compares[random() % 6]) + " " + std::to_string(random() % 4);
	}
}

// Closes the quote that a term has opened.
std::string closed(std::string term)
{
	const auto quote = term.find_first_of("'\"");
	return quote == std::string::npos ? term : term + term[quote];
}

std::string random_filter(Random& random, unsigned depth)
{
	if (depth == 0 || random() % 4 == 0)
		return (random() % 5 ? "" : "!") + closed(random_term(random));
	const std::string both =
		random_filter(random, depth - 1) + (random() % 2 ? " && " : " || ") + random_filter(random, depth - 1);
	const auto form = random() % 4;
	return form == 0 ? "!(" + both + ")" : form == 1 ? "(" + both + ")" : both;
}

// The tracepoint as perf counts it for this thread.
class Counted {
public:
	explicit Counted(const EventSpec& event)
	{
		perf_event_attr attributes{};
		attributes.size = sizeof(attributes);
		attributes.type = event.type;
		attributes.config = event.config;
		fd_.reset(
			static_cast<int>(::syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC)));
	}
	bool is_open() const { return static_cast<bool>(fd_); }
	bool set_filter(const std::string& text)
	{
		return ::ioctl(fd_.get(), PERF_EVENT_IOC_SET_FILTER, text.c_str()) == 0;
	}
	std::uint64_t count() const
	{
		std::uint64_t value = 0;
		return ::read(fd_.get(), &value, sizeof(value)) == sizeof(value) ? value : 0;
	}

private:
	UniqueFd fd_;
};

void put(Moment& moment, const std::vector<FilterField>& fields, const char* name, const void* from, std::size_t bytes)
{
	const auto field = find_field(fields, name);
	REQUIRE(field);
	std::memcpy(moment.entry.data() + field->offset, from, std::min<std::size_t>(bytes, field->bytes));
}

Moment rename_of(const std::vector<FilterField>& fields, const std::string& before, const std::string& after, int cpu)
{
	Moment moment{std::string(256, '\0'), static_cast<std::uint32_t>(cpu), before};
	const auto pid = static_cast<std::int32_t>(::syscall(SYS_gettid));
	const auto adjusted = EventMachine().read("/proc/self/oom_score_adj");
	const auto score = static_cast<std::int16_t>(std::atoi(adjusted ? adjusted->c_str() : "0"));
	put(moment, fields, "pid", &pid, sizeof(pid));
	put(moment, fields, "oom_score_adj", &score, sizeof(score));
	put(moment, fields, "oldcomm", before.c_str(), before.size() + 1);
	put(moment, fields, "newcomm", after.c_str(), after.size() + 1);
	return moment;
}

bool prepare()
{
	if (::geteuid() != 0 || ::unshare(CLONE_NEWNS) != 0)
		return false;
	(void)::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr);
	if (::access("/sys/kernel/tracing/events", F_OK) != 0)
		(void)::mount("tracefs", "/sys/kernel/tracing", "tracefs", 0, nullptr);
	cpu_set_t one;
	CPU_ZERO(&one);
	CPU_SET(static_cast<unsigned>(::sched_getcpu()), &one);
	return ::sched_setaffinity(0, sizeof(one), &one) == 0;
}

} // namespace

TEST_CASE("the kernel's filters take the entries that the steps of the same text take", "[.kernel-filters]")
{
	if (!prepare() && !skipped("this user cannot mount tracefs: run it as root"))
		return;
	EventMachine machine;
	const auto event = parse_events({{"task:task_rename", {}}}, machine);
	const auto format = machine.read("/sys/kernel/tracing/events/task/task_rename/format");
	if (!(event && format) && !skipped("this kernel has no task:task_rename, or no tracefs"))
		return;
	const auto fields = parse_fields(*format);
	Random random(7);
	std::size_t compared = 0, taken = 0;
	std::string now = thread_names[0];
	::prctl(PR_SET_NAME, now.c_str());
	for (int i = 0; i < 400; i++) {
		const std::string text = random_filter(random, i % 4);
		INFO(text);
		const auto steps = compile_filter(text, fields);
		REQUIRE(steps);
		Counted counted((*event)[0]); // a filter is set once only
		REQUIRE(counted.is_open());
		REQUIRE(counted.set_filter(text));
		for (int j = 0; j < 6; j++, compared++) {
			const std::string next = thread_names[random() % std::size(thread_names)];
			const bool wanted = takes(*steps, rename_of(fields, now, next, ::sched_getcpu()));
			const std::uint64_t before = counted.count();
			::prctl(PR_SET_NAME, next.c_str());
			INFO(now << " to " << next);
			CHECK(counted.count() - before == (wanted ? 1 : 0));
			now = next;
			taken += wanted;
		}
	}
	::prctl(PR_SET_NAME, "unit_tests");
	std::printf("%zu entries compared with the kernel's filters, %zu taken\n", compared, taken);
	CHECK(taken > compared / 5);
	CHECK(taken < compared * 4 / 5);
}

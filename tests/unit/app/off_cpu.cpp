// SPDX-License-Identifier: GPL-2.0
// Times off the CPU: why, and who ended them.
#include <catch2/catch.hpp>

#include "unit/app/reported.h"

using namespace uwind;

namespace {

constexpr std::uint64_t schedule = FakeKernelNames::start + 0x10, mutex = FakeKernelNames::start + 0x20,
			waits = FakeKernelNames::start + 0x5000, fault = FakeKernelNames::start + 0x6000;

// A thread of process 1 that was away for a millisecond.
EventRecord away(std::vector<std::uint64_t> pcs, std::optional<std::uint32_t> syscall = std::nullopt)
{
	EventRecord event;
	event.tgid = event.tid = 1;
	event.comm = "comm1";
	event.time_ns = 2'000'000;
	event.period = 1'000'000;
	event.counter = 0;
	std::vector<StackFrame> frames;
	for (const std::uint64_t pc : pcs)
		frames.push_back(frame(pc, pc, 0, frames.empty() ? Method::PC : Method::KERNEL));
	event.kernel_stack = stack_part(std::move(frames), Stop::OUTERMOST);
	event.off_cpu = OffCpuRecord{};
	event.off_cpu->state = 'S';
	event.off_cpu->syscall = syscall;
	return event;
}

struct OffCpuFixture : Reported {
	explicit OffCpuFixture(Aggregate::Limits limits = {}) : Reported(limits)
	{
		kernel_names.calls = {{0, "read"}, {35, "nanosleep"}, {202, "futex"}, {230, "clock_nanosleep_time64"}};
		kernel_names.functions = {{schedule, "schedule"},
					  {mutex - 1, "mutex_lock"},
					  {waits - 1, "pipe_read"},
					  {fault - 1, "handle_mm_fault"}};
	}

	ReportOffCpu explained(const EventRecord& event)
	{
		aggregate.add(event, nullptr, ignore_file);
		const Report made = report();
		return made.off_cpu.at(made.samples.at(0).off_cpu.value());
	}
};

EventRecord wakeup(std::uint64_t wake, std::uint32_t tid)
{
	EventRecord event = away({waits});
	event.tgid = 2;
	event.tid = tid;
	event.comm = "comm2";
	event.off_cpu->is_waker = true;
	event.off_cpu->wake = wake;
	return event;
}

} // namespace

TEST_CASE("a wait channel is the innermost function that is not the scheduler's")
{
	OffCpuFixture f;
	const auto off_cpu = f.explained(away({schedule, mutex, waits, fault}, 0));
	CHECK(off_cpu.wait_channel == "pipe_read");
	CHECK(off_cpu.syscall == "read");
}

TEST_CASE("why a thread was off its CPU follows from its state, then from locks, then from its system call")
{
	OffCpuFixture f;
	CHECK(f.explained(away({schedule, waits}, 0)).reason == "io");
	CHECK(f.explained(away({schedule, waits}, 35)).reason == "sleep");
	CHECK(f.explained(away({schedule, waits}, 230)).reason == "sleep");
	CHECK(f.explained(away({schedule, waits}, 202)).reason == "lock");
	CHECK(f.explained(away({schedule, mutex, waits}, 0)).reason == "lock");
	CHECK(f.explained(away({schedule, waits}, 99)).reason == "other");
	CHECK(f.explained(away({schedule, waits, fault}, 35)).reason == "page_fault");
	CHECK(f.explained(away({schedule, waits})).reason == "page_fault");
	auto event = away({schedule, waits}, 35);
	event.off_cpu->iowait = true;
	CHECK(f.explained(event).reason == "io");
	event.off_cpu->state = 'T';
	CHECK(f.explained(event).reason == "stopped");
	event.off_cpu->state = 'R';
	CHECK(f.explained(event).reason == "preempted");
}

TEST_CASE("a system call of a 32-bit program has the name that its number has there")
{
	OffCpuFixture f;
	auto event = away({schedule}, 0);
	event.off_cpu->compat = true;
	CHECK(f.explained(event).syscall == "compat_read");
}

TEST_CASE("a thread that was woken waited for its CPU from then on")
{
	OffCpuFixture f;
	auto event = away({schedule}, 0);
	CHECK_FALSE(f.explained(event).runnable_ns);
	event.off_cpu->woken_ns = 1'900'000;
	CHECK(f.explained(event).runnable_ns == 100'000u);
}

TEST_CASE("who woke a thread is found by the wakeup's number, in whichever order they arrive, and is no sample")
{
	OffCpuFixture f;
	auto first = away({schedule}, 0), second = first, third = first;
	first.off_cpu->wake = 1;
	second.off_cpu->wake = 2;
	third.off_cpu->wake = 3;
	f.aggregate.add(wakeup(1, 21), nullptr, ignore_file);
	f.aggregate.add(first, nullptr, ignore_file);
	f.aggregate.add(second, nullptr, ignore_file);
	f.aggregate.add(third, nullptr, ignore_file);
	const auto answer = stack_record(2, {frame(0x10, 0, 0, Method::PC)});
	f.aggregate.add(wakeup(2, 22), &answer, ignore_file);
	const Report report = f.report();
	REQUIRE(report.samples.size() == 3);
	const auto waker = [&](std::size_t i) { return report.off_cpu.at(report.samples[i].off_cpu.value()).waker; };
	REQUIRE(waker(0));
	CHECK(waker(0)->tid == 21);
	CHECK_FALSE(waker(0)->user_stack);
	REQUIRE(waker(1));
	CHECK(waker(1)->tid == 22);
	CHECK(waker(1)->user_stack);
	CHECK(report.processes[waker(1)->process].comm == "comm2");
	CHECK_FALSE(waker(2));
}

TEST_CASE("as many wakers are kept as samples")
{
	Aggregate::Limits limits;
	limits.samples = 2;
	OffCpuFixture f(limits);
	for (std::uint64_t wake = 1; wake <= 3; wake++)
		f.aggregate.add(wakeup(wake, 20 + static_cast<std::uint32_t>(wake)), nullptr, ignore_file);
	for (const std::uint64_t wake : {2, 3}) {
		auto event = away({schedule}, 0);
		event.off_cpu->wake = wake;
		f.aggregate.add(event, nullptr, ignore_file);
	}
	const Report report = f.report();
	REQUIRE(report.samples.size() == 2);
	CHECK(report.off_cpu.at(0).waker);
	CHECK_FALSE(report.off_cpu.at(1).waker);
}

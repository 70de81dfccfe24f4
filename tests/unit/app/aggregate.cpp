// SPDX-License-Identifier: GPL-2.0
// How samples become processes, frames and stacks.
#include <catch2/catch.hpp>

#include "unit/app/kernel_events.h"
#include "unit/app/reported.h"

using namespace uwind;

TEST_CASE("equal stacks are kept once, and every sample points to its own")
{
	Reported f;
	const auto a = stack_record(1, {frame(0x10, 0, 0, Method::PC), frame(0x20, 0, 0, Method::FP)});
	auto b = a;
	b.stack = stack_part(a.stack->frames, Stop::NO_TABLE);
	for (const auto& record : {a, b, a})
		f.aggregate.add(record, ignore_file);
	const auto report = f.report();
	REQUIRE(report.stacks.size() == 2);
	CHECK(report.frames.size() == 2);
	REQUIRE(report.samples.size() == 3);
	CHECK(report.samples[0].user_stack == report.samples[2].user_stack);
	CHECK(report.samples[0].user_stack != report.samples[1].user_stack);
}

TEST_CASE("a stack in parts is the same stack as one that is whole")
{
	Reported f;
	const auto inner = frame(0x10, 0, 0, Method::PC), outer = frame(0x20, 0, 0, Method::FP);
	const auto whole = stack_record(1, {inner, outer});
	auto parts = whole;
	parts.stack = std::make_shared<StackPart>(
		StackPart{{inner}, stack_part({outer}, Stop::OUTERMOST), Stop::OUTERMOST, 2, 2});
	for (const auto& record : {whole, parts})
		f.aggregate.add(record, ignore_file);
	const auto report = f.report();
	REQUIRE(report.stacks.size() == 1);
	CHECK(report.stacks[0].frames.size() == 2);
	CHECK(report.samples.size() == 2);
}

TEST_CASE("an exec opens a new process entry with the same pid")
{
	Reported f;
	auto record = stack_record(1, {});
	f.aggregate.add(record, ignore_file);
	record.exec_id = 2;
	record.comm = "after";
	f.aggregate.add(record, ignore_file);
	const auto report = f.report();
	REQUIRE(report.processes.size() == 2);
	CHECK(report.processes[0].pid == report.processes[1].pid);
	CHECK(report.processes[1].comm == "after");
	CHECK(report.samples[1].process == 1);
}

TEST_CASE("a process is as wide as its stacks are, whatever was lost before")
{
	Reported f;
	auto lost = stack_record(1, {});
	lost.lost = Loss::EXEC;
	lost.stack = nullptr;
	lost.word_bits = 0;
	auto narrow = stack_record(1, {frame(0x10, 0, 0, Method::PC)});
	narrow.word_bits = 32;
	for (const auto& record : {lost, narrow, lost})
		f.aggregate.add(record, ignore_file);
	const auto report = f.report();
	REQUIRE(report.processes.size() == 1);
	CHECK(report.processes[0].word_bits == 32);
}

TEST_CASE("a process is called as its main thread is")
{
	Reported f;
	f.processes.facts_[1] = {"/bin/a", "main", 12'340'000'000};
	auto record = stack_record(1, {});
	record.tid = 2;
	record.comm = "worker";
	f.aggregate.add(record, ignore_file);
	const auto report = f.report();
	CHECK(report.processes.at(0).comm == "main");
	CHECK(report.processes.at(0).exe == "/bin/a");
	CHECK(report.samples[0].tid == 2);
}

TEST_CASE("a process is called as it was last, whichever processor's samples come first")
{
	Reported f;
	auto earlier = stack_record(1, {}), later = earlier;
	earlier.time_ns = 1;
	later.time_ns = 2;
	later.comm = "renamed";
	for (const auto& record : {later, earlier})
		f.aggregate.add(record, ignore_file);
	CHECK(f.report().processes.at(0).comm == "renamed");
}

TEST_CASE("a process that took over the number lends no name")
{
	Reported f;
	f.processes.facts_[1] = {"/bin/other", "other", 99'000'000'000};
	f.aggregate.add(stack_record(1, {}), ignore_file);
	const auto report = f.report();
	CHECK(report.processes.at(0).exe.empty());
	CHECK(report.processes.at(0).comm == "comm1");
}

namespace {

struct Measured : Reported {
	Measured()
	{
		processes.facts_[1] = {"/bin/prog", "prog", start_tick_ns};
		processes.stack_rooms_[1] = {4096, 8192};
	}

	void add(std::uint32_t bytes, std::uint32_t tid = 1)
	{
		auto inner = frame(0x10, 0, 0, Method::PC);
		inner.stack_bytes = bytes;
		auto record = stack_record(1, {inner, frame(0x20, 0, 0, Method::FP)});
		record.tgid = 1;
		record.tid = tid;
		record.start_time_ns = start_tick_ns + 1;
		aggregate.add(record, ignore_file);
	}
};

} // namespace

TEST_CASE("how much there is for a stack is looked at only if that was asked for")
{
	Measured f;
	f.add(16);
	CHECK(f.processes.stack_rooms_asked_ == 0);
	CHECK_FALSE(f.report().processes[0].stack);
}

TEST_CASE("how much there is for a first thread's stack is looked at whenever that is deeper than before")
{
	Measured f;
	f.aggregate.measure_stacks();
	f.add(4000, 2); // another thread's
	CHECK(f.processes.stack_rooms_asked_ == 0);
	f.add(0);
	CHECK(f.processes.stack_rooms_asked_ == 1);
	f.add(64);
	f.add(32);
	f.add(64);
	CHECK(f.processes.stack_rooms_asked_ == 2);
	f.processes.stack_rooms_[1].mapped_bytes = 8192;
	f.add(65);
	CHECK(f.report().processes[0].stack == StackRoom{8192, 8192});
	f.add(1); // of the next report
	CHECK(f.report().processes[0].stack == StackRoom{8192, 8192});
}

TEST_CASE("what a process had for its stack is known after its end, and is not taken from another one")
{
	Measured f;
	f.aggregate.measure_stacks();
	f.add(1);
	SECTION("it is gone")
	{
		f.processes.facts_.erase(1);
		f.processes.stack_rooms_.erase(1);
	}
	SECTION("another one has its number")
	{
		f.processes.facts_[1].start_time_ns += start_tick_ns;
		f.processes.stack_rooms_[1] = {1, 1};
	}
	SECTION("it is another program by now")
	{
		f.processes.facts_[1].exe = "/bin/other";
		f.processes.stack_rooms_[1] = {1, 1};
	}
	f.add(2);
	CHECK(f.report().processes[0].stack == StackRoom{4096, 8192});
}

TEST_CASE("a lost request is a sample without a stack that says why")
{
	Reported f;
	auto record = stack_record(1, {});
	record.lost = Loss::EXEC;
	record.stack = nullptr;
	f.aggregate.add(record, ignore_file);
	const auto report = f.report();
	REQUIRE(report.samples.size() == 1);
	CHECK_FALSE(report.samples[0].user_stack);
	CHECK(report.samples[0].lost == Loss::EXEC);
	CHECK(report.stacks.empty());
}

TEST_CASE("beyond the limits samples and stacks are counted, not kept")
{
	FakeFiles files;
	FakeProcesses processes(files);
	Aggregate::Limits limits;
	limits.samples = 3;
	limits.stacks = 1;
	const KnownProcesses known;
	Aggregate aggregate(processes, known, limits);
	auto record = stack_record(1, {frame(0x10, 0, 0, Method::PC)});
	record.weight = 5;
	for (int i = 0; i < 4; i++) {
		record.stack = stack_part({frame(0x10 + (i + 1) / 2, 0, 0, Method::PC)}, Stop::OUTERMOST);
		aggregate.add(record, ignore_file);
	}
	const auto collected = aggregate.take();
	CHECK(collected.samples.size() == 3);
	CHECK(collected.samples_not_kept == 5);
	CHECK(collected.stacks_not_kept == 2);
	CHECK(collected.stacks.size() == 1);
	CHECK(aggregate.take().samples.empty());
}

TEST_CASE("a return address at a function's end belongs to the call before it")
{
	Reported f;
	auto& file = f.files.add("/bin/a");
	file.symbols = {{0x400000, 0x10, Binding::global, "caller"}, {0x400010, 0x10, Binding::global, "next"}};
	const auto id = f.modules.add(file.identity, "/bin/a").id;
	f.modules.bind(1, id);
	auto opened = f.files.open("/bin/a");
	f.modules.set_object(id, file.facts, std::make_shared<UniqueFd>(std::move(opened->fd)));
	f.aggregate.add(stack_record(1, {frame(0x7010, 0x10, 1, Method::PC), frame(0x7010, 0x10, 1, Method::EH_FRAME),
					 frame(0x7010, 0x10, 1, Method::SIGFRAME)}),
			ignore_file);
	const auto report = f.report();
	const auto& stack = report.stacks.at(0);
	CHECK(report.frames[stack.frames[0]].symbol == "next");
	CHECK(report.frames[stack.frames[1]].symbol == "caller");
	CHECK(report.frames[stack.frames[1]].symbol_offset == 0x10);
	CHECK(report.frames[stack.frames[2]].symbol == "next");
}

TEST_CASE("an offset is in the file's address space, whatever the segments' offsets")
{
	const std::vector<Segment> segments{{0x400000, 0x1000, 0}, {0x602000, 0x500, 0x1000}};
	CHECK(address_in(segments, 0x10) == 0x400010);
	CHECK(address_in(segments, 0x1004) == 0x602004);
	CHECK(address_in(segments, 0x9000) == 0x9000);
}

TEST_CASE("frames of all SFrame versions are called sframe in reports")
{
	Reported f;
	f.aggregate.add(stack_record(1, {frame(0x10, 0, 0, Method::PC), frame(0x20, 0, 0, Method::SFRAME_V3)}),
			ignore_file);
	const auto report = f.report();
	CHECK(frame_method_name(report.stacks.at(0).methods.at(1)) == "sframe");
	CHECK(name_of(Method::SFRAME_V3) == "sframe-v3");
}

namespace {

EventRecord kernel_event(std::vector<StackFrame> frames)
{
	EventRecord event;
	event.tgid = event.tid = 1;
	event.comm = "comm1";
	event.time_ns = 5;
	event.cpu = 3;
	event.period = 1000;
	event.counter = 1;
	event.kernel_stack = stack_part(std::move(frames), Stop::OUTERMOST);
	return event;
}

} // namespace

TEST_CASE("a counter's sample has its event, its period, and both stacks")
{
	Reported f;
	const auto answer = stack_record(1, {frame(0x10, 0, 0, Method::PC)});
	constexpr std::uint64_t address = FakeKernelNames::start + 0x2010;
	f.aggregate.add(
		kernel_event({frame(address, address, 0, Method::PC), frame(address + 1, 0, 0, Method::KERNEL)}),
		&answer, ignore_file);
	const auto report = f.report();
	REQUIRE(report.samples.size() == 1);
	const auto& sample = report.samples[0];
	CHECK(sample.event == 1u);
	CHECK(sample.period == 1000u);
	CHECK(sample.weight == 1);
	CHECK(sample.cpu == 3);
	CHECK(sample.time_ns == 5);
	REQUIRE(sample.user_stack);
	REQUIRE(sample.kernel_stack);
	const auto& frames = report.stacks[*sample.kernel_stack].frames;
	REQUIRE(frames.size() == 2);
	CHECK(report.frames[frames[0]].kernel);
	CHECK(report.frames[frames[0]].symbol == "function_" + hex(address >> 12));
	CHECK(report.frames[frames[0]].symbol_offset == 0x10);
	CHECK(report.frames[frames[1]].symbol_offset == 0x11); // of the call, and 1
	CHECK(report.modules[*report.frames[frames[0]].module].path == "[kernel.kallsyms]");
	CHECK(report.modules[*report.frames[frames[0]].module].build_id == "abcd");
	CHECK_FALSE(report.frames[report.stacks[*sample.user_stack].frames[0]].kernel);
}

TEST_CASE("a frame of a kernel's module lies in that module, and one without a name in none")
{
	Reported f;
	constexpr std::uint64_t address = FakeKernelNames::module_start + 0x2010;
	f.aggregate.add(kernel_event({frame(address, 0, 0, Method::PC), frame(0x1000, 0, 0, Method::KERNEL)}), nullptr,
			ignore_file);
	const auto report = f.report();
	const auto& sample = report.samples[0];
	CHECK_FALSE(sample.user_stack);
	const auto& frames = report.stacks[sample.kernel_stack.value()].frames;
	CHECK(report.modules[report.frames[frames[0]].module.value()].path == "[module]");
	CHECK(report.frames[frames[0]].offset == 0x2010);
	CHECK(report.frames[frames[1]].kernel);
	CHECK_FALSE(report.frames[frames[1]].module);
}

TEST_CASE("what a sample's own weight counts has the event and the period that were said")
{
	Reported f;
	f.aggregate.set_weighed(0, 1000);
	auto record = stack_record(1, {frame(0x10, 0, 0, Method::PC)});
	record.weight = 3;
	f.aggregate.add(record, ignore_file);
	f.aggregate.set_weighed(std::nullopt, 0);
	f.aggregate.add(record, ignore_file);
	const auto report = f.report();
	CHECK(report.samples[0].event == 0u);
	CHECK(report.samples[0].period == 3000u);
	CHECK_FALSE(report.samples[1].event);
	CHECK_FALSE(report.samples[1].period);
}

TEST_CASE("frames at one address are two if the kernel code there had two owners")
{
	Reported f;
	constexpr std::uint64_t place = 0xffffffffc0000000, core = FakeKernelNames::start + 0x10;
	for (const auto& event : {comes(10, module_region("first", place)), goes(20, module_region("first", place)),
				  comes(30, module_region("second", place))})
		f.timeline.add(event);
	auto event = kernel_event({frame(place + 0x10, 0, 0, Method::PC), frame(core, 0, 0, Method::KERNEL)});
	for (const std::uint64_t time_ns : {15, 35, 17, 5}) {
		event.time_ns = time_ns;
		f.aggregate.add(event, nullptr, ignore_file);
	}
	const auto report = f.report();
	REQUIRE(report.samples.size() == 4);
	const auto innermost = [&](std::size_t sample) -> const ReportFrame& {
		return report.frames[report.stacks[report.samples[sample].kernel_stack.value()].frames[0]];
	};
	const auto module_of = [&](std::size_t sample) {
		return report.modules[innermost(sample).module.value()].path;
	};
	CHECK(module_of(0) == "[first]");
	CHECK(module_of(1) == "[second]");
	CHECK(innermost(1).offset == 0x10);
	CHECK_FALSE(innermost(1).symbol); // nobody has read its symbols
	CHECK(report.samples[0].kernel_stack == report.samples[2].kernel_stack);
	CHECK(report.stacks.size() == 3);
	CHECK(report.frames.size() == 4);  // one of the kernel itself
	CHECK(module_of(3) == "[module]"); // nobody's then: as it is called now
}

TEST_CASE("a return address at a program's end is the program's, whatever begins there")
{
	Reported f;
	constexpr std::uint64_t place = 0xffffffffc0000000;
	f.timeline.add(comes(0, program_region("first", place, 0x100)));
	f.timeline.add(comes(0, program_region("second", place + 0x100, 0x100)));
	f.aggregate.add(
		kernel_event({frame(place + 0x100, 0, 0, Method::PC), frame(place + 0x100, 0, 0, Method::KERNEL)}),
		nullptr, ignore_file);
	const auto report = f.report();
	const auto& frames = report.stacks.at(0).frames;
	CHECK(report.frames[frames[0]].symbol == "second");
	CHECK(report.frames[frames[0]].symbol_offset == 0);
	CHECK(report.frames[frames[1]].symbol == "first");
	CHECK(report.frames[frames[1]].symbol_offset == 0x100);
	CHECK(report.modules[report.frames[frames[0]].module.value()].path == "[bpf]");
	CHECK(report.modules.size() == 1);
}

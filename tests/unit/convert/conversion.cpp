// SPDX-License-Identifier: GPL-2.0
// A recording of perf as a report: stacks, losses, and what is said of the recording.
#include <catch2/catch.hpp>

#include "unit/convert/recorded.h"

using namespace uwind;

namespace {

using Names = std::vector<std::string>;

const ReportStack& stack_of(const Report& report, std::size_t sample = 0)
{
	return report.stacks.at(report.samples[sample].user_stack.value());
}

std::uint64_t answered_and_lost(const Report& report)
{
	std::uint64_t sum = report.counters.answered + report.counters.pending;
	for (const auto& [cause, count] : report.counters.lost)
		sum += count;
	return sum;
}

PerfDeferredChain deferred_chain(std::uint64_t cookie, std::vector<std::uint64_t> chain)
{
	PerfDeferredChain record;
	record.pid = record.tid = recorded_pid;
	record.cookie = cookie;
	record.user_chain = std::move(chain);
	return record;
}

PerfSample deferred_sample(std::uint64_t time_ns, std::uint64_t cookie)
{
	PerfSample sample = sample_of(time_ns);
	sample.in_user_mode = false;
	sample.kernel_chain = {FakeKernelNames::start + 0x1000};
	sample.cookie = cookie;
	return sample;
}

} // namespace

TEST_CASE("a copied stack is walked by the tables of the files that were mapped")
{
	Recorded recorded;
	recorded.add(copied_stack(10));
	const Report report = recorded.report();
	REQUIRE(report.samples.size() == 1);
	CHECK(functions_of(report, report.samples[0].user_stack) == Names{"framed", "outermost"});
	CHECK(stack_of(report).stop == Stop::OUTERMOST);
	CHECK(stack_of(report).methods == std::vector<Method>{Method::PC, Method::EH_FRAME});
	CHECK(report.modules.size() == 2);
	CHECK(report.modules[0].table == Method::EH_FRAME);
	CHECK(report.processes.at(0).comm == "app");
	CHECK(report.processes[0].exe == "/bin/app");
	CHECK(report.counters.requested == 1);
	CHECK(report.counters.answered == 1);
	CHECK(report.counters.stops.at("outermost") == 1);
	CHECK(report.counters.others.at("tables_made") == 2);
}

TEST_CASE("a table is made once for all samples")
{
	Recorded recorded;
	for (std::uint64_t time_ns = 1; time_ns <= 100; time_ns++)
		recorded.add(copied_stack(time_ns));
	const Report report = recorded.report();
	CHECK(report.samples.size() == 100);
	CHECK(report.stacks.size() == 1);
	CHECK(recorded.machine.objects.built_ == 2);
}

TEST_CASE("a file with another build-id gives neither a table nor names")
{
	Recorded recorded;
	recorded.recording.header_.build_ids = {{"/bin/app", "1234", false}, {"/lib/outer.so", "abcd", false}};
	recorded.add(copied_stack(10));
	const Report report = recorded.report();
	CHECK(functions_of(report, report.samples[0].user_stack) == Names{"?"});
	CHECK(stack_of(report).stop == Stop::NO_TABLE);
	CHECK(report.counters.others.at("files_changed") == 1);
	CHECK(report.modules.at(0).path == "/bin/app");
	CHECK(report.modules[0].build_id == "1234");
}

TEST_CASE("without a build-id a file with another inode is another file")
{
	Recorded recorded;
	recorded.file("/bin/app").identity.inode += 1000;
	recorded.add(copied_stack(10));
	CHECK(recorded.report().counters.others.at("files_changed") == 1);
}

TEST_CASE("a file that is gone is taken from perf's own folder, by its build-id")
{
	Recorded recorded;
	recorded.recording.header_.build_ids = {{"/bin/app", "abcd", false}};
	recorded.add(copied_stack(10));
	FakeFile copy = recorded.file("/bin/app");
	recorded.machine.files.files_.erase("/bin/app");
	SECTION("if it is there")
	{
		recorded.perf_folder = "/perf";
		recorded.machine.files.files_["/perf/.build-id/ab/cd/elf"] = copy;
		const Report report = recorded.report();
		CHECK(functions_of(report, report.samples[0].user_stack) == Names{"framed", "outermost"});
		CHECK(report.counters.others.at("files_not_opened") == 0);
	}
	SECTION("else it is counted")
	{
		const Report report = recorded.report();
		CHECK(functions_of(report, report.samples[0].user_stack) == Names{"?"});
		CHECK(report.counters.others.at("files_not_opened") == 1);
	}
}

TEST_CASE("an address is looked up in what was mapped at that time")
{
	Recorded recorded;
	FakeFile& other = recorded.machine.files.add("/bin/other");
	other.rows = two_functions();
	other.facts.arch = Arch::x86_64;
	other.symbols = {{0x400000, 0x100, Binding::global, "other"}};
	recorded.add(copied_stack(10));
	recorded.add(mapped(other, app_address));
	recorded.add(copied_stack(20));
	const Report report = recorded.report();
	CHECK(functions_of(report, report.samples[0].user_stack).at(0) == "framed");
	CHECK(functions_of(report, report.samples[1].user_stack).at(0) == "other");
}

TEST_CASE("a chain of frame pointers is named, and is complete where a table says so")
{
	Recorded recorded;
	PerfSample sample = sample_of(10);
	SECTION("from the outermost function")
	{
		sample.user_chain = {app_address + 0x10, lib_address + 0x110};
		recorded.add(sample);
		const Report report = recorded.report();
		CHECK(functions_of(report, report.samples[0].user_stack) == Names{"framed", "outermost"});
		CHECK(stack_of(report).stop == Stop::OUTERMOST);
		CHECK(stack_of(report).methods == std::vector<Method>{Method::PC, Method::FP});
	}
	SECTION("not from another one")
	{
		sample.user_chain = {app_address + 0x10, lib_address + 0x10};
		recorded.add(sample);
		CHECK(stack_of(recorded.report()).stop == Stop::NO_TABLE);
	}
	SECTION("nor from memory without a file")
	{
		sample.user_chain = {app_address + 0x10, 0x1000};
		recorded.add(sample);
		const Report report = recorded.report();
		CHECK(functions_of(report, report.samples[0].user_stack) == Names{"framed", "?"});
		CHECK(stack_of(report).stop == Stop::NO_TABLE);
	}
}

TEST_CASE("all samples of a thread with a cookie share the chain that comes later")
{
	Recorded recorded;
	recorded.add(deferred_sample(10, 1));
	recorded.add(deferred_sample(11, 1));
	recorded.add(deferred_chain(1, {app_address + 0x10, lib_address + 0x110}));
	const Report report = recorded.report();
	REQUIRE(report.samples.size() == 2);
	for (const ReportSample& sample : report.samples) {
		CHECK(functions_of(report, sample.user_stack) == Names{"framed", "outermost"});
		CHECK(functions_of(report, sample.kernel_stack).size() == 1);
		CHECK(sample.cookie == 1);
	}
}

TEST_CASE("a deferred sample whose chain never comes is lost by name, with its kernel stack")
{
	Recorded recorded;
	recorded.add(deferred_sample(10, 1));
	recorded.add(deferred_sample(11, 2));
	recorded.add(deferred_chain(2, {app_address + 0x10}));
	recorded.add(deferred_sample(12, 3));
	recorded.add(deferred_chain(9, {app_address + 0x10}));
	const Report report = recorded.report();
	CHECK(report.samples.size() == 3);
	CHECK(report.counters.answered == 1);
	CHECK(report.counters.lost.at("no_deferred_chain") == 2);
	CHECK(report.counters.others.at("deferred_chains_unmatched") == 1);
	CHECK(answered_and_lost(report) == report.counters.requested);
	for (const ReportSample& sample : report.samples)
		CHECK(sample.kernel_stack);
}

TEST_CASE("samples without a user stack say why")
{
	Recorded recorded;
	PerfSample kernel_thread = sample_of(10, 2);
	kernel_thread.in_user_mode = false;
	kernel_thread.ip = FakeKernelNames::start;
	recorded.add(kernel_thread);
	PerfSample not_asked_for = sample_of(11);
	not_asked_for.in_user_mode = false;
	recorded.add(not_asked_for);
	PerfSample address_alone = sample_of(12);
	address_alone.ip = app_address + 0x10;
	recorded.add(address_alone);
	const Report report = recorded.report();
	CHECK(report.samples[0].lost == Loss::KTHREAD);
	CHECK(report.counters.lost.at("kthread") == 1);
	CHECK(report.counters.lost.at("not_recorded") == 1);
	CHECK(report.counters.others.at("samples_without_chain") == 1);
	CHECK(functions_of(report, report.samples[2].user_stack) == Names{"framed"});
	CHECK(answered_and_lost(report) == report.counters.requested);
}

TEST_CASE("a report says that it was converted, and of what")
{
	Recorded recorded;
	recorded.recording.header_.events.push_back({"dummy:HG", false, 1, false});
	recorded.recording.header_.events.push_back({"cycles:u", false, 1000, true});
	recorded.recording.skipped_ = {3, 4, 5};
	PerfSample second = copied_stack(5'000'000'010);
	second.event = 2;
	recorded.add(copied_stack(10));
	recorded.add(second);
	recorded.add(PerfLost{6});
	const Report report = recorded.report();
	CHECK(report.host.kernel == "6.1");
	CHECK(report.host.arch == "x86_64");
	CHECK(report.host.hostname == "box");
	REQUIRE(report.session.converted);
	CHECK(report.session.converted->perf == "6.1.187");
	CHECK(report.session.converted->clock == "perf");
	CHECK(report.session.target == "perf record app");
	CHECK(report.session.duration_ns == 5'000'000'000);
	CHECK(report.session.started == "1970-01-01T00:33:15Z");
	REQUIRE(report.session.events.size() == 2);
	CHECK(report.session.events[1].name == "cycles:u");
	CHECK(report.samples[1].event == 1u);
	CHECK(report.counters.others.at("decode_errors") == 3);
	CHECK(report.counters.others.at("records_unknown") == 4);
	CHECK(report.counters.others.at("records_late") == 5);
	CHECK(report.counters.others.at("events_lost") == 6);
}

TEST_CASE("kernel code has the name that it had when it was sampled")
{
	Recorded recorded;
	constexpr std::uint64_t place = 0xffffffffc1000000;
	const auto change = [&](KernelRegionChange what, std::uint64_t time_ns, const char* symbol) {
		recorded.add(KernelRegionEvent{what, time_ns, {place, 64, "bpf", symbol}});
	};
	const auto sample = [&](std::uint64_t time_ns) {
		PerfSample one = copied_stack(time_ns);
		one.kernel_chain = {place + 0x10};
		recorded.add(one);
	};
	sample(10);
	change(KernelRegionChange::comes, 20, "bpf_prog_1");
	sample(30);
	change(KernelRegionChange::goes, 40, "bpf_prog_1");
	change(KernelRegionChange::comes, 50, "bpf_prog_2");
	sample(60);
	const Report report = recorded.report();
	REQUIRE(report.samples.size() == 3);
	const auto frame_of = [&](std::size_t number) {
		return report.frames[report.stacks[report.samples[number].kernel_stack.value()].frames.front()];
	};
	CHECK_FALSE(frame_of(0).symbol);
	CHECK(frame_of(1).symbol == "bpf_prog_1");
	CHECK(frame_of(1).symbol_offset == 0x10);
	CHECK(report.modules.at(frame_of(1).module.value()).path == "[bpf]");
	CHECK(frame_of(2).symbol == "bpf_prog_2");
	CHECK(report.counters.others.at("kernel_regions_lost") == 0);
}

TEST_CASE("an error of the recording ends the conversion")
{
	struct Broken : FakePerfRecording {
		Result<std::optional<PerfRecord>> next() override { return Error{EINVAL, "cut off"}; }
	} broken;
	FakeMachine machine;
	Conversion conversion({machine.processes, machine.objects, machine.unwinder, machine.kernel_names}, broken, {});
	const auto report = conversion.run();
	REQUIRE_FALSE(report);
	CHECK(report.error().message == "cut off");
}

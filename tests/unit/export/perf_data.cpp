// SPDX-License-Identifier: GPL-2.0
// perf.data files of reports, read back by what reads perf's own: each sample, and for each of its frames the file that
// was mapped there, at the right place of it. 1 s.
#include "export/perf_data.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>

#include "export/threads.h"
#include "unit/export/any_report.h"
#include "unit/perf_data/read_recording.h"
#include "unit/temporary_folder.h"

using namespace uwind;

namespace {

Read written(const Report& report)
{
	const TemporaryFolder folder;
	std::ofstream out(folder.at("perf.data"), std::ios::binary);
	write_perf_data(report, out);
	out.close();
	return read_recording(folder.at("perf.data"));
}

template <typename T>
std::vector<T> all(const Read& read)
{
	std::vector<T> found;
	for (const PerfRecord& record : read.records)
		if (const T* one = std::get_if<T>(&record))
			found.push_back(*one);
	return found;
}

// With stacks of methods, as the reader of JSON makes sure of, and modules that are mapped somewhere.
Report any_mapped_report(std::mt19937& random)
{
	Report report = any_report(random);
	report.host.arch = "x86_64";
	report.modules[0].build_id = "00112233445566778899aabbccddeeff00112233";
	report.modules[1].build_id = "0011223344556677";
	report.modules[0].segments = {{0x1000, 0x100, 0x400}, {0x3000, 0x5000, 0x2000}};
	report.modules[1].segments = {{0x400000, 0x10000, 0}};
	for (ReportFrame& frame : report.frames)
		if (frame.module && !frame.kernel) {
			const Segment& segment = report.modules[*frame.module].segments.back();
			frame.offset =
				segment.address + 0x10 + any(random, static_cast<std::uint32_t>(segment.bytes - 0x10));
			frame.address = (*frame.module ? 0 : 0x7f0000000000) + frame.offset;
		}
	for (ReportStack& stack : report.stacks) {
		stack.methods.assign(stack.frames.size(), Method::EH_FRAME);
		stack.methods[0] = Method::PC;
		stack.stack_bytes.resize(stack.frames.size());
	}
	return report;
}

std::uint64_t in_call(const ReportFrame& frame, Method method)
{
	return frame.address - (method == Method::PC ? 0 : 1);
}

std::vector<std::uint64_t> chain_of(const Report& report, std::optional<Index> index)
{
	std::vector<std::uint64_t> chain;
	if (!index)
		return chain;
	const ReportStack& stack = report.stacks[*index];
	for (std::size_t i = 0; i < stack.frames.size(); i++)
		chain.push_back(in_call(report.frames[stack.frames[i]], stack.methods[i]));
	return chain;
}

std::vector<ReportSample> samples_of(const Report& report)
{
	std::vector<ReportSample> samples;
	for (const ReportSample& sample : report.samples)
		if (sample.has_stack())
			samples.push_back(sample);
	std::ranges::stable_sort(samples, {}, &ReportSample::time_ns);
	return samples;
}

// Where the address is in the file that is mapped there.
std::optional<std::uint64_t> file_offset(const std::vector<PerfMapping>& mapped, std::uint32_t pid,
					 std::uint64_t address, const std::string& path)
{
	for (auto next = mapped.rbegin(); next != mapped.rend(); ++next)
		if (next->pid == pid && address >= next->mapping.start && address < next->mapping.end)
			return next->mapping.path == path
				       ? std::optional(next->mapping.pgoff + address - next->mapping.start)
				       : std::nullopt;
	return std::nullopt;
}

// What stands before the sample maps each of its frames.
void check_mapped(const Report& report, const Read& read)
{
	std::vector<PerfMapping> mapped;
	std::size_t next = 0;
	const auto samples = samples_of(report);
	for (const PerfRecord& record : read.records) {
		if (const auto* mapping = std::get_if<PerfMapping>(&record))
			mapped.push_back(*mapping);
		if (!std::holds_alternative<PerfSample>(record))
			continue;
		const ReportSample& sample = samples.at(next++);
		if (!sample.user_stack)
			continue;
		const ReportStack& stack = report.stacks[*sample.user_stack];
		for (std::size_t i = 0; i < stack.frames.size(); i++) {
			const ReportFrame& frame = report.frames[stack.frames[i]];
			if (!frame.module)
				continue;
			const ReportModule& module = report.modules[*frame.module];
			const std::uint64_t address = in_call(frame, stack.methods[i]);
			const Segment& segment = module.segments.back();
			CHECK(file_offset(mapped, sample.pid, address, module.path) ==
			      segment.offset + (frame.offset - (frame.address - address)) - segment.address);
		}
	}
}

} // namespace

TEST_CASE("perf.data has each sample's chains, thread, time, period and event")
{
	std::mt19937 random(4);
	for (int i = 0; i < 50; i++) {
		const Report report = any_mapped_report(random);
		const Read read = written(report);
		const auto found = all<PerfSample>(read);
		const auto expected = samples_of(report);
		REQUIRE(found.size() == expected.size());
		for (std::size_t at = 0; at < found.size(); at++) {
			CHECK(found[at].pid == expected[at].pid);
			CHECK(found[at].tid == expected[at].tid);
			CHECK(found[at].cpu == expected[at].cpu);
			CHECK(found[at].time_ns == expected[at].time_ns);
			CHECK(found[at].period == expected[at].period);
			CHECK(read.header.events.at(found[at].event.value()).name == event_name(report, expected[at]));
			CHECK(found[at].user_chain == chain_of(report, expected[at].user_stack));
			CHECK(found[at].kernel_chain == chain_of(report, expected[at].kernel_stack));
			CHECK(found[at].in_user_mode == !expected[at].kernel_stack);
		}
		CHECK(read.skipped.malformed == 0);
		CHECK(read.skipped.unknown == 0);
		CHECK(read.skipped.late == 0);
		check_mapped(report, read);
	}
}

TEST_CASE("the kernel is mapped around its frames, and nothing is said of where its text begins")
{
	std::mt19937 random(6);
	const auto mapped = all<PerfMapping>(written(any_mapped_report(random)));
	const auto kernel = std::ranges::find_if(mapped, [](const PerfMapping& mapping) { return mapping.kernel; });
	REQUIRE(kernel != mapped.end());
	CHECK(kernel->mapping.path == "[kernel.kallsyms]_text");
	CHECK(kernel->mapping.start == 0xffffffff8100f000); // where the first function begins
	CHECK(kernel->mapping.end == 0xffffffff81018000);
	CHECK(kernel->mapping.pgoff == 0);
}

TEST_CASE("perf.data says what was recorded, where, and by which clock")
{
	std::mt19937 random(5);
	Report report = any_mapped_report(random);
	report.host = {"6.1.0-1-amd64", "x86_64", "box", "b-o-o-t", "0.1.0", 1};
	report.session.target = "all";
	report.session.events = {{"cpu-clock", true, 99}, {"page-faults:u", false, 7}};
	report.samples[0].event.reset();
	report.samples[0].user_stack = 0;
	const PerfHeader header = written(report).header;
	report.host.arch = "arm64";
	CHECK(written(report).header.machine == "aarch64");
	CHECK(header.hostname == "box");
	CHECK(header.release == "6.1.0-1-amd64");
	CHECK(header.machine == "x86_64");
	CHECK(header.perf == "uwind 0.1.0");
	CHECK(header.command == "uwind all");
	CHECK(header.clock == 7);
	REQUIRE(header.events.size() == 3);
	CHECK(header.events[1].name == "page-faults:u");
	CHECK(!header.events[1].is_frequency);
	CHECK(header.events[1].rate == 7);
	CHECK(header.events[2].name == "requests");
	REQUIRE(header.build_ids.size() == 2);
	CHECK(header.build_ids[0].path == "/usr/lib/lib a.so");
	CHECK(header.build_ids[0].build_id == report.modules[0].build_id);
	CHECK(header.build_ids[1].build_id == report.modules[1].build_id);
}

TEST_CASE("a thread that runs another program by now has executed it, and what it maps is told again")
{
	Report report = sample_report();
	report.modules[0].segments = {{0x1000, 0x1000, 0}};
	report.samples = {sample_of(0, 1, 0, 1), sample_of(0, 2, 0, 1), sample_of(0, 3, 0, 1)};
	report.samples[1].process = 1;
	report.frames.push_back({0x401010, 1, 0x10, "other", 0, false}); // another file where the first one was
	report.stacks.push_back({{5}, {Method::PC}, {{}}, Stop::OUTERMOST});
	report.samples[1].user_stack = 3;
	const Read read = written(report);
	const auto names = all<PerfName>(read);
	REQUIRE(names.size() == 3);
	CHECK(names[0].comm == "prog");
	CHECK(!names[0].exec);
	CHECK(names[1].comm == "we;ird\n");
	CHECK(names[1].exec);
	CHECK(names[2].comm == "prog");
	const auto mapped = all<PerfMapping>(read);
	REQUIRE(mapped.size() == 3);
	CHECK(mapped[0].mapping.path == "/bin/prog");
	CHECK(mapped[0].build_id == "00ff");
	CHECK(mapped[1].mapping.path == "/tmp/\"q\"");
	CHECK(mapped[1].build_id == "");
	CHECK(mapped[2].mapping.path == "/bin/prog");
	CHECK(mapped[2].time_ns == 3);
}

TEST_CASE("a process forks before its first sample and exits at its time, once, whatever it executed")
{
	Report report = sample_report();
	for (ReportProcess& process : report.processes) {
		process.pid = 5;
		process.start_time_ns = 1;
		process.details.parent_pid = 4;
	}
	report.processes[1].exit_time_ns = 25;
	report.samples = {sample_of(0, 10, 0, 1), sample_of(0, 20, 0, 1), sample_of(0, 30, 0, 1)};
	for (std::size_t i = 0; i < 3; i++)
		report.samples[i].pid = report.samples[i].tid = i < 2 ? 5 : 6;
	report.samples[1].process = 1;
	const Read read = written(report);
	const auto forks = all<PerfFork>(read);
	REQUIRE(forks.size() == 1);
	CHECK(forks[0].pid == 5);
	CHECK(forks[0].parent == 4);
	CHECK(forks[0].time_ns == 1);
	const auto exits = all<PerfExit>(read);
	REQUIRE(exits.size() == 1);
	CHECK(exits[0].pid == 5);
	CHECK(exits[0].time_ns == 25);
}

TEST_CASE("without segments a file is mapped as it is laid out in memory")
{
	Report report = sample_report();
	report.samples = {sample_of(0, 1, 0, 1)};
	const auto mapped = all<PerfMapping>(written(report));
	REQUIRE(mapped.size() == 1);
	CHECK(mapped[0].mapping.start == 0x401000);
	CHECK(mapped[0].mapping.pgoff == 0x1000);
}

TEST_CASE("stacks deeper than a record have their inner frames")
{
	Report report = sample_report();
	report.stacks[0].frames.assign(20000, 0);
	report.stacks[0].methods.assign(20000, Method::EH_FRAME);
	report.stacks[0].methods[0] = Method::PC;
	report.stacks[0].stack_bytes.assign(20000, 16);
	report.samples = {sample_of(0, 1, 0, 1)};
	const auto samples = all<PerfSample>(written(report));
	REQUIRE(samples.size() == 1);
	CHECK(samples[0].user_chain.size() == 7999);
}

TEST_CASE("a report without samples is a file without them")
{
	Report report = sample_report();
	report.samples.clear();
	CHECK(all<PerfSample>(written(report)).empty());
}

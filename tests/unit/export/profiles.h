// SPDX-License-Identifier: GPL-2.0
// Reports for the tests of pprof's and OTLP's formats, and what checks them.
#pragma once

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

#include "export/json.h"
#include "unit/export/any_report.h"
#include "unit/skipped.h"
#include "unit/source_folder.h"
#include "unit/temporary_folder.h"

namespace uwind {

inline std::string written(void (*write)(const Report&, std::ostream&), const Report& report)
{
	std::ostringstream out;
	write(report, out);
	return out.str();
}

// Two events, inlined functions, lines of source, modules that are mapped somewhere, times off the CPU.
inline Report any_profiled_report(std::mt19937& random)
{
	Report report = any_report(random);
	report.host = {"6.1.0-1-amd64", "x86_64", "box", "b-o-o-t", "0.1.0", 1};
	report.session.started = "2026-01-31T23:59:59Z";
	report.session.started_ns = 1000;
	report.session.duration_ns = 3'000'000'000;
	report.session.target = "all";
	report.session.events = {{"cpu-clock", true, 99}, {"page-faults:u", false, 7}, {"offcpu", false, 1}};
	for (Index i = 0; i < report.processes.size(); i++)
		report.processes[i].pid = 10 + i;
	report.processes[0].exe = "/usr/bin/prog";
	report.modules[0].build_id = "00112233445566778899aabbccddeeff00112233";
	report.modules[0].segments = {{0x1000, 0x100, 0x400}, {0x3000, 0x5000, 0x2000}};
	report.modules[1].segments = {{0x400000, 0x10000, 0}};
	for (Index i = 0; i < report.frames.size(); i++) {
		ReportFrame& frame = report.frames[i];
		if (frame.module && !frame.kernel) {
			const Segment& segment = report.modules[*frame.module].segments.back();
			frame.offset = segment.address + 0x10 + 0x20 * i;
			frame.address = (*frame.module ? 0 : 0x7f0000000000) + frame.offset;
		}
		if (frame.module && any(random, 3) == 0)
			frame.source = ReportSource{"/src/a.c", any(random, 100)};
		for (std::uint32_t inlined = frame.source ? any(random, 3) : 0; inlined; inlined--)
			frame.inlined.push_back({inlined == 2 ? "" : "inlined", {"/src/inlined.h", inlined}});
	}
	for (ReportStack& stack : report.stacks) {
		stack.methods.assign(stack.frames.size(), Method::EH_FRAME);
		stack.methods[0] = Method::PC;
		stack.stack_bytes.resize(stack.frames.size());
		stack.stop = Stop::OUTERMOST;
	}
	report.off_cpu.emplace_back().reason = "lock";
	std::uint64_t time_ns = 2000;
	for (ReportSample& sample : report.samples) {
		sample.time_ns = time_ns += 10 + any(random, 1000);
		sample.tid += any(random, 2);
		sample.cpu = any(random, 3);
		sample.event = any(random, 3);
		if (sample.event == 2)
			sample.off_cpu = 0;
	}
	report.counters.requested = report.counters.answered = 40;
	report.counters.lost = {{"exec", 0}};
	report.counters.stops = {{"outermost", 38}, {"no_table", 2}};
	return report;
}

// The report and what was made of it, as files beside each other.
struct ProfileFiles {
	TemporaryFolder folder;

	void add(const char* name, const std::string& contents) const
	{
		std::ofstream(folder.at(name), std::ios::binary) << contents;
	}

	// A script of tests/profiles finds nothing wrong; words are files of the folder, and what is more.
	bool passes(const std::string& script, const std::string& files, const std::string& more = "") const
	{
		const std::string command = "cd " + folder.path.string() + " && /usr/bin/python3 " +
					    in_sources("tests/profiles/" + script) + " " + files + " " + more;
		return std::system(command.c_str()) == 0;
	}
};

} // namespace uwind

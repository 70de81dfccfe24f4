// SPDX-License-Identifier: GPL-2.0
// A small report with one of everything, for the tests of what writes and reads it.
#pragma once

#include "model/report.h"

namespace uwind {

inline ReportSample sample_of(Index process, std::uint64_t time_ns, std::optional<Index> stack, std::uint32_t weight)
{
	ReportSample sample;
	sample.time_ns = time_ns;
	sample.process = process;
	sample.pid = sample.tid = 10 + process;
	sample.cpu = 1;
	sample.cookie = 0xfedcba9876543210;
	sample.user_stack = stack;
	sample.weight = weight;
	if (!stack)
		sample.lost = Loss::EXEC;
	return sample;
}

inline Report sample_report()
{
	constexpr std::uint64_t s = 1'000'000'000;
	Report report;
	report.host = {"6.1.0-1-amd64", "x86_64", "box", "b-o-o-t", "0.1.0", 1};
	report.session = {"cpu-clock", true, 99, "2026-01-31T23:59:59Z", 5 * s, "all"};
	report.processes = {{10, "prog", "/bin/prog", 77, 64}, {11, "we;ird\n", "", 78, 32}};
	report.modules = {{"/bin/prog", "00ff", Method::EH_FRAME, 12, 480}, {"/tmp/\"q\"", "", {}, 0, 0}};
	report.frames = {{0x401010, 0, 0x1010, "leaf", 0x10, false},
			 {0x401120, 0, 0x1120, "main", 0x20, false},
			 {0x401200, 0, 0x1200, {}, 0, false},
			 {0x7f0000000010, 1, 0x10, {}, 0, false},
			 {0xdead, {}, 0xdead, {}, 0, false}};
	report.stacks = {{{0, 1, 2}, {Method::PC, Method::EH_FRAME, Method::EH_FRAME}, {16, 32, {}}, Stop::OUTERMOST},
			 {{3, 4}, {Method::PC, Method::FP}, {{}, {}}, Stop::NO_TABLE},
			 {{1, 2}, {Method::PC, Method::SFRAME_V1}, {32, 16}, Stop::ZERO_RA, true}};
	report.samples = {sample_of(0, 1 * s, 0, 2), sample_of(0, 1 * s + 5, 1, 1), sample_of(0, 5 * s, 2, 4),
			  sample_of(1, 2 * s, 1, 1), sample_of(0, 2 * s, {}, 3)};
	report.counters.requested = 12;
	report.counters.answered = 8;
	report.counters.pending = 1;
	report.counters.lost = {{"exec", 3}, {"exit", 0}};
	report.counters.stops = {{"outermost", 2}, {"no_table", 2}, {"zero_ra", 4}};
	report.counters.others = {{"messages", 5}, {"messages_dropped", 0}};
	return report;
}

} // namespace uwind

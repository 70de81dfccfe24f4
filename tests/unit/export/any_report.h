// SPDX-License-Identifier: GPL-2.0
// Reports by chance, for the tests of formats that programs read.
#pragma once

#include <random>
#include <string>
#include <vector>

#include "unit/export/sample_report.h"

namespace uwind {

inline const std::vector<std::string> comms = {"prog", "V8 WorkerThread",      "a 7 b", "kworker/0:1",
					       "x",    "swapper/0 77/88 [001]"};
inline const std::vector<std::string> functions = {"main",
						   "operator new(unsigned long)",
						   "ns::(anonymous namespace)::f(int)",
						   "net/http.(*Client).Do",
						   "std::map<int, std::less<int> >::at",
						   "_start"};

inline std::uint32_t any(std::mt19937& random, std::size_t count)
{
	return random() % count;
}

// A report of stacks of kernel and user frames, of every combination, with weights and periods.
inline Report any_report(std::mt19937& random)
{
	Report report;
	report.session.events = {{"cpu-clock", true, 99}};
	for (const auto& comm : comms)
		report.processes.push_back({10, comm, "", 0, 64});
	report.modules = {
		{"/usr/lib/lib a.so", "", {}, 0, 0}, {"/bin/prog", "", {}, 0, 0}, {"[kernel.kallsyms]", "", {}, 0, 0}};
	for (std::uint32_t i = 0; i < 24; i++) {
		const bool kernel = i >= 16;
		ReportFrame frame{(kernel ? 0xffffffff81000000 : 0x401000) + 0x1000 * i,
				  kernel ? 2 : i % 2,
				  0x10 * i,
				  functions[any(random, functions.size())],
				  i,
				  kernel};
		if (any(random, 4) == 0 && !kernel)
			frame.symbol.reset();
		if (any(random, 8) == 0 && !kernel && !frame.symbol)
			frame.module.reset();
		report.frames.push_back(frame);
	}
	for (std::uint32_t i = 0; i < 12; i++) {
		ReportStack stack;
		for (std::uint32_t depth = 1 + any(random, 5); depth; depth--)
			stack.frames.push_back(i < 8 ? any(random, 16) : 16 + any(random, 8));
		report.stacks.push_back(stack);
	}
	for (std::uint32_t i = 0; i < 40; i++) {
		ReportSample sample =
			sample_of(any(random, comms.size()), any(random, 1u << 31), any(random, 8), 1 + any(random, 5));
		sample.event = 0;
		sample.period = sample.weight * 1000u + any(random, 1000);
		if (any(random, 2))
			sample.kernel_stack = 8 + any(random, 4);
		if (any(random, 4) == 0)
			sample.user_stack.reset();
		report.samples.push_back(sample);
	}
	return report;
}

} // namespace uwind

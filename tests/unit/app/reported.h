// SPDX-License-Identifier: GPL-2.0
// What tests of samples share: they are collected, and become a report.
#pragma once

#include "app/naming.h"
#include "unit/fake_machine.h"

namespace uwind {

inline void ignore_file(std::uint32_t, std::uint32_t, std::uint64_t) {}

struct Reported {
	FakeFiles files;
	FakeProcesses processes{files};
	FakeObjects objects{files};
	Modules modules;
	Symbols symbols{objects, processes, modules};
	KnownProcesses known;
	Aggregate aggregate;
	FakeKernelNames kernel_names;
	KernelTimeline timeline;

	explicit Reported(Aggregate::Limits limits = {}) : aggregate(processes, known, limits)
	{
		aggregate.set_timeline(timeline);
	}

	Report report()
	{
		Report report;
		fill_report(aggregate.take(), modules, symbols, {kernel_names, timeline}, report);
		return report;
	}
};

} // namespace uwind

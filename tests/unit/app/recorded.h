// SPDX-License-Identifier: GPL-2.0
// What tests of recordings share.
#pragma once

#include <catch2/catch.hpp>

#include "unit/fake_machine.h"

namespace uwind {

inline RecordingOptions all_processes()
{
	RecordingOptions options;
	options.session.all = true;
	options.target = "all";
	return options;
}

// Waits until the worker has made so many tables.
inline void wait_for_tables(FakeKernel& kernel, std::size_t count)
{
	for (int i = 0; i < 500 && kernel.table_count() < count; i++)
		std::this_thread::sleep_for(std::chrono::milliseconds(2));
	REQUIRE(kernel.table_count() == count);
}

inline std::uint64_t other(const Report& report, const char* name)
{
	return report.counters.others.at(name);
}

} // namespace uwind

// SPDX-License-Identifier: GPL-2.0
// What tests of recordings share.
#pragma once

#include <catch2/catch.hpp>
#include <chrono>
#include <functional>

#include "unit/fake_machine.h"

namespace uwind {

inline RecordingOptions all_processes()
{
	RecordingOptions options;
	options.session.all = true;
	options.target = "all";
	return options;
}

// Lets the recording take what arrives until the condition holds, for at most two minutes.
inline void run_until(Recording& recording, const std::function<bool()>& condition)
{
	const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(2);
	do {
		REQUIRE(recording.run_for(std::chrono::milliseconds(10)));
	} while (!condition() && std::chrono::steady_clock::now() < end);
	REQUIRE(condition());
}

// Lets the recording go on until there are that many tables, and none is being made.
inline void run_until_made(Recording& recording, FakeKernel& kernel, std::size_t count)
{
	run_until(recording, [&] { return kernel.table_count() >= count && !recording.is_making_tables(); });
	REQUIRE(kernel.table_count() == count);
}

inline std::uint64_t other(const Report& report, const char* name)
{
	return report.counters.others.at(name);
}

} // namespace uwind

// SPDX-License-Identifier: GPL-2.0
// All that a perf.data file says, read at once.
#pragma once

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "perf_data/recording.h"

namespace uwind {

struct Read {
	std::vector<PerfRecord> records;
	PerfSkipped skipped;
	PerfHeader header;
};

inline Read read_recording(const std::string& path)
{
	auto recording = perf_data::FileRecording::open(path);
	INFO((recording ? "" : recording.error().message));
	REQUIRE(recording);
	Read result;
	for (;;) {
		auto record = (*recording)->next();
		REQUIRE(record);
		if (!*record)
			break;
		result.records.push_back(std::move(**record));
	}
	result.skipped = (*recording)->skipped();
	result.header = (*recording)->header();
	return result;
}

} // namespace uwind

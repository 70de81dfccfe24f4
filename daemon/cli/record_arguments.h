// SPDX-License-Identifier: GPL-2.0
// What uwind record can be told, and what it makes of that.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/recording.h"
#include "base/result.h"

namespace uwind {

struct RecordArguments {
	std::string event = "cpu-clock";
	std::uint64_t frequency = 0;
	std::uint64_t period = 0;
	std::vector<std::int32_t> pids;
	std::vector<std::int32_t> excluded;
	bool all = false;
	std::string cgroup;
	std::string cpus;
	std::uint32_t max_depth = 0; // 0: not said
	double duration_s = 0;       // 0: until something else ends it
	std::string output = "uwind.json";
	bool verbose = false;
	std::vector<std::string> command;
};

void add_record_options(CLI::App& verb, RecordArguments& arguments);

// What does not go together.
std::optional<Error> wrong(const RecordArguments& arguments);

// Of arguments that are not wrong. A command is no target yet: it has no process.
RecordingOptions options_of(const RecordArguments& arguments);

} // namespace uwind

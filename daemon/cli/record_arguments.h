// SPDX-License-Identifier: GPL-2.0
// The options of uwind record, and the recording that they describe.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/recording.h"
#include "base/result.h"
#include "events/parse.h"

namespace uwind {

struct RecordArguments {
	std::vector<EventArgument> events; // none: cpu-clock
	bool force = false;                // many functions of the kernel, too
	bool kernel_stacks = false;
	std::uint64_t frequency = 0;
	std::uint64_t period = 0;
	std::vector<std::int32_t> pids;
	std::vector<std::int32_t> excluded;
	bool all = false;
	std::string cgroup;
	std::string cpus;
	std::uint32_t max_depth = 0; // 0: not given
	std::uint32_t stack_bytes = most_stack_bytes;
	bool stack_depth = false;
	bool no_arguments = false;
	double duration_s = 0; // 0: until the command ends or a signal arrives
	std::string output = "uwind.json";
	std::string table_cache; // "": not given
	bool verbose = false;
	std::vector<std::string> command;
};

void add_record_options(CLI::App& verb, RecordArguments& arguments);

// What the arguments describe. EINVAL: they contradict each other; errors of parse_events(). A command is not among the
// targets: it has no process yet.
Result<RecordingOptions> options_of(const RecordArguments& arguments, EventSources& sources);

} // namespace uwind

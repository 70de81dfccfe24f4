// SPDX-License-Identifier: GPL-2.0
// Which of a report's samples are shown.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/report.h"

namespace uwind {

// A sample satisfies all that is given; of a list, one. Names may be patterns (*, ?, [a-z]).
struct Selection {
	std::vector<std::string> events;
	std::vector<std::string> comms;
	std::vector<std::uint32_t> pids;
	std::optional<double> from_s; // since the report's first sample
	std::optional<double> to_s;
	std::vector<std::string> modules; // that a frame lies in: path, or its last part
	std::vector<std::string> symbols; // of a frame
};

// Leaves out the other samples. Counters stay those of the recording. EINVAL: no event has such a name.
Status select_samples(Report& report, const Selection& selection);

} // namespace uwind

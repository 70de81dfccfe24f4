// SPDX-License-Identifier: GPL-2.0
// A recording that perf has made.
#pragma once

#include <optional>

#include "base/result.h"
#include "model/perf_records.h"

namespace uwind {

// Used by one thread.
class PerfRecording {
public:
	virtual ~PerfRecording() = default;

	virtual const PerfHeader& header() const = 0;
	// The next record in the order of time. Nothing: there is no further one. An error is final.
	virtual Result<std::optional<PerfRecord>> next() = 0;
	virtual const PerfSkipped& skipped() const = 0;
};

} // namespace uwind

// SPDX-License-Identifier: GPL-2.0
// Where a service leaves its reports.
#pragma once

#include <string>

#include "base/result.h"
#include "model/report.h"

namespace uwind {

class ReportStore {
public:
	virtual ~ReportStore() = default;

	// From now on reports go there, and so many of them are kept. An error changes nothing.
	virtual Status open(const std::string& folder, std::size_t keep) = 0;
	virtual Status store(const Report& report) = 0;
};

} // namespace uwind

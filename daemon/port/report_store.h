// SPDX-License-Identifier: GPL-2.0
// Where the service stores its reports.
#pragma once

#include <string>

#include "base/result.h"
#include "model/report.h"

namespace uwind {

class ReportStore {
public:
	virtual ~ReportStore() = default;

	// Stores reports in this folder from now on, and keeps so many of them. An error changes nothing.
	virtual Status open(const std::string& folder, std::size_t keep) = 0;
	virtual Status store(const Report& report) = 0;
};

} // namespace uwind

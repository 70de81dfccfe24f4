// SPDX-License-Identifier: GPL-2.0
// The folder in which the service stores its reports, a bounded number of them.
#pragma once

#include <functional>
#include <iosfwd>
#include <string>

#include "base/result.h"

namespace uwind {

class ReportFolder {
public:
	// Creates the folder (0750) if it is missing, and removes temporary files of a crash.
	static Result<ReportFolder> open(const std::string& path, std::size_t keep);

	// Stores a report that started at this time: "2026-01-31T23:59:59Z" becomes
	// uwind-20260131T235959Z.json (0640). Removes the oldest reports beyond the number.
	Status store(const std::string& started, const std::function<void(std::ostream&)>& writer);

private:
	ReportFolder(std::string path, std::size_t keep) : path_(std::move(path)), keep_(keep) {}
	std::string free_name(const std::string& started) const;
	void remove_oldest() const;

	std::string path_;
	std::size_t keep_;
};

} // namespace uwind

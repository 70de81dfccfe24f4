// SPDX-License-Identifier: GPL-2.0
// The folder in which a service leaves its reports: a bounded number of them.
#pragma once

#include <functional>
#include <iosfwd>
#include <string>

#include "base/result.h"

namespace uwind {

class ReportFolder {
public:
	// Makes the folder (0750) if need be, and clears away what a crash left.
	static Result<ReportFolder> open(const std::string& path, std::size_t keep);

	// A report begun at that time, "2026-01-31T23:59:59Z", appears whole (0640) as
	// uwind-20260131T235959Z.json; the oldest reports beyond the number go.
	Status store(const std::string& started, const std::function<void(std::ostream&)>& writer);

private:
	ReportFolder(std::string path, std::size_t keep) : path_(std::move(path)), keep_(keep) {}
	std::string free_name(const std::string& started) const;
	void remove_oldest() const;

	std::string path_;
	std::size_t keep_;
};

} // namespace uwind

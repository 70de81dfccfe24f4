// SPDX-License-Identifier: GPL-2.0
// Reports as files in a folder, in the format of a given writer.
#include "io/report_files.h"

#include <cerrno>

namespace uwind {

Status ReportFiles::open(const std::string& folder, std::size_t keep)
{
	auto opened = ReportFolder::open(folder, keep);
	if (!opened)
		return opened.error();
	folder_.emplace(std::move(*opened));
	return Nothing{};
}

Status ReportFiles::store(const Report& report)
{
	if (!folder_)
		return Error{ENOENT, "no folder for reports was opened"};
	return folder_->store(report.session.started, [&](std::ostream& out) { writer_(report, out); });
}

} // namespace uwind

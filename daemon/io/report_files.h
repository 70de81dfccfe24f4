// SPDX-License-Identifier: GPL-2.0
// Reports as files in a folder, in the format of a given writer.
#pragma once

#include <functional>
#include <iosfwd>
#include <optional>

#include "io/report_folder.h"
#include "port/report_store.h"

namespace uwind {

class ReportFiles : public ReportStore {
public:
	using Writer = std::function<void(const Report&, std::ostream&)>;

	explicit ReportFiles(Writer writer) : writer_(std::move(writer)) {}

	Status open(const std::string& folder, std::size_t keep) override;
	Status store(const Report& report) override;

private:
	Writer writer_;
	std::optional<ReportFolder> folder_;
};

} // namespace uwind

// SPDX-License-Identifier: GPL-2.0
// What processes of a report have mapped where, as far as perf has been told.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "export/mappings.h"
#include "model/report.h"

namespace uwind {

class PerfMappings {
public:
	explicit PerfMappings(const Report& report) : files_(report) {}

	// What that process must have mapped for this frame, if it has not been told yet: from now on it has.
	std::optional<Mapped> needed(std::uint32_t pid, const ReportFrame& frame, std::uint64_t address);
	const std::map<Index, Mapped>& kernel() const { return files_.kernel(); }

private:
	static void replace(std::map<std::uint64_t, Mapped>& mapped, const Mapped& mapping);

	Mappings files_;
	std::map<std::uint32_t, std::map<std::uint64_t, Mapped>> processes_; // by pid and start
};

} // namespace uwind

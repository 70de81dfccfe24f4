// SPDX-License-Identifier: GPL-2.0
// One sample of a report.
#pragma once

#include <cstdint>
#include <optional>

#include "model/words.h"

namespace uwind {

using Index = std::uint32_t; // in one of the report's lists

struct ReportSample {
	std::uint64_t time_ns = 0; // CLOCK_BOOTTIME
	Index process = 0;
	std::uint32_t pid = 0;
	std::uint32_t tid = 0;
	std::uint32_t cpu = 0;
	std::uint32_t weight = 0;
	std::uint64_t cookie = 0;
	std::optional<Index> user_stack;
	std::optional<Index> kernel_stack;
	std::optional<Loss> lost;            // why there is no user stack
	std::optional<Index> event;          // of the session; nothing: a request of a BPF program or a module
	std::optional<std::uint64_t> period; // events that it stands for; nothing: not known
	std::optional<Index> off_cpu;        // of the report; nothing: another kind of event
	std::optional<Index> call;           // the same

	bool has_stack() const { return user_stack || kernel_stack; }
	bool operator==(const ReportSample&) const = default;
};

} // namespace uwind

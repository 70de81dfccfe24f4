// SPDX-License-Identifier: GPL-2.0
// Who ended the times off the CPU. A wakeup may be noted before the time that it ends, or after it.
#pragma once

#include <unordered_map>
#include <utility>
#include <vector>

#include "model/report.h"

namespace uwind {

class Wakers {
public:
	std::size_t size() const { return wakers_.size(); }
	// By the number of the wakeup.
	void add(std::uint64_t wake, const ReportWaker& waker) { wakers_[wake] = waker; }
	void add_woken(std::uint64_t wake, Index off_cpu) { woken_.emplace_back(wake, off_cpu); }
	// Nothing is left here.
	void join(std::vector<ReportOffCpu>& off_cpu);

private:
	std::unordered_map<std::uint64_t, ReportWaker> wakers_;
	std::vector<std::pair<std::uint64_t, Index>> woken_; // the times that they ended
};

} // namespace uwind

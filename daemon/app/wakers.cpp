// SPDX-License-Identifier: GPL-2.0
// Who ended the times off the CPU.
#include "app/wakers.h"

namespace uwind {

void Wakers::join(std::vector<ReportOffCpu>& off_cpu)
{
	for (const auto& [wake, index] : woken_)
		if (const auto waker = wakers_.find(wake); waker != wakers_.end())
			off_cpu[index].waker = waker->second;
	woken_.clear();
	wakers_.clear();
}

} // namespace uwind

// SPDX-License-Identifier: GPL-2.0
// Filters of tracepoints: whatever the steps are, those that are accepted end, and read nothing beyond the entry.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

extern "C" {
#include "event_filter.h"
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
	if (size < 2)
		return 0;
	const std::size_t nr = data[0] % (UW_FILTER_MAX_STEPS + 1);
	const std::size_t steps_bytes = nr * sizeof(uw_filter_step);
	data += 2;
	size -= 2;
	if (size < steps_bytes)
		return 0;
	std::vector<uw_filter_step> steps(nr);
	if (nr)
		std::memcpy(steps.data(), data, steps_bytes);
	u32 bad = 0;
	if (uw_filter_check(steps.data(), static_cast<u32>(nr), &bad)) {
		if (bad >= nr)
			std::abort();
		return 0;
	}
	if (!nr)
		return 0;
	// Copies, so that the sanitizer knows where they end.
	const std::vector<u8> entry(data + steps_bytes, data + size);
	const uw_filter_event event{entry.data(), static_cast<u32>(entry.size()), 1, "comm"};
	uw_filter_takes(steps.data(), &event);
	return 0;
}

// SPDX-License-Identifier: GPL-2.0
// The steps of a filter as they go to the module, checked and run by the module's own code.
#pragma once

#include <string>
#include <vector>

#include "io/device_counters.h"

extern "C" {
#include "event_filter.h"
}

// A tracepoint's entry, and the moment of it.
struct Moment {
	std::string entry;
	std::uint32_t cpu = 0;
	std::string comm;
};

// The list of counters that has them.
inline uwind::SessionOptions with_filter(const std::vector<uwind::FilterStep>& steps)
{
	uwind::SessionOptions options;
	options.events.resize(1);
	options.events[0].filter_steps = steps;
	return options;
}

inline const uw_filter_step* steps_of(const uwind::DeviceCounters& counters)
{
	return reinterpret_cast<const uw_filter_step*>(counters.list()[0].filter);
}

inline bool takes(const std::vector<uwind::FilterStep>& steps, const Moment& moment)
{
	const auto options = with_filter(steps);
	const uwind::DeviceCounters counters(options);
	const uw_filter_event event{reinterpret_cast<const u8*>(moment.entry.data()),
				    static_cast<u32>(moment.entry.size()), moment.cpu, moment.comm.c_str()};
	return steps.empty() || uw_filter_takes(steps_of(counters), &event);
}

// Why the module would refuse them. "": it takes all of them.
inline std::string broken(const std::vector<uwind::FilterStep>& steps)
{
	if (steps.size() > uwind::most_filter_steps)
		return "too many steps";
	for (const uwind::FilterStep& step : steps)
		if (step.text.size() > uwind::most_filter_text || step.text.find('\0') != std::string::npos)
			return "a text that is cut off";
	const auto options = with_filter(steps);
	const uwind::DeviceCounters counters(options);
	u32 bad = 0;
	const char* why = uw_filter_check(steps_of(counters), counters.list()[0].nr_filter, &bad);
	return why ? why : "";
}

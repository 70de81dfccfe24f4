// SPDX-License-Identifier: GPL-2.0
// Follows whose kernel code is where while a recording runs.
#pragma once

#include <set>

#include "app/counts.h"
#include "app/kernel_timeline.h"
#include "port/clock.h"
#include "port/kernel_regions.h"

namespace uwind {

class KernelOwners {
public:
	KernelOwners(KernelRegions& regions, KernelNames& names, Clock& clock)
	    : regions_(regions), names_(names), clock_(clock)
	{
	}

	// Remembers what is there. Until then nothing has an owner, and the rest does nothing.
	void begin();
	// Takes in what has happened until now. A module that has come has its symbols read: it may be gone soon.
	void catch_up();

	const KernelTimeline& timeline() const { return timeline_; }
	// What begin() could not watch.
	const std::vector<KernelRegions::Unwatched>& unwatched() const { return unwatched_; }
	Counts counts() const;

private:
	void note(const KernelRegionEvent& event);
	void get_ready();
	void read_contents();
	void rest_since(std::uint64_t begun_ns);

	KernelRegions& regions_;
	KernelNames& names_;
	Clock& clock_;
	KernelTimeline timeline_;
	std::vector<KernelRegions::Unwatched> unwatched_;
	bool begun_ = false;
	std::set<std::string> without_symbols_; // modules that have come
	bool ready_ = false;                    // to read symbols
	std::uint64_t rests_until_ns_ = 0;      // CLOCK_BOOTTIME
	std::uint64_t gone_unread_ = 0;
};

} // namespace uwind

// SPDX-License-Identifier: GPL-2.0
// Modules that come and go, as uwind's own one says.
#pragma once

#include <map>
#include <vector>

#include "base/byte_cursor.h"
#include "base/handle.h"
#include "base/result.h"
#include "model/kernel_region.h"

namespace uwind {

// A module's regions, from the records that say what happens to each of them.
class ModuleRecords {
public:
	// Whole records. to_boottime_ns: what to add to their times.
	void take(Bytes records, std::uint64_t to_boottime_ns, std::vector<KernelRegionEvent>& events);
	// Records that had no room.
	std::uint64_t lost() const { return lost_; }

private:
	void take(std::uint16_t type, KernelRegionEvent event, std::vector<KernelRegionEvent>& events);
	void end_init(const KernelRegionEvent& event, std::vector<KernelRegionEvent>& events);

	// By module: those that are in memory until it settles, or fails to. The first is what stays.
	std::map<std::string, std::vector<KernelRegion>> coming_;
	std::uint64_t lost_ = 0;
};

class ModuleWatch {
public:
	// device: a descriptor of /dev/uwind.
	static Result<ModuleWatch> open(int device);

	// Appends what has happened.
	void drain(std::vector<KernelRegionEvent>& events);
	std::uint64_t lost() const { return records_.lost(); }

private:
	explicit ModuleWatch(UniqueFd fd);

	UniqueFd fd_;
	std::vector<std::uint8_t> buffer_;
	ModuleRecords records_;
};

} // namespace uwind

// SPDX-License-Identifier: GPL-2.0
// BPF programs and trampolines that come and go, as perf's records of the type KSYMBOL say.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "io/online_cpus.h"
#include "io/perf_ring.h"
#include "model/kernel_region.h"

namespace uwind {

class Ksymbols {
public:
	// On all CPUs that are online.
	static Result<Ksymbols> open();

	// Appends what the rings hold. CPUs that came online have one from then on.
	void drain(std::vector<KernelRegionEvent>& events);
	// Records that had no room, since the start.
	std::uint64_t lost() const;

private:
	Status open_on(std::uint32_t cpu);

	OnlineCpus cpus_;
	std::map<std::uint32_t, PerfRing> rings_; // by CPU
	std::uint64_t lost_ = 0;                  // of CPUs that went offline and came again
};

// A record of an event whose samples have the time only. Nothing: another one, or it contradicts itself.
std::optional<KernelRegionEvent> ksymbol_in(Bytes record);

} // namespace uwind

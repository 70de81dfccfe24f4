// SPDX-License-Identifier: GPL-2.0
// Samples whose user chain comes later, in a record of its own.
#pragma once

#include <functional>
#include <list>
#include <unordered_map>

#include "model/perf_records.h"

namespace uwind {

// For one thread. The kernel notes a thread's chain as it returns to user space; all of its samples since it came from
// there have the same cookie, and share it.
class DeferredChains {
public:
	static constexpr std::size_t usual_limit = 1u << 17;

	// has_chain: its user chain has come, and is in it.
	using Done = std::function<void(PerfSample& sample, bool has_chain)>;
	// limit: samples that wait. Above it, the oldest goes on without a chain.
	explicit DeferredChains(Done done, std::size_t limit = usual_limit) : done_(std::move(done)), limit_(limit) {}

	// A sample with a cookie.
	void add(PerfSample sample);
	// False: no sample waited for it.
	bool add(const PerfDeferredChain& chain);
	// Those that still wait have no chain.
	void finish();

private:
	using Place = std::list<PerfSample>::iterator;

	const Done done_;
	const std::size_t limit_;
	std::list<PerfSample> waiting_;                               // the oldest first
	std::unordered_map<std::uint32_t, std::list<Place>> threads_; // those of each
};

} // namespace uwind

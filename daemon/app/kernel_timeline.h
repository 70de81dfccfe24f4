// SPDX-License-Identifier: GPL-2.0
// Whose kernel code was at an address when, and what it was called.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <unordered_map>

#include "model/kernel_region.h"
#include "port/kernel_names.h"

namespace uwind {

// One region's time in memory; a module that is loaded again has another. 0: none, or none that is known.
using KernelOwner = std::uint32_t;

// Of the kernel's own code nothing is said: it is there always.
class KernelTimeline {
public:
	// Beyond it what has been gone for longest is forgotten, and what comes is not taken in.
	static constexpr std::size_t usual_limit = 1u << 15;

	explicit KernelTimeline(std::size_t limit = usual_limit) : limit_(limit) {}

	// Addresses in it have no owner, whatever else is said. Both 0: none are known.
	void set_core(std::uint64_t start, std::uint64_t end);
	// Events come in order of time, but for those from two sources.
	void add(const KernelRegionEvent& event);
	// Of the module that is there now.
	void set_content(const KernelModuleContent& content);
	// Whether it is a module's that is there now.
	bool lacks_symbols(const KernelRegion& region) const;

	KernelOwner owner_at(std::uint64_t address, std::uint64_t time_ns) const;

	struct Name {
		KernelName name; // of a module without symbols: "", and the address's offset in the region
		KernelModule module;
	};
	// Nothing: the owner is 0, or is forgotten.
	std::optional<Name> name_of(KernelOwner owner, std::uint64_t address) const;

	// Regions that were forgotten, or not taken in.
	std::uint64_t too_many() const { return too_many_; }

private:
	static constexpr std::uint64_t never = ~std::uint64_t{0};
	struct Life {
		KernelRegion region;
		std::uint64_t from_ns = 0, until_ns = never;
		std::string build_id;
		std::shared_ptr<const KernelSymbols> symbols;

		bool covers(std::uint64_t address) const { return address - region.start < region.bytes; }
	};
	using Starts = std::multimap<std::uint64_t, KernelOwner>;

	void begin(const KernelRegionEvent& event);
	void end(const KernelRegionEvent& event);
	KernelOwner present(const KernelRegion& region) const;
	KernelOwner insert(const KernelRegion& region, std::uint64_t from_ns);
	void forget_some();
	void erase(KernelOwner owner);
	static std::optional<std::uint64_t> distance(const Life& life, std::uint64_t time_ns);

	const std::size_t limit_;
	std::uint64_t core_start_ = 0, core_end_ = 0;
	std::unordered_map<KernelOwner, Life> lives_;
	// By the size's number of bits, so that a look-up passes few that end before the address.
	std::map<unsigned, Starts> starts_;
	std::deque<KernelOwner> gone_; // in the order in which that was said
	KernelOwner last_ = 0;
	std::uint64_t too_many_ = 0;
};

} // namespace uwind

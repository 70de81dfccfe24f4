// SPDX-License-Identifier: GPL-2.0
// Whose kernel code was at an address when, and what it was called.
#include "app/kernel_timeline.h"

#include <algorithm>
#include <bit>

namespace uwind {
namespace {

constexpr std::uint64_t most_region_bytes = 1u << 30;

unsigned size_class(const KernelRegion& region)
{
	return std::bit_width(region.bytes);
}

bool is_same(const KernelRegion& one, const KernelRegion& other)
{
	return one.start == other.start && one.owner == other.owner && one.symbol == other.symbol;
}

} // namespace

void KernelTimeline::set_core(std::uint64_t start, std::uint64_t end)
{
	core_start_ = start;
	core_end_ = end;
}

void KernelTimeline::add(const KernelRegionEvent& event)
{
	if (!event.region.bytes || event.region.bytes > most_region_bytes)
		return;
	if (event.change == KernelRegionChange::goes)
		end(event);
	else
		begin(event);
}

KernelOwner KernelTimeline::present(const KernelRegion& region) const
{
	for (const auto& [bits, starts] : starts_)
		for (auto [at, end] = starts.equal_range(region.start); at != end; ++at) {
			const Life& life = lives_.at(at->second);
			if (life.until_ns == never && is_same(life.region, region))
				return at->second;
		}
	return 0;
}

// A module that comes settles later; and events may say once more what was found as the recording began.
void KernelTimeline::begin(const KernelRegionEvent& event)
{
	if (!present(event.region))
		insert(event.region, event.time_ns);
}

// What nobody has seen come was there before.
void KernelTimeline::end(const KernelRegionEvent& event)
{
	KernelOwner owner = present(event.region);
	if (!owner)
		owner = insert(event.region, 0);
	if (!owner)
		return;
	Life& life = lives_.at(owner);
	life.until_ns = std::max(event.time_ns, life.from_ns);
	gone_.push_back(owner);
}

KernelOwner KernelTimeline::insert(const KernelRegion& region, std::uint64_t from_ns)
{
	forget_some();
	if (lives_.size() >= limit_) {
		too_many_++;
		return 0;
	}
	lives_.emplace(++last_, Life{region, from_ns, never, "", nullptr});
	starts_[size_class(region)].emplace(region.start, last_);
	return last_;
}

void KernelTimeline::forget_some()
{
	for (; lives_.size() >= limit_ && !gone_.empty(); gone_.pop_front(), too_many_++)
		erase(gone_.front());
}

void KernelTimeline::erase(KernelOwner owner)
{
	const auto life = lives_.find(owner);
	Starts& starts = starts_[size_class(life->second.region)];
	for (auto [at, end] = starts.equal_range(life->second.region.start); at != end; ++at)
		if (at->second == owner) {
			starts.erase(at);
			break;
		}
	lives_.erase(life);
}

// Symbols that lie elsewhere are one of that name that has gone already.
void KernelTimeline::set_content(const KernelModuleContent& content)
{
	for (auto& entry : lives_) {
		Life& life = entry.second;
		if (life.until_ns != never || !life.region.is_module() || life.region.owner != content.name)
			continue;
		if (!content.build_id.empty())
			life.build_id = content.build_id;
		if (content.symbols && std::ranges::any_of(content.symbols->places, [&](const auto& place) {
			    return life.covers(place.address);
		    }))
			life.symbols = content.symbols;
	}
}

bool KernelTimeline::lacks_symbols(const KernelRegion& region) const
{
	const KernelOwner owner = present(region);
	return owner && region.is_module() && !lives_.at(owner).symbols;
}

// 0: the region was there. A BPF program that is given back may run a little longer, but nothing runs in a module that
// has gone. Nothing: it cannot have run.
std::optional<std::uint64_t> KernelTimeline::distance(const Life& life, std::uint64_t time_ns)
{
	if (time_ns < life.from_ns)
		return std::nullopt;
	if (time_ns < life.until_ns)
		return 0;
	return life.region.is_module() ? std::nullopt : std::optional(time_ns - life.until_ns + 1);
}

// A module's region may be larger than its code, and others lie in the rest: the one that begins last is meant.
KernelOwner KernelTimeline::owner_at(std::uint64_t address, std::uint64_t time_ns) const
{
	if (address - core_start_ < core_end_ - core_start_)
		return 0;
	KernelOwner best = 0;
	std::uint64_t best_distance = never, best_start = 0;
	for (const auto& [bits, starts] : starts_)
		for (auto at = starts.upper_bound(address); at != starts.begin();) {
			--at;
			if ((address - at->first) >> bits)
				break;
			const Life& life = lives_.at(at->second);
			const auto away = life.covers(address) ? distance(life, time_ns) : std::nullopt;
			if (!away || *away > best_distance || (*away == best_distance && at->first < best_start))
				continue;
			best = at->second;
			best_distance = *away;
			best_start = at->first;
		}
	return best;
}

std::optional<KernelTimeline::Name> KernelTimeline::name_of(KernelOwner owner, std::uint64_t address) const
{
	const auto known = lives_.find(owner);
	if (known == lives_.end())
		return std::nullopt;
	const auto& [region, from_ns, until_ns, build_id, symbols] = known->second;
	Name name{{region.symbol, address - region.start, region.owner}, {0, build_id}};
	if (!region.is_module())
		return name;
	name.module.start = region.start;
	if (!symbols)
		return name;
	const auto next = std::ranges::upper_bound(symbols->places, address, {}, &KernelSymbols::Place::address);
	if (next == symbols->places.begin())
		return name;
	const KernelSymbols::Place& place = *std::prev(next);
	if (place.address < region.start)
		return name;
	name.name.symbol = symbols->name_of(place);
	name.name.offset = address - place.address;
	return name;
}

} // namespace uwind

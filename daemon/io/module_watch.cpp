// SPDX-License-Identifier: GPL-2.0
// Modules that come and go, as uwind's own one says.
#include "io/module_watch.h"

#include <algorithm>
#include <cstring>
#include <unistd.h>

#include "io/clock.h"
#include "io/text_watch.h"
#include "uwind.h"

namespace uwind {
namespace {

constexpr std::size_t buffer_bytes = 64u << 10;

// They differ by how long the machine has slept.
std::uint64_t monotonic_to_boottime_ns()
{
	const std::uint64_t monotonic = clock_ns(CLOCK_MONOTONIC);
	return clock_ns(CLOCK_BOOTTIME) - monotonic;
}

} // namespace

void ModuleRecords::take(Bytes records, std::uint64_t to_boottime_ns, std::vector<KernelRegionEvent>& events)
{
	uwind_text_record record;
	while (records.size() >= sizeof(record)) {
		std::memcpy(&record, records.data(), sizeof(record));
		if (record.size < sizeof(record) || record.size > records.size())
			return;
		const Bytes name = records.subspan(sizeof(record), record.size - sizeof(record));
		records = records.subspan(record.size);
		KernelRegionEvent event;
		event.time_ns = record.before_ns + to_boottime_ns;
		event.region.start = record.address;
		event.region.bytes = record.bytes;
		event.region.owner.assign(name.begin(), std::find(name.begin(), name.end(), 0));
		take(record.type, std::move(event), events);
	}
}

void ModuleRecords::take(std::uint16_t type, KernelRegionEvent event, std::vector<KernelRegionEvent>& events)
{
	switch (type) {
	case UWIND_TEXT_LOST:
		lost_ += event.region.bytes;
		return;
	case UWIND_TEXT_MODULE_COMING:
		coming_[event.region.owner].push_back(event.region);
		break;
	case UWIND_TEXT_MODULE_LIVE:
		event.change = KernelRegionChange::settles;
		end_init(event, events);
		break;
	case UWIND_TEXT_MODULE_GOING:
		event.change = KernelRegionChange::goes;
		end_init(event, events);
		break;
	default:
		return;
	}
	events.push_back(std::move(event));
}

void ModuleRecords::end_init(const KernelRegionEvent& event, std::vector<KernelRegionEvent>& events)
{
	const auto coming = coming_.extract(event.region.owner);
	if (!coming)
		return;
	for (KernelRegion& region : coming.mapped())
		if (region.start != event.region.start)
			events.push_back({KernelRegionChange::goes, event.time_ns, std::move(region)});
}

ModuleWatch::ModuleWatch(UniqueFd fd) : fd_(std::move(fd)), buffer_(buffer_bytes) {}

Result<ModuleWatch> ModuleWatch::open(int device)
{
	auto watch = watch_text(device, UWIND_WATCH_MODULES, UWIND_MIN_TEXT_BYTES);
	if (!watch)
		return watch.error();
	return ModuleWatch(std::move(*watch));
}

void ModuleWatch::drain(std::vector<KernelRegionEvent>& events)
{
	const std::uint64_t to_boottime_ns = monotonic_to_boottime_ns();
	for (;;) {
		const ssize_t bytes = ::read(fd_.get(), buffer_.data(), buffer_.size());
		if (bytes <= 0)
			return;
		records_.take(Bytes(buffer_).first(static_cast<std::size_t>(bytes)), to_boottime_ns, events);
	}
}

} // namespace uwind

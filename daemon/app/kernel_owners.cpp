// SPDX-License-Identifier: GPL-2.0
// Follows whose kernel code is where while a recording runs.
#include "app/kernel_owners.h"

namespace uwind {

// What comes meanwhile is among both, and counts once.
void KernelOwners::begin()
{
	begun_ = true;
	unwatched_ = regions_.watch();
	const auto present = regions_.present();
	timeline_.set_core(present.core_start, present.core_end);
	for (const KernelRegion& region : present.regions)
		timeline_.add({KernelRegionChange::settles, 0, region});
	for (const KernelModuleContent& module : present.modules)
		timeline_.set_content(module);
	get_ready();
	catch_up();
}

void KernelOwners::catch_up()
{
	if (!begun_)
		return;
	for (const KernelRegionEvent& event : regions_.take())
		note(event);
	const bool rests = clock_.boottime_ns() < rests_until_ns_;
	if (!without_symbols_.empty() && (ready_ || !rests))
		read_contents();
	else if (!ready_ && !rests)
		get_ready();
}

void KernelOwners::note(const KernelRegionEvent& event)
{
	const KernelRegion& region = event.region;
	if (event.change == KernelRegionChange::goes && without_symbols_.erase(region.owner))
		gone_unread_ += timeline_.lacks_symbols(region);
	timeline_.add(event);
	if (event.change == KernelRegionChange::goes || !region.is_module())
		return;
	if (event.change == KernelRegionChange::settles)
		timeline_.set_content({region.owner, names_.module(region.owner).build_id, nullptr});
	if (timeline_.lacks_symbols(region))
		without_symbols_.insert(region.owner);
}

void KernelOwners::get_ready()
{
	const std::uint64_t begun_ns = clock_.boottime_ns();
	regions_.get_ready();
	ready_ = true;
	rest_since(begun_ns);
}

// Modules that come in a row are read together.
void KernelOwners::read_contents()
{
	const std::uint64_t begun_ns = clock_.boottime_ns();
	for (const auto& content : regions_.contents_of({without_symbols_.begin(), without_symbols_.end()}))
		timeline_.set_content(content);
	without_symbols_.clear();
	ready_ = false;
	rest_since(begun_ns);
}

// As long as it took: where modules come all the time, half of the time is left for samples.
void KernelOwners::rest_since(std::uint64_t begun_ns)
{
	const std::uint64_t now_ns = clock_.boottime_ns();
	rests_until_ns_ = now_ns + (now_ns - begun_ns);
}

Counts KernelOwners::counts() const
{
	return {{"kernel_regions_lost", regions_.lost() + timeline_.too_many()},
		{"kernel_modules_unread", gone_unread_}};
}

} // namespace uwind

// SPDX-License-Identifier: GPL-2.0
// Kernel code that comes and goes: perf says which BPF programs and trampolines do, uwind's module which modules.
#include "io/kernel_regions.h"

#include <algorithm>

#include "io/clock.h"
#include "io/kallsyms.h"
#include "io/present_regions.h"
#include "io/text_file.h"

namespace uwind {
namespace {

std::vector<KernelModuleContent> contents_in(OwnedSymbols owned)
{
	std::vector<KernelModuleContent> contents;
	for (auto& [name, symbols] : owned.modules)
		contents.push_back({name, build_id_of_module(name), std::move(symbols)});
	return contents;
}

} // namespace

std::vector<KernelRegions::Unwatched> SystemKernelRegions::watch()
{
	std::vector<Unwatched> unwatched;
	if (auto watching = ModuleWatch::open(device_))
		modules_.emplace(std::move(*watching));
	else
		unwatched.push_back({"modules", watching.error().message});
	if (auto watching = Ksymbols::open())
		ksymbols_.emplace(std::move(*watching));
	else
		unwatched.push_back({"bpf", watching.error().message});
	return unwatched;
}

KernelRegions::Present SystemKernelRegions::present()
{
	const auto kallsyms = kallsyms_.read();
	const auto modules = read_text("/proc/modules");
	Present present;
	if (modules && modules_)
		present.regions = module_regions(*modules);
	if (!kallsyms)
		return present;
	present.core_start = address_in_kallsyms(*kallsyms, "_stext");
	present.core_end = address_in_kallsyms(*kallsyms, "_etext");
	OwnedSymbols owned = owned_symbols(*kallsyms, {});
	if (ksymbols_)
		present.regions.insert(present.regions.end(), owned.others.begin(), owned.others.end());
	if (modules_)
		present.modules = contents_in(std::move(owned));
	return present;
}

std::vector<KernelModuleContent> SystemKernelRegions::contents_of(const std::vector<std::string>& modules)
{
	const auto kallsyms = kallsyms_.read();
	return kallsyms ? contents_in(owned_symbols(*kallsyms, modules)) : std::vector<KernelModuleContent>();
}

// Each CPU has a ring of its own: one of them may say what happened after that which another, read before, says next
// time.
std::vector<KernelRegionEvent> SystemKernelRegions::take()
{
	const std::uint64_t now_ns = SystemClock().boottime_ns();
	std::vector<KernelRegionEvent> events = std::move(held_);
	held_.clear();
	if (modules_)
		modules_->drain(events);
	if (ksymbols_)
		ksymbols_->drain(events);
	if (events.empty())
		return events;
	std::ranges::stable_sort(events, {}, &KernelRegionEvent::time_ns);
	const auto later = std::ranges::upper_bound(events, now_ns, {}, &KernelRegionEvent::time_ns);
	held_.assign(std::make_move_iterator(later), std::make_move_iterator(events.end()));
	events.erase(later, events.end());
	return events;
}

std::uint64_t SystemKernelRegions::lost() const
{
	return (modules_ ? modules_->lost() : 0) + (ksymbols_ ? ksymbols_->lost() : 0);
}

} // namespace uwind

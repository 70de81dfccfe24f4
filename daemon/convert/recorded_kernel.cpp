// SPDX-License-Identifier: GPL-2.0
// Names of the recorded kernel's code.
#include "convert/recorded_kernel.h"

#include <algorithm>

#include "base/text.h"

namespace uwind {
namespace {

constexpr char kernel_path[] = "[kernel.kallsyms]";

// "/lib/modules/6.1/kernel/net/nf-tables.ko.xz", "[nf_tables]": nf_tables
std::string module_named(const std::string& path)
{
	std::string name(basename_of(path));
	if (name.size() > 2 && name.front() == '[' && name.back() == ']')
		name = name.substr(1, name.size() - 2);
	name = name.substr(0, name.find(".ko"));
	std::ranges::replace(name, '-', '_');
	return name;
}

} // namespace

RecordedKernel::RecordedKernel(KernelNames& ours, const std::string& release, const PerfHeader& header) : ours_(ours)
{
	for (const PerfBuildId& entry : header.build_ids)
		if (entry.kernel)
			build_ids_[entry.path] = entry.build_id;
	const std::string then = build_id_of(kernel_path), now = ours.module("").build_id;
	is_ours_ = then.empty() || now.empty() ? header.release == release && !release.empty() : then == now;
}

std::string RecordedKernel::build_id_of(const std::string& path) const
{
	const auto known = build_ids_.find(path);
	return known == build_ids_.end() ? "" : known->second;
}

// Of the kernel itself the path ends with a symbol, and pgoff is that one's address.
void RecordedKernel::take(const PerfMapping& record)
{
	const Mapping& mapping = record.mapping;
	if (mapping.path.starts_with(kernel_path)) {
		const std::string symbol = mapping.path.substr(sizeof(kernel_path) - 1);
		const std::uint64_t now = is_ours_ ? ours_.addresses_of({symbol})[0] : 0;
		if (now && !slide_) {
			text_ = mapping.pgoff;
			slide_ = text_ - now;
		}
		return;
	}
	if (places_.size() >= most_modules)
		return;
	Place place{mapping.end, 0};
	const std::string name = module_named(mapping.path);
	KernelModule& module = modules_[name];
	module.start = mapping.start;
	module.build_id = build_id_of(mapping.path);
	if (is_ours_) {
		const KernelModule now = ours_.module(name);
		place.here = now.start;
		if (module.build_id.empty())
			module.build_id = now.build_id;
	}
	places_[mapping.start] = place;
}

// 0: nowhere.
std::uint64_t RecordedKernel::here(std::uint64_t address) const
{
	if (const auto next = places_.upper_bound(address); next != places_.begin()) {
		const auto& [start, place] = *std::prev(next);
		if (address < place.end)
			return place.here ? address - start + place.here : 0;
	}
	return slide_ && address >= text_ ? address - *slide_ : 0;
}

std::vector<std::optional<KernelName>> RecordedKernel::find(const std::vector<std::uint64_t>& addresses)
{
	std::vector<std::uint64_t> now;
	now.reserve(addresses.size());
	for (const std::uint64_t address : addresses)
		now.push_back(here(address));
	auto names = ours_.find(now);
	names.resize(addresses.size());
	for (std::size_t i = 0; i < names.size(); i++)
		if (!now[i])
			names[i].reset();
	return names;
}

// Where it was.
KernelModule RecordedKernel::module(const std::string& name)
{
	if (const auto known = modules_.find(name); known != modules_.end())
		return known->second;
	KernelModule module;
	if (!name.empty())
		return module;
	module.build_id = build_id_of(kernel_path);
	if (module.build_id.empty() && is_ours_)
		module.build_id = ours_.module("").build_id;
	return module;
}

} // namespace uwind

// SPDX-License-Identifier: GPL-2.0
// Names of a report's kernel frames.
#include "app/kernel_naming.h"

#include <map>

namespace uwind {
namespace {

// As perf calls them.
std::string path_of(const std::string& module)
{
	return module.empty() ? "[kernel.kallsyms]" : "[" + module + "]";
}

// Gives the kernel, and each of its modules, an index in the report.
class KernelModules {
public:
	KernelModules(KernelNames& names, Report& report) : names_(names), report_(report) {}

	struct Place {
		Index index;
		std::uint64_t start;
	};

	Place of(const std::string& name)
	{
		const auto [known, is_new] = places_.try_emplace(name);
		if (is_new)
			known->second = add(name);
		return known->second;
	}

private:
	Place add(const std::string& name)
	{
		const KernelModule facts = names_.module(name);
		ReportModule module;
		module.path = path_of(name);
		module.build_id = facts.build_id;
		report_.modules.push_back(std::move(module));
		return {static_cast<Index>(report_.modules.size() - 1), facts.start};
	}

	KernelNames& names_;
	Report& report_;
	std::map<std::string, Place> places_;
};

// A return address belongs to the call instruction before it.
std::uint64_t back_of(const RawFrame& raw)
{
	return raw.exact ? 0 : 1;
}

} // namespace

std::vector<std::uint64_t> kernel_addresses(const std::vector<RawFrame>& frames)
{
	std::vector<std::uint64_t> addresses;
	for (const RawFrame& raw : frames)
		if (raw.kernel)
			addresses.push_back(raw.pc - back_of(raw));
	return addresses;
}

void name_kernel_frames(const std::vector<RawFrame>& frames, std::span<const std::optional<KernelName>> found,
			KernelNames& names, Report& report)
{
	KernelModules modules(names, report);
	auto next = found.begin();
	for (Index i = 0; i < frames.size(); i++) {
		if (!frames[i].kernel)
			continue;
		ReportFrame& frame = report.frames[i];
		frame.kernel = true;
		const auto& name = *next++;
		if (!name)
			continue;
		const auto place = modules.of(name->module);
		frame.module = place.index;
		frame.offset = frame.address - place.start;
		frame.symbol = name->symbol;
		frame.symbol_offset = name->offset + back_of(frames[i]);
	}
}

} // namespace uwind

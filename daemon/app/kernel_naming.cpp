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

void name_kernel_frames(const std::vector<RawFrame>& frames, KernelNames& names, Report& report)
{
	std::vector<Index> indices;
	std::vector<std::uint64_t> addresses;
	for (Index i = 0; i < frames.size(); i++) {
		if (!frames[i].kernel)
			continue;
		indices.push_back(i);
		addresses.push_back(frames[i].pc - back_of(frames[i]));
	}
	const auto found = names.find(addresses);
	KernelModules modules(names, report);
	for (std::size_t i = 0; i < indices.size() && i < found.size(); i++) {
		ReportFrame& frame = report.frames[indices[i]];
		frame.kernel = true;
		if (!found[i])
			continue;
		const auto place = modules.of(found[i]->module);
		frame.module = place.index;
		frame.offset = frame.address - place.start;
		frame.symbol = found[i]->symbol;
		frame.symbol_offset = found[i]->offset + back_of(frames[indices[i]]);
	}
}

} // namespace uwind

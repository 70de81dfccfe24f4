// SPDX-License-Identifier: GPL-2.0
// Names of a report's kernel frames.
#include "app/kernel_naming.h"

#include <map>
#include <tuple>

namespace uwind {
namespace {

// As perf calls them.
std::string path_of(const std::string& module)
{
	return module.empty() ? "[kernel.kallsyms]" : "[" + module + "]";
}

// Gives the kernel, and each of its modules, an index in the report. One that was loaded twice may have two.
class KernelModules {
public:
	explicit KernelModules(Report& report) : report_(report) {}

	Index of(const std::string& name, const KernelModule& module)
	{
		const auto [known, is_new] = places_.try_emplace({name, module.start, module.build_id});
		if (is_new)
			known->second = add(name, module);
		return known->second;
	}

private:
	Index add(const std::string& name, const KernelModule& facts)
	{
		ReportModule module;
		module.path = path_of(name);
		module.build_id = facts.build_id;
		report_.modules.push_back(std::move(module));
		return static_cast<Index>(report_.modules.size() - 1);
	}

	Report& report_;
	std::map<std::tuple<std::string, std::uint64_t, std::string>, Index> places_;
};

// A return address belongs to the call instruction before it.
std::uint64_t back_of(const RawFrame& raw)
{
	return raw.exact ? 0 : 1;
}

// As modules are now; each is looked up once.
class ModulesNow {
public:
	explicit ModulesNow(KernelNames& names) : names_(names) {}

	const KernelModule& of(const std::string& name)
	{
		const auto [known, is_new] = known_.try_emplace(name);
		if (is_new)
			known->second = names_.module(name);
		return known->second;
	}

private:
	KernelNames& names_;
	std::map<std::string, KernelModule> known_;
};

} // namespace

std::vector<std::optional<KernelTimeline::Name>> kernel_names(const std::vector<RawFunction>& places,
							      const KernelCode& code)
{
	std::vector<std::optional<KernelTimeline::Name>> names(places.size());
	std::vector<std::size_t> without;
	std::vector<std::uint64_t> addresses;
	for (std::size_t i = 0; i < places.size(); i++)
		if (places[i].owner) {
			names[i] = code.then.name_of(places[i].owner, places[i].address);
		} else {
			without.push_back(i);
			addresses.push_back(places[i].address);
		}
	const auto found = code.now.find(addresses);
	ModulesNow modules(code.now);
	for (std::size_t i = 0; i < without.size() && i < found.size(); i++)
		if (found[i])
			names[without[i]] = KernelTimeline::Name{*found[i], modules.of(found[i]->module)};
	return names;
}

void name_kernel_frames(const std::vector<RawFrame>& frames, const KernelCode& code, Report& report)
{
	std::vector<Index> indices;
	std::vector<RawFunction> places;
	for (Index i = 0; i < frames.size(); i++) {
		if (!frames[i].kernel)
			continue;
		indices.push_back(i);
		places.push_back({frames[i].pc - back_of(frames[i]), frames[i].owner});
	}
	const auto found = kernel_names(places, code);
	KernelModules modules(report);
	for (std::size_t i = 0; i < indices.size(); i++) {
		ReportFrame& frame = report.frames[indices[i]];
		frame.kernel = true;
		if (!found[i])
			continue;
		const auto& [name, module] = *found[i];
		frame.module = modules.of(name.module, module);
		frame.offset = frame.address - module.start;
		if (name.symbol.empty())
			continue;
		frame.symbol = name.symbol;
		frame.symbol_offset = name.offset + back_of(frames[indices[i]]);
	}
}

} // namespace uwind

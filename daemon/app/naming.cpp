// SPDX-License-Identifier: GPL-2.0
// From collected frames to a report's modules and named frames.
#include "app/naming.h"

#include "app/calls.h"
#include "app/kernel_naming.h"
#include "app/off_cpu.h"

#include <algorithm>
#include <numeric>
#include <span>

namespace uwind {
namespace {

ReportModule to_report(const Module& module)
{
	ReportModule result;
	result.path = module.path;
	result.build_id = module.facts.build_id;
	result.table = module.method;
	result.rows = module.rows;
	result.bytes = module.bytes;
	result.table_known_ns = module.table_known_ns;
	return result;
}

// Gives each module that frames lie in an index in the report.
class ModuleList {
public:
	ModuleList(Modules& modules, Report& report) : modules_(modules), report_(report) {}

	struct Place {
		Index index;
		ModuleId id;
		std::vector<Segment> segments;
	};

	// By number of a FileRecord; null: no file, or one that was never announced.
	const Place* of(std::uint32_t file)
	{
		auto [known, is_new] = places_.try_emplace(file);
		if (is_new)
			known->second = make(file);
		return known->second ? &*known->second : nullptr;
	}

private:
	std::optional<Place> make(std::uint32_t file)
	{
		const auto id = file ? modules_.of_number(file) : std::nullopt;
		const auto module = id ? modules_.get(*id) : std::nullopt;
		if (!module)
			return std::nullopt;
		const auto [known, is_new] = indices_.try_emplace(*id, report_.modules.size());
		if (is_new)
			report_.modules.push_back(to_report(*module));
		return Place{known->second, *id, module->facts.segments};
	}

	Modules& modules_;
	Report& report_;
	std::map<std::uint32_t, std::optional<Place>> places_;
	std::map<ModuleId, Index> indices_;
};

// A return address belongs to the call instruction before it.
ReportFrame named(const RawFrame& raw, const ModuleList::Place* place, Symbols& symbols)
{
	ReportFrame frame;
	frame.address = raw.pc;
	frame.offset = raw.offset;
	if (!place)
		return frame;
	const std::uint64_t back = raw.exact || raw.offset == 0 ? 0 : 1;
	frame.module = place->index;
	frame.offset = address_in(place->segments, raw.offset - back) + back;
	if (auto symbol = symbols.find(place->id, frame.offset - back)) {
		frame.symbol = std::move(symbol->name);
		frame.symbol_offset = symbol->offset + back;
	}
	return frame;
}

// What is of the kernel is named at once, so that its long list is read once.
void name_kernel_code(Collected& collected, KernelNames& names, Report& report)
{
	auto addresses = kernel_addresses(collected.frames);
	const std::size_t nr_frames = addresses.size();
	addresses.insert(addresses.end(), collected.functions.begin(), collected.functions.end());
	const auto found = names.find(addresses);
	const std::span all(found);
	name_kernel_frames(collected.frames, all.first(nr_frames), names, report);
	explain_off_cpu(names, report);
	name_calls(std::move(collected.calls), collected.functions, all.subspan(nr_frames), names, report);
}

} // namespace

std::uint64_t address_in(const std::vector<Segment>& segments, std::uint64_t offset)
{
	for (const Segment& segment : segments)
		if (offset >= segment.offset && offset - segment.offset < segment.bytes)
			return segment.address + (offset - segment.offset);
	return offset;
}

// Frames are named file by file, so that each symbol table is read once.
void fill_report(Collected collected, Modules& modules, Symbols& symbols, KernelNames& kernel_names, Report& report)
{
	report.processes = std::move(collected.processes);
	report.stacks = std::move(collected.stacks);
	report.samples = std::move(collected.samples);
	report.off_cpu = std::move(collected.off_cpu);
	report.frames.resize(collected.frames.size());
	ModuleList list(modules, report);
	std::vector<Index> order(collected.frames.size());
	std::iota(order.begin(), order.end(), 0);
	std::stable_sort(order.begin(), order.end(),
			 [&](Index a, Index b) { return collected.frames[a].file < collected.frames[b].file; });
	for (const Index index : order) {
		const RawFrame& raw = collected.frames[index];
		report.frames[index] = named(raw, list.of(raw.file), symbols);
	}
	name_kernel_code(collected, kernel_names, report);
	report.counters.others["samples_not_kept"] = collected.samples_not_kept;
	report.counters.others["stacks_not_kept"] = collected.stacks_not_kept;
}

} // namespace uwind

// SPDX-License-Identifier: GPL-2.0
// Names, lines and inlined functions for a report.
#include "app/symbolize.h"

#include <algorithm>
#include <map>

#include "app/kernel_places.h"
#include "app/symbol_table.h"

namespace uwind {
namespace {

// By frame: whether it is a return address, which belongs to the call instruction before it.
std::vector<bool> returns_of(const Report& report)
{
	std::vector<bool> returns(report.frames.size(), true);
	for (const ReportStack& stack : report.stacks)
		for (std::size_t i = 0; i < stack.frames.size() && i < stack.methods.size(); i++)
			if (is_exact(stack.methods[i]))
				returns[stack.frames[i]] = false;
	return returns;
}

// A frame and the address of the instruction that it is in.
struct Place {
	std::uint64_t address;
	ReportFrame* frame;
};

// Code that the kernel made itself, as of BPF programs, has no build-id.
bool is_in_file(const Report& report, const ReportFrame& frame)
{
	return frame.module && (!frame.kernel || !report.modules[*frame.module].build_id.empty());
}

CodeName name_of(const Report& report, const ReportFrame& frame)
{
	const ReportModule& module = report.modules[*frame.module];
	return {module.path, module.build_id, frame.kernel ? report.host.kernel : ""};
}

// By module, in order of address.
std::map<Index, std::vector<Place>> places_of(Report& report)
{
	const auto returns = returns_of(report);
	std::map<Index, std::vector<Place>> places;
	for (std::size_t i = 0; i < report.frames.size(); i++) {
		ReportFrame& frame = report.frames[i];
		if (is_in_file(report, frame))
			places[*frame.module].push_back({frame.offset - (returns[i] && frame.offset ? 1 : 0), &frame});
	}
	return places;
}

void sort_by_address(std::vector<Place>& places)
{
	std::sort(places.begin(), places.end(), [](const Place& a, const Place& b) { return a.address < b.address; });
}

// From offsets of a kernel's module to addresses in its file. What lies nowhere there is left out.
std::vector<Place> in_file(const std::vector<Place>& places, CodeFile& file)
{
	std::vector<KernelPlace> wanted;
	wanted.reserve(places.size());
	for (const Place& place : places) {
		const ReportFrame& frame = *place.frame;
		wanted.push_back({place.address, frame.symbol.value_or(""), frame.offset - frame.symbol_offset});
	}
	const auto addresses = addresses_in_file(wanted, file.functions().symbols, file.parts());
	std::vector<Place> result;
	for (std::size_t i = 0; i < places.size(); i++)
		if (addresses[i])
			result.push_back({*addresses[i], places[i].frame});
	return result;
}

// The last place is the frame's own function.
void set_source(ReportFrame& frame, const std::vector<SourcePlace>& places)
{
	if (places.empty())
		return;
	frame.source = ReportSource{places.back().file, places.back().line};
	frame.inlined.clear();
	for (auto place = places.begin(); place + 1 != places.end(); ++place)
		frame.inlined.push_back({demangled(place->function), {place->file, place->line}});
}

class Symbolizer {
public:
	explicit Symbolizer(CodeFiles& files) : files_(files) {}

	void name(const CodeName& module, std::vector<Place>& places);
	SymbolizeCounts counts;

private:
	void look(const CodeName& module, CodeFile& file, std::vector<Place>& places);
	void name_functions(CodeFile& file, const std::vector<Place>& places);
	static void find_lines(CodeFile& file, const std::vector<Place>& places);
	void lacks(const CodeName& module, const std::string& what);

	CodeFiles& files_;
};

void Symbolizer::lacks(const CodeName& module, const std::string& what)
{
	if (!what.empty())
		counts.missing.push_back(module.path + ": " + what);
}

void Symbolizer::name_functions(CodeFile& file, const std::vector<Place>& places)
{
	const auto nameless = [](const Place& place) { return !place.frame->symbol; };
	if (std::none_of(places.begin(), places.end(), nameless))
		return;
	const SymbolTable table(file.functions().symbols, {});
	for (const Place& place : places) {
		if (place.frame->symbol)
			continue;
		if (auto found = table.find(place.address)) {
			place.frame->symbol = std::move(found->name);
			place.frame->symbol_offset = found->offset + (place.frame->offset - place.address);
		}
	}
}

void Symbolizer::find_lines(CodeFile& file, const std::vector<Place>& places)
{
	std::vector<std::uint64_t> addresses;
	addresses.reserve(places.size());
	for (const Place& place : places)
		addresses.push_back(place.address);
	const auto found = file.places(addresses);
	for (std::size_t i = 0; i < places.size(); i++)
		set_source(*places[i].frame, found[i]);
}

// The kernel has named its frames itself.
void Symbolizer::look(const CodeName& module, CodeFile& file, std::vector<Place>& places)
{
	lacks(module, file.lacks());
	if (module.kernel.empty()) {
		sort_by_address(places);
		name_functions(file, places);
		return find_lines(file, places);
	}
	auto known = in_file(places, file);
	if (known.empty() && file.lacks().empty())
		lacks(module, "none of its functions is where its debug file has them");
	sort_by_address(known);
	find_lines(file, known);
}

void Symbolizer::name(const CodeName& module, std::vector<Place>& places)
{
	const auto named = [](const Place& place) { return place.frame->symbol.has_value(); };
	counts.frames += places.size();
	counts.named_before += static_cast<std::size_t>(std::count_if(places.begin(), places.end(), named));
	const auto file = files_.open(module);
	if (file)
		look(module, **file, places);
	else
		lacks(module, file.error().message);
	counts.named += static_cast<std::size_t>(std::count_if(places.begin(), places.end(), named));
	for (const Place& place : places) {
		counts.with_line += place.frame->source && place.frame->source->line;
		counts.inlined += place.frame->inlined.size();
	}
}

} // namespace

SymbolizeCounts symbolize(Report& report, CodeFiles& files)
{
	Symbolizer symbolizer(files);
	for (auto& [module, places] : places_of(report))
		symbolizer.name(name_of(report, *places.front().frame), places);
	return symbolizer.counts;
}

std::vector<CodeName> code_names(const Report& report)
{
	std::map<Index, CodeName> names;
	for (const ReportFrame& frame : report.frames)
		if (is_in_file(report, frame))
			names.try_emplace(*frame.module, name_of(report, frame));
	std::vector<CodeName> result;
	for (auto& [module, name] : names)
		result.push_back(std::move(name));
	return result;
}

} // namespace uwind

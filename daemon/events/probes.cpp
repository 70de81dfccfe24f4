// SPDX-License-Identifier: GPL-2.0
// Probes by name. The kernel's PMUs kprobe and uprobe take the place in the attributes: config1 points to the
// function's or the file's name, config2 is the offset in it.
#include "events/probes.h"

#include <algorithm>
#include <cerrno>

#include "base/text.h"
#include "events/kernel_symbols.h"
#include "events/pmu.h"
#include "events/split.h"
#include "events/text_parts.h"

namespace uwind {
namespace {

constexpr ProbeForm forms[] = {
	{"kprobe:SYMBOL[+OFFSET]", "kprobe", "CONFIG_KPROBE_EVENTS"},
	{"kretprobe:SYMBOL", "kprobe", "CONFIG_KPROBE_EVENTS"},
	{"uprobe:PATH:SYMBOL[+OFFSET]", "uprobe", "CONFIG_UPROBE_EVENTS"},
	{"uprobe:PATH:0xOFFSET", "uprobe", "CONFIG_UPROBE_EVENTS"},
	{"uretprobe:PATH:SYMBOL", "uprobe", "CONFIG_UPROBE_EVENTS"},
	{"usdt:PATH:PROVIDER:NAME", "uprobe", "CONFIG_UPROBE_EVENTS"},
};

constexpr std::size_t most_kernel_name = 511;
constexpr std::size_t most_path = 4095;

const ProbeForm& form_of(std::string_view kind)
{
	return *std::find_if(std::begin(forms), std::end(forms), [&](const ProbeForm& form) {
		const std::string_view text = form.form;
		return text.substr(0, text.find(':')) == kind;
	});
}

// SYMBOL+OFFSET
struct Place {
	std::string symbol;
	std::uint64_t offset = 0;
};

Result<Place> parse_place(const std::string& text)
{
	const auto plus = text.rfind('+');
	if (plus == std::string::npos)
		return Place{text, 0};
	const auto offset = parse_integer(std::string_view(text).substr(plus + 1));
	if (!offset)
		return usage_error("'" + text.substr(plus) + "' is no offset: give a number, for example +0x10");
	return Place{text.substr(0, plus), *offset};
}

// The event of a probe PMU, not yet of a place.
Result<EventSpec> probe_event(EventSources& sources, const std::string& kind)
{
	const ProbeForm& form = form_of(kind);
	const auto pmu = find_pmu(sources, form.pmu);
	if (!pmu)
		return Error{ENOENT, "this kernel has no PMU for " + kind + ": " + form.option + " is not set"};
	EventSpec event;
	event.type = pmu->type;
	event.each_time = true;
	if (kind == "kretprobe" || kind == "uretprobe") {
		const auto format = pmu_format(sources, pmu->name, "retprobe");
		if (!format)
			return format.error("the PMU " + pmu->name);
		event.config = with_value(event.config, *format, 1).value_or(0);
	}
	return event;
}

Status check_kernel_symbol(EventSources& sources, const std::string& symbol)
{
	const auto text = sources.read("/proc/kallsyms");
	if (!text || text->empty())
		return Nothing{}; // the kernel will say
	std::vector<std::string> alike;
	bool found = false;
	for (const KernelSymbol& known : kernel_symbols_in(*text)) {
		found |= known.name == symbol;
		if (begins_alike(known.name, symbol))
			alike.emplace_back(known.name);
	}
	if (found)
		return Nothing{};
	return usage_error("no function of the kernel is called " + with_nearest(symbol, alike));
}

Result<std::vector<EventSpec>> kernel_probe(EventSources& sources, const std::vector<std::string>& parts)
{
	const auto place = parse_place(parts[1]);
	if (!place)
		return place.error();
	if (place->symbol.empty() || place->symbol.size() > most_kernel_name)
		return usage_error("a function of the kernel is missing: " + std::string(form_of(parts[0]).form));
	if (parts[0] == "kretprobe" && place->offset)
		return usage_error("a kretprobe is of a whole function: leave out the offset");
	auto event = probe_event(sources, parts[0]);
	if (!event)
		return event.error();
	if (const auto checked = check_kernel_symbol(sources, place->symbol); !checked)
		return checked.error();
	event->config1_text = place->symbol;
	event->config2 = place->offset;
	return std::vector<EventSpec>{*event};
}

Result<std::uint64_t> offset_in_file(const ProbeFile& file, const std::string& text)
{
	if (text.starts_with("0x"))
		if (const auto offset = parse_integer(text))
			return *offset;
	const auto place = parse_place(text);
	if (!place)
		return place.error();
	std::vector<std::string> names;
	for (const ProbeSymbol& symbol : file.symbols) {
		if (symbol.name != place->symbol) {
			if (begins_alike(symbol.name, place->symbol))
				names.push_back(symbol.name);
			continue;
		}
		if (symbol.bytes && place->offset >= symbol.bytes)
			return usage_error(place->symbol + " of " + file.path + " has " + std::to_string(symbol.bytes) +
					   " bytes: " + hex(place->offset) + " is not in it");
		return symbol.offset + place->offset;
	}
	return usage_error(file.path + " has no function " + with_nearest(place->symbol, names));
}

Result<std::vector<EventSpec>> user_probe(EventSpec event, const ProbeFile& file, const std::vector<std::string>& parts)
{
	const auto offset = offset_in_file(file, parts[2]);
	if (!offset)
		return offset.error();
	event.config2 = *offset;
	return std::vector<EventSpec>{event};
}

Result<std::vector<EventSpec>> static_probe(EventSources& sources, const EventSpec& event, const ProbeFile& file,
					    const std::vector<std::string>& parts)
{
	std::vector<EventSpec> events;
	std::vector<std::string> names;
	for (const ProbePlace& place : file.places) {
		names.push_back(place.provider + ":" + place.name);
		if (place.provider != parts[2] || place.name != parts[3])
			continue;
		events.push_back(event);
		events.back().config2 = place.offset;
		if (!place.semaphore_offset)
			continue;
		const auto format = pmu_format(sources, "uprobe", "ref_ctr_offset");
		const auto config = format ? with_value(event.config, *format, place.semaphore_offset) : std::nullopt;
		if (!config)
			return Error{ENOENT,
				     "the kernel cannot turn on " + names.back() + ": it does not count its users"};
		events.back().config = *config;
	}
	if (events.empty())
		return usage_error(file.path + " has no static probe " +
				   with_nearest(parts[2] + ":" + parts[3], names));
	return events;
}

Result<std::vector<EventSpec>> file_probe(EventSources& sources, const std::vector<std::string>& parts)
{
	if (parts[1].empty() || parts[1].size() > most_path)
		return usage_error("a path is missing: " + std::string(form_of(parts[0]).form));
	auto event = probe_event(sources, parts[0]);
	if (!event)
		return event.error();
	const auto file = sources.probe_file(parts[1]);
	if (!file)
		return file.error();
	event->config1_text = file->path;
	return parts[0] == "usdt" ? static_probe(sources, *event, *file, parts) : user_probe(*event, *file, parts);
}

std::size_t parts_of(std::string_view kind)
{
	return kind == "usdt" ? 4 : kind.starts_with('u') ? 3 : 2;
}

} // namespace

Result<ProbeEvents> parse_probe(EventSources& sources, std::string_view text)
{
	auto parts = cut_probe(text);
	const std::size_t wanted = parts_of(parts[0]);
	if (parts.size() < wanted || parts.size() > wanted + 1)
		return usage_error("'" + std::string(text) + "' has another form than " + form_of(parts[0]).form);
	ProbeEvents probe;
	if (parts.size() > wanted && parts.back().empty())
		return usage_error("modifiers are missing at the end of '" + std::string(text) + "'");
	if (parts.size() > wanted)
		probe.modifiers = parts.back();
	auto events = parts[0].starts_with('k') ? kernel_probe(sources, parts) : file_probe(sources, parts);
	if (!events)
		return events.error();
	std::string name = parts[0];
	for (std::size_t i = 1; i < wanted; i++)
		name += ":" + parts[i];
	for (EventSpec& event : *events)
		event.name = name;
	probe.events = std::move(*events);
	return probe;
}

std::vector<ProbeForm> probe_forms()
{
	return {std::begin(forms), std::end(forms)};
}

} // namespace uwind

// SPDX-License-Identifier: GPL-2.0
// One event of a list as typed.
#include "events/one_event.h"

#include <algorithm>
#include <cerrno>

#include "events/breakpoints.h"
#include "events/functions.h"
#include "events/modifiers.h"
#include "events/names.h"
#include "events/off_cpu.h"
#include "events/perf_types.h"
#include "events/pmu.h"
#include "events/probes.h"
#include "events/terms.h"
#include "events/text_parts.h"
#include "events/tracepoints.h"

namespace uwind {
namespace {

using Events = std::vector<EventSpec>;

constexpr std::string_view requests = "requests";

// NAME/TERMS/MODIFIERS, or NAME:MODIFIERS, or SUBSYSTEM:NAME:MODIFIERS.
struct EventParts {
	std::string_view name;
	std::optional<std::string_view> terms, modifiers;
};

Result<EventParts> parts_with_terms(std::string_view text)
{
	const auto [name, rest] = halves(text, '/');
	const auto end = rest->rfind('/');
	if (end == std::string_view::npos)
		return usage_error("the second '/' is missing in '" + std::string(text) + "'");
	EventParts parts{name, rest->substr(0, end), std::nullopt};
	std::string_view modifiers = rest->substr(end + 1);
	if (modifiers.starts_with(':') && modifiers.size() > 1)
		modifiers.remove_prefix(1);
	if (!modifiers.empty())
		parts.modifiers = modifiers;
	return parts;
}

bool is_pmu_event(EventSources& sources, std::string_view name)
{
	const auto pmus = pmu_names(sources);
	return std::any_of(pmus.begin(), pmus.end(), [&](const std::string& pmu) {
		const auto events = pmu_events(sources, pmu);
		return std::count(events.begin(), events.end(), name) > 0;
	});
}

// How many parts between colons are the name.
std::size_t parts_of_name(EventSources& sources, const std::vector<std::string_view>& parts)
{
	if (parts.size() > 1 && parse_integer(parts[0]))
		return 2; // TYPE:CONFIG
	if (find_symbol_event(parts[0]) || parts[0] == requests || parts[0] == off_cpu_name ||
	    is_pmu_event(sources, parts[0]))
		return 1;
	if (parts[0] == "syscall" && parts.size() > 2 && parts[2] == "ret")
		return 3;
	return parts.size() > 1 ? 2 : 1;
}

Result<EventParts> parts_without_terms(EventSources& sources, std::string_view text)
{
	const auto colons = cut(text, ':');
	const std::size_t named = parts_of_name(sources, colons);
	if (colons.size() > named + 1)
		return usage_error("'" + std::string(text) + "' has a colon too many");
	if (colons.size() == named)
		return EventParts{text, std::nullopt, std::nullopt};
	const std::string_view modifiers = colons.back();
	return EventParts{text.substr(0, text.size() - modifiers.size() - 1), std::nullopt, modifiers};
}

// Makes the events of one text.
class OneEvent {
public:
	OneEvent(const EventText& text, EventSources& sources) : text_(text), sources_(sources) {}

	Result<Events> run();

private:
	Result<Events> from_place();
	Result<Events> from_parts(const EventParts& parts);
	// With modifiers and a name, unless a term has given one.
	Result<Events> finished(Events events, std::string_view modifiers);
	std::uint8_t most_precise(EventSpec event);

	Result<Events> functions();
	Result<Events> off_cpu(const EventParts& parts);
	Result<Events> symbol(const SymbolEvent& symbol, const EventParts& parts);
	Events for_each_core(const SymbolEvent& symbol);
	Result<Events> pmu(const EventParts& parts);
	Result<Events> named_of_pmus(std::string_view name);
	Result<Events> tracepoints(std::string_view name, const EventParts& parts);
	bool is_modified_word(std::string_view name, const Error& error);
	bool has_subsystem(std::string_view name);
	Error no_pmu(std::string_view name);
	Error unknown(std::string_view name);

	const EventText& text_;
	EventSources& sources_;
	Modifiers modifiers_;
	bool knows_guests_ = true; // PMUs of other devices than CPUs refuse to leave out guests
};

Result<Events> OneEvent::run()
{
	const std::string_view text = text_.text;
	if (is_function_text(text))
		return functions();
	if (is_probe_text(text) || text.starts_with("mem:"))
		return from_place();
	const auto parts =
		text.find('/') == std::string_view::npos ? parts_without_terms(sources_, text) : parts_with_terms(text);
	if (!parts)
		return parts.error();
	auto events = from_parts(*parts);
	if (!events)
		return events;
	if (parts->modifiers && parts->modifiers->empty())
		return usage_error("modifiers are missing after the colon of '" + text_.text + "'");
	return finished(std::move(*events), parts->modifiers.value_or(""));
}

Result<Events> OneEvent::from_place()
{
	if (is_probe_text(text_.text)) {
		auto probe = parse_probe(sources_, text_.text);
		return probe ? finished(std::move(probe->events), probe->modifiers) : Result<Events>(probe.error());
	}
	auto breakpoint = parse_breakpoint(text_.text);
	if (!breakpoint)
		return breakpoint.error();
	const std::string& modifiers = breakpoint->modifiers;
	breakpoint->event.name =
		text_.text.substr(0, text_.text.size() - (modifiers.empty() ? 0 : modifiers.size() + 1));
	return finished({breakpoint->event}, modifiers);
}

Result<Events> OneEvent::from_parts(const EventParts& parts)
{
	if (parts.name == requests) {
		if (parts.terms || parts.modifiers || !text_.modifiers.empty())
			return usage_error("requests has no counter: no modifiers, and no terms");
		EventSpec event;
		event.is_requests = event.each_time = true;
		event.name = requests;
		return Events{event};
	}
	if (parts.name == off_cpu_name)
		return off_cpu(parts);
	if (const auto found = find_symbol_event(parts.name))
		return symbol(*found, parts);
	if (parts.name == "signal")
		return tracepoints("signal:signal_deliver", parts);
	if (parts.name.find(':') != std::string_view::npos)
		return tracepoints(parts.name, parts);
	return parts.terms ? pmu(parts) : named_of_pmus(parts.name);
}

Result<Events> OneEvent::functions()
{
	if (!text_.modifiers.empty())
		return usage_error("func has no modifiers: it is about the kernel, whoever calls it");
	const auto event = parse_functions(sources_, text_.text);
	return event ? Result<Events>(Events{*event}) : event.error();
}

Result<Events> OneEvent::off_cpu(const EventParts& parts)
{
	if (parts.modifiers || !text_.modifiers.empty())
		return usage_error("offcpu has no modifiers: it is about the thread, wherever it was");
	const auto event = parse_off_cpu(parts.terms.value_or(""));
	return event ? Result<Events>(Events{*event}) : event.error(text_.text);
}

Result<Events> OneEvent::finished(Events events, std::string_view modifiers)
{
	const bool has_no_counter = !events.empty() && (events[0].is_requests || events[0].type == off_cpu_type);
	if (!modifiers.empty())
		if (const auto read = modifiers_.read(modifiers); !read)
			return read.error(text_.text);
	if (!text_.modifiers.empty())
		if (const auto read = modifiers_.read_more(text_.modifiers); !read)
			return read.error(text_.text);
	for (EventSpec& event : events) {
		if (has_no_counter)
			continue;
		modifiers_.apply(event);
		event.exclude_guest &= knows_guests_ || modifiers_.name_guests();
		if (modifiers_.most_precise())
			event.precise = most_precise(event);
		event.name += modifiers_.text();
	}
	return events;
}

Result<Events> OneEvent::symbol(const SymbolEvent& symbol, const EventParts& parts)
{
	SymbolEvent common = symbol;
	if (const auto applied = apply_common_terms(parts.terms.value_or(""), common.event); !applied)
		return applied.error(text_.text);
	const bool has_name = !common.event.name.empty();
	if (!has_name)
		common.event.name = parts.name;
	Events events = for_each_core(common);
	if (has_name || events.size() == 1)
		return events;
	const auto cores = core_pmus(sources_);
	for (std::size_t i = 0; i < events.size() && i < cores.size(); i++)
		events[i].name = cores[i].name + "/" + std::string(parts.name) + "/";
	return events;
}

// Where CPUs are of several kinds, each kind counts for itself. Kernels that cannot say so take the plain event.
Events OneEvent::for_each_core(const SymbolEvent& symbol)
{
	const auto cores = symbol.kind == SymbolKind::software ? std::vector<Pmu>() : core_pmus(sources_);
	if (cores.size() < 2)
		return {symbol.event};
	Events events;
	for (const Pmu& core : cores) {
		events.push_back(symbol.event);
		if (symbol.kind == SymbolKind::raw)
			events.back().type = core.type;
		else
			events.back().config |= std::uint64_t{core.type} << extended_type_shift;
	}
	const auto tried = symbol.kind == SymbolKind::raw ? Status(Nothing{}) : sources_.try_event(events[0]);
	const bool taken = tried || tried.error().code == EACCES || tried.error().code == EPERM;
	return taken ? events : Events{symbol.event};
}

Result<Events> OneEvent::pmu(const EventParts& parts)
{
	const auto pmus = matching_pmus(sources_, parts.name);
	if (pmus.empty())
		return no_pmu(parts.name);
	Events events;
	std::optional<Error> first;
	for (const Pmu& pmu : pmus) {
		auto event = pmu_event(sources_, pmu, *parts.terms);
		if (!event) {
			first = first ? first : event.error(text_.text);
			continue;
		}
		if (event->name.empty())
			event->name = pmu.name + "/" + std::string(*parts.terms) + "/";
		knows_guests_ &= pmu.is_core;
		events.push_back(std::move(*event));
	}
	return events.empty() ? Result<Events>(*first) : events;
}

Error OneEvent::no_pmu(std::string_view name)
{
	if (name == "cpu")
		return usage_error("'" + text_.text + "': this machine has no PMU of its CPUs");
	return usage_error("'" + text_.text + "': this machine has no PMU " + with_nearest(name, pmu_names(sources_)));
}

// A named event without its PMU's name, of each PMU that has it.
Result<Events> OneEvent::named_of_pmus(std::string_view name)
{
	Events events;
	for (const std::string& one : pmu_names(sources_)) {
		const auto names = pmu_events(sources_, one);
		const auto pmu =
			std::count(names.begin(), names.end(), name) ? find_pmu(sources_, one) : Result<Pmu>(Error{});
		if (!pmu)
			continue;
		auto event = pmu_event(sources_, *pmu, name);
		if (!event)
			return event.error(text_.text);
		event->name = one + "/" + std::string(name) + "/";
		knows_guests_ &= pmu->is_core;
		events.push_back(std::move(*event));
	}
	return events.empty() ? Result<Events>(unknown(name)) : events;
}

Result<Events> OneEvent::tracepoints(std::string_view name, const EventParts& parts)
{
	const auto [subsystem, rest] = halves(name, ':');
	std::string wanted(*rest);
	const bool is_call = subsystem == "syscall";
	if (is_call)
		wanted = wanted.ends_with(":ret") ? "sys_exit_" + wanted.substr(0, wanted.size() - 4)
						  : "sys_enter_" + wanted;
	const auto found = find_tracepoints(sources_, is_call ? "syscalls" : subsystem, wanted, most_events);
	if (!found)
		return is_modified_word(name, found.error()) ? unknown(subsystem) : found.error();
	Events events;
	for (const TracepointName& one : *found) {
		auto event = tracepoint_event(sources_, one);
		if (!event && found->size() > 1)
			continue;
		if (!event)
			return event.error();
		if (const auto applied = apply_common_terms(parts.terms.value_or(""), *event); !applied)
			return applied.error(text_.text);
		events.push_back(std::move(*event));
	}
	return events.empty()
		       ? Result<Events>(usage_error("'" + text_.text + "' matches no tracepoint that perf can count"))
		       : events;
}

// cycle:u: rather an event with modifiers than a tracepoint.
bool OneEvent::is_modified_word(std::string_view name, const Error& error)
{
	const auto [word, letters] = halves(name, ':');
	Modifiers modifiers;
	return letters && modifiers.read(*letters) &&
	       (error.code == ENOENT || error.code == EACCES || !has_subsystem(word));
}

bool OneEvent::has_subsystem(std::string_view name)
{
	const auto tracing = sources_.tracing();
	const auto names = tracing ? sources_.list(*tracing + "/events") : Result<std::vector<std::string>>(Error{});
	return names && std::count(names->begin(), names->end(), name);
}

Error OneEvent::unknown(std::string_view name)
{
	std::vector<std::string> known = {"requests", "signal", std::string(off_cpu_name)};
	for (const auto& events : {hardware_events(), software_events(), cache_events()})
		for (const NamedEvent& event : events) {
			known.push_back(event.name);
			known.insert(known.end(), event.aliases.begin(), event.aliases.end());
		}
	for (const std::string& pmu : pmu_names(sources_)) {
		if (pmu == name)
			return usage_error("'" + text_.text + "': " + pmu + " is a PMU: name its event, " + pmu +
					   "/EVENT/");
		for (const std::string& event : pmu_events(sources_, pmu))
			known.push_back(event);
	}
	std::string message = "no event is called " + with_nearest(name, known) + "; uwind list events lists them";
	if (core_pmus(sources_).empty())
		message += " (this machine has no PMU of its CPUs)";
	return usage_error(message);
}

// The highest that can be opened here.
std::uint8_t OneEvent::most_precise(EventSpec event)
{
	for (event.precise = 3; event.precise > 0; event.precise--)
		if (sources_.try_event(event))
			break;
	return event.precise;
}

} // namespace

Result<Events> parse_event(const EventText& text, EventSources& sources)
{
	return OneEvent(text, sources).run();
}

} // namespace uwind

// SPDX-License-Identifier: GPL-2.0
// The names of hardware, software, cache and raw events. Numbers are those of enum perf_hw_id and the like in
// linux/perf_event.h.
#include "events/names.h"

#include <algorithm>
#include <iterator>

#include "base/text.h"
#include "events/perf_types.h"
#include "events/text_parts.h"

namespace uwind {
namespace {

struct Name {
	const char* name;
	const char* alias; // null: none
	bool idle_excluded = false;
};

// By number.
constexpr Name hardware_names[] = {
	{"cpu-cycles", "cycles"},
	{"instructions", nullptr},
	{"cache-references", nullptr},
	{"cache-misses", nullptr},
	{"branch-instructions", "branches"},
	{"branch-misses", nullptr},
	{"bus-cycles", nullptr},
	{"stalled-cycles-frontend", "idle-cycles-frontend"},
	{"stalled-cycles-backend", "idle-cycles-backend"},
	{"ref-cycles", nullptr},
};

constexpr Name software_names[] = {
	{"cpu-clock", nullptr, true}, {"task-clock", nullptr, true},    {"page-faults", "faults"},
	{"context-switches", "cs"},   {"cpu-migrations", "migrations"}, {"minor-faults", nullptr},
	{"major-faults", nullptr},    {"alignment-faults", nullptr},    {"emulation-faults", nullptr},
	{"dummy", nullptr},           {"bpf-output", nullptr},          {"cgroup-switches", nullptr},
};

enum Operation : unsigned { read = 0, write = 1, prefetch = 2 };

struct Cache {
	const char* names[5]; // the first is the usual one; those that are left are null
	unsigned operations;  // bits: those that it knows
};

constexpr unsigned all_operations = 1u << read | 1u << write | 1u << prefetch;

constexpr Cache caches[] = {
	{{"L1-dcache", "l1-d", "l1d", "L1-data"}, all_operations},
	{{"L1-icache", "l1-i", "l1i", "L1-instruction"}, 1u << read | 1u << prefetch},
	{{"LLC", "L2"}, all_operations},
	{{"dTLB", "d-tlb", "Data-TLB"}, all_operations},
	{{"iTLB", "i-tlb", "Instruction-TLB"}, 1u << read},
	{{"branch", "branches", "bpu", "btb", "bpc"}, 1u << read},
	{{"node"}, all_operations},
};

struct Part {
	const char* name;
	unsigned number;
};

constexpr Part operations[] = {
	{"load", read},
	{"loads", read},
	{"read", read},
	{"store", write},
	{"stores", write},
	{"write", write},
	{"prefetch", prefetch},
	{"prefetches", prefetch},
	{"speculative-read", prefetch},
	{"speculative-load", prefetch},
};

constexpr Part results[] = {
	{"refs", 0}, {"Reference", 0}, {"ops", 0}, {"access", 0}, {"misses", 1}, {"miss", 1},
};

EventSpec spec_of(std::uint32_t type, std::uint64_t config)
{
	EventSpec event;
	event.type = type;
	event.config = config;
	return event;
}

std::uint64_t cache_config(std::size_t cache, unsigned operation, unsigned result)
{
	return cache | operation << 8 | result << 16;
}

// The part of that list with which text begins, up to a '-' or its end; cuts it off.
template <std::size_t Count>
std::optional<unsigned> take_part(std::string_view& text, const Part (&list)[Count])
{
	for (const Part& part : list) {
		const std::string_view name = part.name;
		if (!same_letters(text.substr(0, name.size()), name))
			continue;
		const std::string_view rest = text.substr(name.size());
		if (!rest.empty() && rest[0] != '-')
			continue;
		text = rest.substr(rest.empty() ? 0 : 1);
		return part.number;
	}
	return std::nullopt;
}

// What follows a cache's name: "-load-misses", in either order.
std::optional<std::uint64_t> cache_event_of(std::size_t cache, std::string_view rest)
{
	std::optional<unsigned> operation, result;
	if (!rest.empty() && rest[0] != '-')
		return std::nullopt;
	rest = rest.substr(rest.empty() ? 0 : 1);
	while (!rest.empty()) {
		if (!operation && (operation = take_part(rest, operations)))
			continue;
		if (!result && (result = take_part(rest, results)))
			continue;
		return std::nullopt;
	}
	if (!(caches[cache].operations >> operation.value_or(read) & 1))
		return std::nullopt;
	return cache_config(cache, operation.value_or(read), result.value_or(0));
}

std::optional<SymbolEvent> find_cache_event(std::string_view name)
{
	for (std::size_t i = 0; i < std::size(caches); i++)
		for (const char* known : caches[i].names) {
			const std::string_view cache = known ? known : "";
			if (cache.empty() || !same_letters(name.substr(0, cache.size()), cache))
				continue;
			if (const auto config = cache_event_of(i, name.substr(cache.size())))
				return SymbolEvent{SymbolKind::cache, spec_of(perf_type_cache, *config)};
		}
	return std::nullopt;
}

// rHEX
std::optional<SymbolEvent> find_raw_event(std::string_view name)
{
	constexpr std::size_t most_digits = 16;
	if (!name.starts_with('r'))
		return std::nullopt;
	name.remove_prefix(name.starts_with("r0x") ? 3 : 1);
	const auto config = name.size() <= most_digits ? parse_number(name, 16) : std::nullopt;
	if (!config)
		return std::nullopt;
	return SymbolEvent{SymbolKind::raw, spec_of(perf_type_raw, *config)};
}

// TYPE:CONFIG
std::optional<SymbolEvent> find_numbers(std::string_view name)
{
	const auto [first, rest] = halves(name, ':');
	const auto type = parse_integer(first), config = rest ? parse_integer(*rest) : std::nullopt;
	if (!type || !config || *type > 0xffffffff)
		return std::nullopt;
	return SymbolEvent{SymbolKind::software, spec_of(static_cast<std::uint32_t>(*type), *config)};
}

template <std::size_t Count>
std::vector<NamedEvent> named(const Name (&names)[Count], std::uint32_t type)
{
	std::vector<NamedEvent> events;
	for (const Name& one : names) {
		NamedEvent event{one.name, {}, spec_of(type, events.size())};
		if (one.alias)
			event.aliases.emplace_back(one.alias);
		event.event.exclude_idle = one.idle_excluded;
		events.push_back(event);
	}
	return events;
}

std::optional<SymbolEvent> find_named(const std::vector<NamedEvent>& events, SymbolKind kind, std::string_view name)
{
	for (const NamedEvent& event : events)
		if (event.name == name || std::count(event.aliases.begin(), event.aliases.end(), name))
			return SymbolEvent{kind, event.event};
	return std::nullopt;
}

} // namespace

std::vector<NamedEvent> hardware_events()
{
	return named(hardware_names, perf_type_hardware);
}

std::vector<NamedEvent> software_events()
{
	return named(software_names, perf_type_software);
}

std::vector<NamedEvent> cache_events()
{
	static constexpr const char* plurals[] = {"loads", "stores", "prefetches"};
	static constexpr const char* singulars[] = {"load", "store", "prefetch"};
	std::vector<NamedEvent> events;
	for (std::size_t i = 0; i < std::size(caches); i++)
		for (unsigned operation = read; operation <= prefetch; operation++) {
			if (!(caches[i].operations >> operation & 1))
				continue;
			const std::string cache = std::string(caches[i].names[0]) + "-";
			events.push_back({cache + plurals[operation],
					  {},
					  spec_of(perf_type_cache, cache_config(i, operation, 0))});
			events.push_back({cache + singulars[operation] + "-misses",
					  {},
					  spec_of(perf_type_cache, cache_config(i, operation, 1))});
		}
	return events;
}

std::optional<SymbolEvent> find_symbol_event(std::string_view name)
{
	if (auto found = find_named(hardware_events(), SymbolKind::hardware, name))
		return found;
	if (auto found = find_named(software_events(), SymbolKind::software, name))
		return found;
	if (auto found = find_cache_event(name))
		return found;
	if (auto found = find_raw_event(name))
		return found;
	return find_numbers(name);
}

} // namespace uwind

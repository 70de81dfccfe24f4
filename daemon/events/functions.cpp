// SPDX-License-Identifier: GPL-2.0
// Functions of the kernel.
//
// tracefs lists those that can be traced by their names only, or since Linux 6.5 also where each is called from, and
// /proc/kallsyms says where they begin. Several may have one name: without those places, such a name counts if all of
// its functions can be traced.
#include "events/functions.h"

#include <algorithm>
#include <cerrno>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "base/text.h"
#include "events/glob.h"
#include "events/kernel_symbols.h"
#include "events/terms.h"
#include "events/text_parts.h"
#include "events/tracepoints.h"

namespace uwind {
namespace {

constexpr std::size_t few_functions = 100;
constexpr std::size_t most_site = 16; // bytes from a function's start to where it calls its tracers
constexpr std::string_view ends_of_patterns = "/:";

struct FunctionParts {
	std::vector<std::string_view> patterns;
	std::string_view terms;
	bool returns = false;
};

Result<FunctionParts> parts_of(std::string_view text)
{
	const std::string all(text);
	text.remove_prefix(function_prefix.size());
	const std::size_t end = std::min(text.find_first_of(ends_of_patterns), text.size());
	FunctionParts parts;
	for (const std::string_view pattern : cut(text.substr(0, end), ',')) {
		parts.patterns.push_back(trimmed(pattern));
		if (parts.patterns.back().empty())
			return usage_error("'" + all + "': a function is missing: " + std::string(function_form));
	}
	std::string_view rest = text.substr(end);
	if (rest.starts_with('/')) {
		const std::size_t last = rest.rfind('/');
		if (last == 0)
			return usage_error("the second '/' is missing in '" + all + "'");
		parts.terms = rest.substr(1, last - 1);
		rest.remove_prefix(last + 1);
	}
	parts.returns = rest == ":ret";
	if (!parts.returns && !rest.empty())
		return usage_error("'" + std::string(rest) + "' of '" + all + "' is not :ret: func has no modifiers");
	return parts;
}

using Symbols = std::vector<KernelSymbol>;
using Addresses = std::vector<std::uint64_t>;
// By name.
using Places = std::unordered_map<std::string_view, Addresses>;

bool matches_one(const std::vector<std::string_view>& patterns, std::string_view name)
{
	return std::ranges::any_of(patterns, [&](std::string_view pattern) { return name_matches(pattern, name); });
}

// Where functions begin that have a name which one of the functions meant has, too.
Places starts_in(const Symbols& symbols, const std::vector<std::string_view>& patterns)
{
	std::unordered_set<std::uint64_t> meant;
	for (const KernelSymbol& symbol : symbols)
		if (matches_one(patterns, symbol.name))
			meant.insert(symbol.address);
	Places starts;
	for (const KernelSymbol& symbol : symbols)
		if (meant.contains(symbol.address))
			starts.try_emplace(symbol.name);
	for (const KernelSymbol& symbol : symbols)
		if (const auto known = starts.find(symbol.name); known != starts.end())
			known->second.push_back(symbol.address);
	return starts;
}

// What tracefs says.
struct Listed {
	std::string text;
	bool has_places = false;
};

// "vfs_read", or "nf_hook [nf_tables]"; since Linux 6.5 after the place of a call. Weak functions that another one
// stands for have no name.
template <typename Take>
void each_listed(const Listed& listed, Take take)
{
	std::string_view text = listed.text;
	while (!text.empty()) {
		std::string_view line = next_part(text, '\n');
		std::uint64_t place = 0;
		if (listed.has_places)
			place = parse_number(next_part(line, ' '), 16).value_or(0);
		const std::string_view name = halves(line, ' ').first;
		if (!name.empty() && !name.starts_with("__ftrace_invalid_address"))
			take(name, place);
	}
}

// The start to which a place belongs. 0: none.
std::uint64_t start_before(const Addresses& starts, std::uint64_t place)
{
	for (const std::uint64_t start : starts)
		if (start <= place && place - start <= most_site)
			return start;
	return 0;
}

// Those of the starts whose functions can be traced.
std::unordered_set<std::uint64_t> traceable_in(const Listed& listed, const Places& starts)
{
	Places places;
	each_listed(listed, [&](std::string_view name, std::uint64_t place) {
		if (starts.contains(name))
			places[name].push_back(place);
	});
	std::unordered_set<std::uint64_t> traceable;
	for (const auto& [name, of] : places) {
		const Addresses& known = starts.at(name);
		if (!listed.has_places && known.size() == of.size())
			traceable.insert(known.begin(), known.end());
		for (const std::uint64_t place : of)
			if (listed.has_places)
				traceable.insert(start_before(known, place));
	}
	traceable.erase(0);
	return traceable;
}

Result<Listed> listed_functions(EventSources& sources)
{
	const auto tracing = sources.tracing();
	if (!tracing)
		return no_tracing(tracing.error());
	const std::string path = *tracing + "/available_filter_functions";
	if (auto with_places = sources.read(path + "_addrs"))
		return Listed{std::move(*with_places), true};
	auto names = sources.read(path);
	if (names)
		return Listed{std::move(*names), false};
	if (names.error().code == ENOENT)
		return Error{ENOENT, "this kernel cannot trace its functions: CONFIG_DYNAMIC_FTRACE is not set"};
	return names.error();
}

// Why a pattern has no function.
Error no_function(std::string_view pattern, const Listed& listed, const Places& starts)
{
	const std::string typed(pattern);
	if (has_wildcard(pattern))
		return usage_error("no function of the kernel that can be traced matches '" + typed + "'");
	std::vector<std::string> alike;
	bool is_listed = false;
	each_listed(listed, [&](std::string_view name, std::uint64_t) {
		is_listed |= name == pattern;
		if (begins_alike(name, pattern))
			alike.emplace_back(name);
	});
	if (is_listed && starts.contains(pattern))
		return usage_error("several functions are called " + typed +
				   ", and this kernel does not say which of them can be traced");
	if (starts.contains(pattern))
		return usage_error("the kernel lets nobody trace " + typed +
				   ": its tracers need it, or have no place in it");
	return usage_error("no function of the kernel is called " + with_nearest(pattern, alike) +
			   "; patterns of func go on after a comma, other events have a -e of their own");
}

// One function may have several names, of which tracefs says one. Each pattern must have a function.
Result<Addresses> functions_of(EventSources& sources, const std::vector<std::string_view>& patterns)
{
	const auto listed = listed_functions(sources);
	if (!listed)
		return listed.error();
	const auto kallsyms = sources.read("/proc/kallsyms");
	if (!kallsyms)
		return kallsyms.error();
	const Symbols symbols = kernel_symbols_in(*kallsyms);
	if (std::ranges::all_of(symbols, [](const KernelSymbol& symbol) { return symbol.address == 0; }))
		return Error{EACCES, "where the kernel's functions are is hidden from this user: it needs CAP_SYSLOG, "
				     "and kernel.kptr_restrict must not be 2"};
	const Places starts = starts_in(symbols, patterns);
	const auto traceable = traceable_in(*listed, starts);
	std::set<std::uint64_t> functions;
	std::set<std::string_view> matched;
	for (const KernelSymbol& symbol : symbols) {
		if (!traceable.contains(symbol.address))
			continue;
		for (const std::string_view pattern : patterns)
			if (name_matches(pattern, symbol.name)) {
				functions.insert(symbol.address);
				matched.insert(pattern);
			}
	}
	for (const std::string_view pattern : patterns)
		if (!matched.contains(pattern))
			return no_function(pattern, *listed, starts);
	return Addresses(functions.begin(), functions.end());
}

Status apply_terms(std::string_view text, EventSpec& event)
{
	const auto terms = parse_terms(text);
	if (!terms)
		return terms.error();
	for (const Term& term : *terms) {
		if (term.key == "freq")
			return usage_error("func has no frequency: period is the number of calls");
		const auto applied = apply_common_term(term, event);
		if (!applied)
			return usage_error("func has no term " + with_nearest(term.key, {"period", "name"}));
		if (!*applied)
			return *applied;
	}
	return Nothing{};
}

std::size_t most_of(const EventSpec& event)
{
	return event.config & function_return ? most_returns : most_functions;
}

} // namespace

Result<EventSpec> parse_functions(EventSources& sources, std::string_view text)
{
	const auto parts = parts_of(text);
	if (!parts)
		return parts.error();
	EventSpec event;
	event.type = function_type;
	event.config = parts->returns ? function_return : 0;
	if (const auto applied = apply_terms(parts->terms, event); !applied)
		return applied.error(std::string(text));
	if (!event.rate)
		event.rate = Rate{false, 1};
	if (event.name.empty())
		event.name = text;
	auto functions = functions_of(sources, parts->patterns);
	if (!functions)
		return functions.error();
	event.functions = std::move(*functions);
	if (event.functions.size() > most_of(event))
		return usage_error("'" + std::string(text) + "' matches " + std::to_string(event.functions.size()) +
				   " functions; one event has at most " + std::to_string(most_of(event)));
	return event;
}

std::vector<FilterField> function_fields(const EventSpec& event)
{
	constexpr std::uint32_t word = 8, half = 4;
	const std::string refused = event.config & function_return ? "" : "it is known of :ret only";
	std::vector<FilterField> fields = {
		{"duration", FilterKind::number, false, word, call_duration_offset, refused},
		{"ret", FilterKind::number, true, word, call_value_offset, refused},
		{"ret32", FilterKind::number, true, half, call_value_offset, refused},
	};
	for (std::uint32_t i = 0; i < most_arguments; i++)
		fields.push_back({"arg" + std::to_string(i + 1), FilterKind::number, false, word,
				  call_arguments_offset + word * i, ""});
	return fields;
}

Status check_few_functions(const EventSpec& event)
{
	if (event.functions.size() <= few_functions)
		return Nothing{};
	return usage_error(
		event.name + " matches " + std::to_string(event.functions.size()) +
		" functions: --force traces them all, and slows the machine down as often as they are called");
}

} // namespace uwind

// SPDX-License-Identifier: GPL-2.0
// What stands between an event's slashes.
#include "events/terms.h"

#include <algorithm>
#include <bit>
#include <cerrno>

#include "base/text.h"
#include "events/names.h"
#include "events/perf_types.h"
#include "events/text_parts.h"

namespace uwind {
namespace {

// Terms that perf knows for every event, and uwind for none.
constexpr std::string_view unsupported[] = {
	"aux-output",   "aux-sample-size", "branch_type", "call-graph", "config3",    "driver-config",
	"inherit",      "max-events",      "max-stack",   "metric-id",  "no-inherit", "nr",
	"no-overwrite", "overwrite",       "percore",     "stack-size", "time",       "ratio-to-prev"};

constexpr std::size_t most_name = 255;

Error unknown_common(const Term& term)
{
	if (std::count(std::begin(unsupported), std::end(unsupported), term.key))
		return usage_error("the term '" + term.key + "' is not supported");
	return usage_error("unknown term " + with_nearest(term.key, {"period", "freq", "name"}) +
			   ": this event knows period, freq and name");
}

Status set_rate(const Term& term, EventSpec& event)
{
	const auto value = term.value ? parse_integer(*term.value) : std::nullopt;
	if (!value || *value == 0)
		return usage_error("the term '" + term.key + "' needs a number above 0");
	if (event.rate)
		return usage_error("one event has one period or frequency, not two");
	event.rate = Rate{term.key == "freq", *value};
	return Nothing{};
}

Status set_name(const Term& term, EventSpec& event)
{
	if (!term.value || term.value->empty() || term.value->size() > most_name)
		return usage_error("the term 'name' needs a name");
	event.name = *term.value;
	return Nothing{};
}

// The terms of one event, applied in the order that lets what the user gave win.
class PmuTerms {
public:
	PmuTerms(EventSources& sources, const Pmu& pmu, std::vector<Term> terms)
	    : sources_(sources), pmu_(pmu), given_(std::move(terms))
	{
		event_.type = pmu.type;
	}

	Result<EventSpec> run();

private:
	// The terms that a named event stands for; none if it is no event's name.
	Result<bool> apply_event(const Term& term);
	Status apply(const Term& term);
	Status apply_number(const Term& term, std::uint64_t& word);
	Status apply_format(const Term& term, const PmuFormat& format);
	// Terms that are neither common nor in format/.
	Status apply_other(const Term& term);
	bool is_given(const std::string& key) const;
	std::uint64_t& word(unsigned number)
	{
		return number == 0 ? event_.config : number == 1 ? event_.config1 : event_.config2;
	}
	Error unknown(const Term& term);

	EventSources& sources_;
	const Pmu& pmu_;
	std::vector<Term> given_;
	EventSpec event_;
};

Result<EventSpec> PmuTerms::run()
{
	std::vector<Term> rest;
	for (const Term& term : given_) {
		const auto is_event = apply_event(term);
		if (!is_event)
			return is_event.error();
		if (!*is_event)
			rest.push_back(term);
	}
	for (const Term& term : rest)
		if (const auto applied = apply(term); !applied)
			return applied.error();
	return event_;
}

bool PmuTerms::is_given(const std::string& key) const
{
	return std::any_of(given_.begin(), given_.end(),
			   [&](const Term& term) { return term.key == key && term.value; });
}

// NAME, or event=NAME. "KEY=?" in what it stands for is a value that the user must give.
Result<bool> PmuTerms::apply_event(const Term& term)
{
	const bool by_key = term.key == "event" && term.value && !parse_integer(*term.value);
	if (term.value && !by_key)
		return false;
	if (!by_key && pmu_format(sources_, pmu_.name, term.key))
		return false;
	const std::string& name = by_key ? *term.value : term.key;
	const auto text = pmu_event_terms(sources_, pmu_.name, name);
	if (!text)
		return false;
	const auto terms = parse_terms(*text);
	if (!terms)
		return terms.error(pmu_.name + "/" + name + "/");
	for (const Term& one : *terms) {
		const bool open = one.value && one.value->ends_with('?');
		if (open && !is_given(one.key))
			return usage_error("the event " + pmu_.name + "/" + name + "/ needs a value: " + one.key +
					   "=...");
		if (const auto applied = open ? Status(Nothing{}) : apply(one); !applied)
			return applied.error(pmu_.name + "/" + name + "/");
	}
	return true;
}

Status PmuTerms::apply(const Term& term)
{
	if (auto applied = apply_common_term(term, event_))
		return *applied;
	constexpr std::string_view words[] = {"config", "config1", "config2"};
	const auto found = std::find(std::begin(words), std::end(words), term.key);
	if (found != std::end(words))
		return apply_number(term, word(static_cast<unsigned>(found - std::begin(words))));
	const auto format = pmu_format(sources_, pmu_.name, term.key);
	if (format)
		return apply_format(term, *format);
	return format.error().code == ENOENT ? apply_other(term) : Status(format.error());
}

Status PmuTerms::apply_number(const Term& term, std::uint64_t& word)
{
	const auto value = term.value ? parse_integer(*term.value) : std::nullopt;
	if (!value)
		return usage_error("the term '" + term.key + "' needs a number");
	word = *value;
	return Nothing{};
}

Status PmuTerms::apply_format(const Term& term, const PmuFormat& format)
{
	const auto value = term.value ? parse_integer(*term.value) : 1;
	if (!value)
		return usage_error("the term '" + term.key + "' needs a number, not '" + *term.value + "'");
	const auto changed = with_value(word(format.word), format, *value);
	if (!changed)
		return usage_error("the term '" + term.key + "' has " + std::to_string(std::popcount(format.bits)) +
				   " bits: " + *term.value + " is too large");
	word(format.word) = *changed;
	return Nothing{};
}

// rHEX, or on a PMU of CPUs one of the names that the kernel has for all of them.
Status PmuTerms::apply_other(const Term& term)
{
	const auto named = term.value ? std::nullopt : find_symbol_event(term.key);
	if (named && named->kind == SymbolKind::raw) {
		event_.config = named->event.config;
		return Nothing{};
	}
	const bool general = named && (named->kind == SymbolKind::hardware || named->kind == SymbolKind::cache);
	if (!general || !pmu_.is_core || given_.size() > 1)
		return unknown(term);
	event_.type = named->event.type;
	event_.config = named->event.config;
	if (core_pmus(sources_).size() > 1)
		event_.config |= std::uint64_t{pmu_.type} << extended_type_shift;
	return Nothing{};
}

Error PmuTerms::unknown(const Term& term)
{
	if (term.key.starts_with('@') || std::count(std::begin(unsupported), std::end(unsupported), term.key))
		return usage_error("the term '" + term.key + "' is not supported");
	if (pmu_event_terms(sources_, pmu_.name, term.key))
		return usage_error("the event " + pmu_.name + "/" + term.key + "/ takes no value");
	std::vector<std::string> known = pmu_terms(sources_, pmu_.name);
	for (const std::string& event : pmu_events(sources_, pmu_.name))
		known.push_back(event);
	for (const char* common : {"config", "config1", "config2", "period", "freq", "name"})
		known.emplace_back(common);
	return usage_error("the PMU " + pmu_.name + " has no event and no term " + with_nearest(term.key, known));
}

Term term_of(std::string_view text)
{
	const auto [key, value] = halves(text, '=');
	Term term{std::string(trimmed(key)), std::nullopt};
	if (value)
		term.value = trimmed(*value);
	return term;
}

} // namespace

Result<std::vector<Term>> parse_terms(std::string_view text)
{
	std::vector<std::string> parts(1);
	bool quoted = false;
	for (const char letter : text) {
		if (letter == '\'')
			quoted = !quoted;
		else if (letter == ',' && !quoted)
			parts.emplace_back();
		else
			parts.back() += letter;
	}
	if (quoted)
		return usage_error("the second quote is missing in '" + std::string(text) + "'");
	std::vector<Term> terms;
	if (trimmed(text).empty())
		return terms;
	for (const std::string& part : parts) {
		terms.push_back(term_of(part));
		if (terms.back().key.empty())
			return usage_error("a term is missing in '" + std::string(text) + "'");
	}
	return terms;
}

std::optional<Status> apply_common_term(const Term& term, EventSpec& event)
{
	if (term.key == "period" || term.key == "freq")
		return set_rate(term, event);
	if (term.key == "name")
		return set_name(term, event);
	return std::nullopt;
}

Status apply_common_terms(std::string_view text, EventSpec& event)
{
	const auto terms = parse_terms(text);
	if (!terms)
		return terms.error();
	for (const Term& term : *terms) {
		const auto applied = apply_common_term(term, event);
		if (!applied)
			return unknown_common(term);
		if (!*applied)
			return *applied;
	}
	return Nothing{};
}

Result<EventSpec> pmu_event(EventSources& sources, const Pmu& pmu, std::string_view terms)
{
	auto parsed = parse_terms(terms);
	if (!parsed)
		return parsed.error();
	return PmuTerms(sources, pmu, std::move(*parsed)).run();
}

} // namespace uwind

// SPDX-License-Identifier: GPL-2.0
// What is typed after -e and --filter becomes events.
#include "events/parse.h"

#include <cerrno>

#include "events/filter.h"
#include "events/functions.h"
#include "events/one_event.h"
#include "events/read_once.h"
#include "events/split.h"
#include "events/text_parts.h"
#include "events/tracepoints.h"

namespace uwind {
namespace {

using Events = std::vector<EventSpec>;

// Longer lists are nobody's typing.
constexpr std::size_t longest_argument = 64 << 10;

Error too_many(std::size_t events)
{
	return Error{EINVAL, std::to_string(events) + " events are given; a session has at most " +
				     std::to_string(most_events)};
}

// "(a) && (b)"
std::string joined(const std::vector<std::string>& filters)
{
	if (filters.size() == 1)
		return filters[0];
	std::string text;
	for (const std::string& filter : filters)
		text += (text.empty() ? "(" : " && (") + filter + ")";
	return text;
}

Status set_steps(EventSpec& event, const std::string& filter, const std::vector<FilterField>& fields)
{
	auto steps = compile_filter(filter, fields);
	if (!steps)
		return steps.error("filter of " + event.name);
	event.filter = filter;
	event.filter_steps = std::move(*steps);
	return Nothing{};
}

Status set_filter(EventSpec& event, const std::string& filter, EventSources& sources)
{
	if (event.type == function_type)
		return set_steps(event, filter, function_fields(event));
	if (!event.is_tracepoint)
		return Error{EINVAL,
			     "--filter is for tracepoints and func, and follows one: " + event.name + " is none"};
	const auto [subsystem, name] = halves(event.tracepoint, ':');
	const auto format = tracepoint_format(sources, {std::string(subsystem), std::string(name.value_or(""))});
	if (!format)
		return format.error();
	return set_steps(event, filter, parse_fields(*format));
}

Result<Events> events_of(const EventArgument& argument, EventSources& sources)
{
	if (argument.events.size() > longest_argument)
		return Error{EINVAL, "this list of events is longer than 64 KiB"};
	const auto texts = split_events(argument.events);
	if (!texts)
		return texts.error();
	if (texts->size() > most_events)
		return too_many(texts->size());
	Events events;
	for (const EventText& text : *texts) {
		auto parsed = parse_event(text, sources);
		if (!parsed)
			return parsed.error();
		for (EventSpec& event : *parsed)
			events.push_back(std::move(event));
	}
	if (argument.filters.empty())
		return events;
	for (EventSpec& event : events)
		if (const auto set = set_filter(event, joined(argument.filters), sources); !set)
			return set.error();
	return events;
}

} // namespace

Status add_filter(std::vector<EventArgument>& arguments, std::string filter)
{
	if (arguments.empty())
		return Error{EINVAL, "--filter follows the -e that it is for"};
	arguments.back().filters.push_back(std::move(filter));
	return Nothing{};
}

Result<Events> parse_events(const std::vector<EventArgument>& arguments, EventSources& sources)
{
	ReadOnce now(sources);
	Events all;
	for (const EventArgument& argument : arguments) {
		auto events = events_of(argument, now);
		if (!events)
			return events.error();
		for (EventSpec& event : *events)
			all.push_back(std::move(event));
	}
	if (all.empty())
		return Error{EINVAL, "no event is given"};
	if (all.size() > most_events)
		return too_many(all.size());
	return all;
}

} // namespace uwind

// SPDX-License-Identifier: GPL-2.0
// Parsing one text, and saying in short what came of it.
#pragma once

#include <catch2/catch.hpp>
#include <cstdio>

#include "events/parse.h"
#include "unit/events/fake_events.h"

inline std::vector<uwind::EventSpec> parsed(const std::string& text, fake::Events machine = fake::machine())
{
	auto events = uwind::parse_events({{text, {}}}, machine);
	INFO(text << ": " << (events ? "" : events.error().message));
	REQUIRE(events);
	return std::move(*events);
}

inline uwind::Error refusal(const std::string& text, fake::Events machine = fake::machine(),
			    const std::vector<std::string>& filters = {})
{
	const auto events = uwind::parse_events({{text, filters}}, machine);
	INFO(text);
	REQUIRE_FALSE(events);
	return events.error();
}

// "type:config" in hex, then config1 and config2 if there are any, then what is excluded: "ukvhgi" are user, kernel,
// hypervisor, host, guest, idle; then ' p' and the precise level.
inline std::string brief(const uwind::EventSpec& event)
{
	char text[128];
	std::snprintf(text, sizeof(text), "%u:%llx", event.type, static_cast<unsigned long long>(event.config));
	std::string all = text;
	for (const auto word : {event.config1, event.config2}) {
		std::snprintf(text, sizeof(text), ",%llx", static_cast<unsigned long long>(word));
		all += event.config1 || event.config2 ? text : "";
	}
	std::string excluded;
	excluded += event.exclude_user ? "u" : "";
	excluded += event.exclude_kernel ? "k" : "";
	excluded += event.exclude_hv ? "v" : "";
	excluded += event.exclude_host ? "h" : "";
	excluded += event.exclude_guest ? "g" : "";
	excluded += event.exclude_idle ? "i" : "";
	all += excluded.empty() ? "" : " -" + excluded;
	return all + (event.precise ? " p" + std::to_string(event.precise) : "");
}

// All of them, with names: "cycles 0:0 -g; ...".
inline std::string brief(const std::vector<uwind::EventSpec>& events)
{
	std::string all;
	for (const uwind::EventSpec& event : events)
		all += (all.empty() ? "" : "; ") + event.name + " " + brief(event);
	return all;
}

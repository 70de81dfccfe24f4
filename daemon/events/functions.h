// SPDX-License-Identifier: GPL-2.0
// Functions of the kernel: func:GLOB[,GLOB...][/TERMS/][:ret].
#pragma once

#include <string_view>
#include <vector>

#include "events/fields.h"
#include "port/event_sources.h"

namespace uwind {

inline constexpr std::string_view function_prefix = "func:";
inline constexpr std::string_view function_form = "func:FUNCTION[,PATTERN...][/period=CALLS/][:ret]";

inline bool is_function_text(std::string_view text)
{
	return text.starts_with(function_prefix);
}

// All functions that match and can be traced, as one event. EINVAL: none does, or the text is wrong; EACCES, ENOENT:
// this user may not, or the kernel cannot, and the message says what to do.
Result<EventSpec> parse_functions(EventSources& sources, std::string_view text);

// What a filter can look at: arg1 to arg6 as unsigned numbers of 64 bits, and of returns duration (ns), ret, a signed
// one, and ret32, its lower half.
std::vector<FilterField> function_fields(const EventSpec& event);

// Whether an event has so few functions that nobody need ask for it twice. EINVAL: it has more.
Status check_few_functions(const EventSpec& event);

} // namespace uwind

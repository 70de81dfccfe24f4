// SPDX-License-Identifier: GPL-2.0
// What stands between an event's slashes: cpu/event=0x3c,umask=1,name=foo/.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "events/pmu.h"

namespace uwind {

struct Term {
	std::string key;
	std::optional<std::string> value; // nothing: "key" alone
};

// EINVAL: a term without a name. A value in single quotes may have commas.
Result<std::vector<Term>> parse_terms(std::string_view text);

// period, freq and name, which every event knows; sets rate and name. Nothing: it is another term.
std::optional<Status> apply_common_term(const Term& term, EventSpec& event);

// For events that are no PMU's by name: only common terms.
Status apply_common_terms(std::string_view text, EventSpec& event);

// An event of that PMU. Its name is "" unless a term sets it.
Result<EventSpec> pmu_event(EventSources& sources, const Pmu& pmu, std::string_view terms);

} // namespace uwind

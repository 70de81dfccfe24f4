// SPDX-License-Identifier: GPL-2.0
// The event of threads that were off their CPUs.
#include "events/off_cpu.h"

#include <limits>

#include "events/terms.h"
#include "events/text_parts.h"

namespace uwind {
namespace {

constexpr std::uint64_t usual_least_ns = 100'000;

Status apply_number(const Term& term, std::uint64_t most, std::uint64_t& value)
{
	const auto number = term.value ? parse_integer(*term.value) : std::nullopt;
	if (!number || *number > most)
		return usage_error("the term '" + term.key + "' of offcpu needs a number up to " +
				   std::to_string(most));
	value = *number;
	return Nothing{};
}

Status apply(const Term& term, EventSpec& event)
{
	if (term.key == "limit") {
		auto applied = apply_number(term, std::numeric_limits<std::uint32_t>::max(), event.config);
		if (applied && event.config == 0)
			return usage_error("the term 'limit' of offcpu needs a number above 0");
		return applied;
	}
	if (term.key == "wakers") {
		std::uint64_t wakers = 0;
		auto applied = apply_number(term, 1, wakers);
		event.config1 = wakers ? 0 : off_cpu_no_wakers;
		return applied;
	}
	if (term.key == "freq")
		return usage_error("offcpu has no frequency: period is the shortest time that counts, in ns");
	if (auto common = apply_common_term(term, event))
		return *common;
	return usage_error("offcpu has no term " + with_nearest(term.key, {"period", "limit", "wakers", "name"}));
}

} // namespace

Result<EventSpec> parse_off_cpu(std::string_view text)
{
	const auto terms = parse_terms(text);
	if (!terms)
		return terms.error();
	EventSpec event;
	event.type = off_cpu_type;
	for (const Term& term : *terms)
		if (const auto applied = apply(term, event); !applied)
			return applied.error();
	if (!event.rate)
		event.rate = Rate{false, usual_least_ns};
	if (event.name.empty())
		event.name = off_cpu_name;
	return event;
}

} // namespace uwind

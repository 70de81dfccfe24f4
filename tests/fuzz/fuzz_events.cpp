// SPDX-License-Identifier: GPL-2.0
// Any text as a list of events, and after a zero byte as a filter of theirs: an error with a message, or events within
// the limits, whose filters have steps that lead forwards and can be run.
#include "events/filter.h"
#include "events/parse.h"
#include "unit/events/fake_events.h"
#include "unit/events/run_filter.h"

namespace {

void check(bool good)
{
	if (!good)
		__builtin_trap();
}

// Texts lie within the entry: lengths and offsets in it are small.
Moment some_moment()
{
	Moment moment{std::string(512, '\1'), 1, "bash"};
	const std::uint32_t place = 160 | 8 << 16;
	for (const std::size_t at : {44, 48})
		std::memcpy(moment.entry.data() + at, &place, sizeof(place));
	return moment;
}

void check_steps(const std::vector<uwind::FilterStep>& steps)
{
	static const Moment moment = some_moment();
	check(broken(steps).empty());
	(void)takes(steps, moment);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
	static fake::Events machine = fake::machine();
	static const auto fields = uwind::parse_fields(fake::switch_fields);
	const std::string text(reinterpret_cast<const char*>(data), size);
	const auto zero = text.find('\0');
	uwind::EventArgument argument{text.substr(0, zero), {}};
	if (zero != std::string::npos) {
		argument.filters.push_back(text.substr(zero + 1));
		const auto steps = uwind::compile_filter(argument.filters[0], fields);
		check(steps ? !steps->empty() : !steps.error().message.empty());
		if (steps)
			check_steps(*steps);
	}
	const auto events = uwind::parse_events({argument}, machine);
	check(events ? !events->empty() && events->size() <= uwind::most_events : !events.error().message.empty());
	return 0;
}

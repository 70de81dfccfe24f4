// SPDX-License-Identifier: GPL-2.0
// A machine's events as text.
#include "export/events.h"

#include <algorithm>
#include <ostream>

namespace uwind {

// Names are padded, but for the few that are longer.
void write_events(const std::vector<ListedEvent>& events, std::ostream& out)
{
	constexpr std::size_t most_width = 48;
	std::size_t width = 0;
	for (const ListedEvent& event : events)
		if (event.name.size() <= most_width)
			width = std::max(width, event.name.size());
	for (const ListedEvent& event : events) {
		const std::size_t blanks = event.name.size() < width ? width - event.name.size() : 0;
		out << event.name << std::string(blanks + 2, ' ') << event.kind << '\n';
	}
}

} // namespace uwind

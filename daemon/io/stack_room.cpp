// SPDX-License-Identifier: GPL-2.0
// What /proc says of the stack of a process' first thread.
#include "io/stack_room.h"

#include <algorithm>
#include <cerrno>

#include "base/text.h"

namespace uwind {
namespace {

// "7ffd1000-7ffd3000 rw-p 00000000 00:00 0      [stack]". Files' names begin with a slash.
std::optional<std::uint64_t> mapped_bytes_in(std::string_view line)
{
	if (!line.ends_with(" [stack]"))
		return std::nullopt;
	const auto start = parse_number(next_part(line, '-'), 16), end = parse_number(next_part(line, ' '), 16);
	return start && end && *start < *end ? std::optional(*end - *start) : std::nullopt;
}

// "Max stack size            8388608              unlimited            bytes": the soft limit comes first.
std::string_view stack_limit_in(std::string_view limits)
{
	constexpr std::string_view name = "Max stack size";
	while (!limits.empty()) {
		std::string_view line = next_part(limits, '\n');
		if (!line.starts_with(name))
			continue;
		line.remove_prefix(name.size());
		line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
		return next_part(line, ' ');
	}
	return "";
}

} // namespace

Result<StackRoom> stack_room_in(std::string_view maps, std::string_view limits)
{
	StackRoom room;
	while (!room.mapped_bytes && !maps.empty())
		room.mapped_bytes = mapped_bytes_in(next_part(maps, '\n')).value_or(0);
	const std::string_view limit = stack_limit_in(limits);
	room.limit_bytes = parse_number(limit);
	if (!room.mapped_bytes || (!room.limit_bytes && limit != "unlimited"))
		return Error{EINVAL, "nothing is said of a stack"};
	return room;
}

} // namespace uwind

// SPDX-License-Identifier: GPL-2.0
// Lines of /proc/PID/maps: "start-end perms offset major:minor inode   path".
#include "io/maps.h"

#include <algorithm>

#include "base/text.h"

namespace uwind {
namespace {

// The kernel writes a newline in a path as \012, and escapes nothing else.
std::string unescaped(std::string_view path)
{
	std::string result;
	for (std::size_t i = 0; i < path.size(); i++) {
		if (path.substr(i, 4) == "\\012") {
			result += '\n';
			i += 3;
		} else {
			result += path[i];
		}
	}
	return result;
}

std::string path_in(std::string_view rest)
{
	const auto start = rest.find_first_not_of(' ');
	if (start == std::string_view::npos)
		return "";
	rest.remove_prefix(start);
	return unescaped(without_deleted(rest));
}

} // namespace

std::optional<Mapping> parse_maps_line(std::string_view line)
{
	const auto range_bytes = line.find(' ');
	const auto permissions = line.substr(std::min(line.size(), range_bytes + 1), 4);
	if (range_bytes == std::string_view::npos || permissions.size() < 4 || permissions[2] != 'x')
		return std::nullopt;
	const auto start = parse_number(next_part(line, '-'), 16);
	const auto end = parse_number(next_part(line, ' '), 16);
	next_part(line, ' ');
	const auto pgoff = parse_number(next_part(line, ' '), 16);
	const auto major = parse_number(next_part(line, ':'), 16);
	const auto minor = parse_number(next_part(line, ' '), 16);
	const auto inode = parse_number(next_part(line, ' '));
	if (!start || !end || !pgoff || !major || !minor || !inode || *inode == 0)
		return std::nullopt;
	Mapping mapping;
	mapping.start = *start;
	mapping.end = *end;
	mapping.pgoff = *pgoff;
	mapping.dev_major = static_cast<std::uint32_t>(*major);
	mapping.dev_minor = static_cast<std::uint32_t>(*minor);
	mapping.inode = *inode;
	mapping.path = path_in(line);
	return mapping;
}

} // namespace uwind

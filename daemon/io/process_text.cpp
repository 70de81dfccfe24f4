// SPDX-License-Identifier: GPL-2.0
// What files below /proc/PID say, as text.
#include "io/process_text.h"

#include "base/text.h"
#include "bpf/life_record.h"

namespace uwind {
namespace {

// The rest of the line that begins so. Nothing: there is none.
std::optional<std::string_view> line_after(std::string_view text, std::string_view begin)
{
	while (!text.empty())
		if (const auto line = next_part(text, '\n'); line.starts_with(begin))
			return line.substr(begin.size());
	return std::nullopt;
}

std::uint32_t last_number_of(std::string_view line)
{
	const auto before = line.find_last_of(" \t");
	const auto number = parse_number(before == std::string_view::npos ? line : line.substr(before + 1));
	return static_cast<std::uint32_t>(number.value_or(0));
}

} // namespace

std::optional<ProcessDetails> details_in(std::string_view status, std::string_view cgroups)
{
	const auto parent = line_after(status, "PPid:");
	if (!parent)
		return std::nullopt;
	ProcessDetails details;
	details.parent_pid = last_number_of(*parent);
	details.namespace_pid = last_number_of(line_after(status, "NSpid:").value_or(""));
	details.cgroup = line_after(cgroups, "0::").value_or("");
	return details;
}

std::vector<std::string> arguments_in(std::string_view cmdline)
{
	return strings_in(cmdline.substr(0, LIFE_ARGUMENT_BYTES));
}

} // namespace uwind

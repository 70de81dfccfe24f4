// SPDX-License-Identifier: GPL-2.0
// Lists of CPU numbers as people and the kernel write them: "0-3,5".
#include "base/cpu_list.h"

#include <algorithm>

#include "base/text.h"

namespace uwind {
namespace {

constexpr std::uint64_t last_cpu = 65'535; // more than any kernel is built for

// "5" or "0-3".
bool add_part(std::string_view part, std::vector<std::uint32_t>& cpus)
{
	const auto dash = part.find('-');
	const auto first = parse_number(part.substr(0, dash));
	const auto last = dash == std::string_view::npos ? first : parse_number(part.substr(dash + 1));
	if (!first || !last || *first > *last || *last > last_cpu)
		return false;
	for (auto cpu = *first; cpu <= *last; cpu++)
		cpus.push_back(static_cast<std::uint32_t>(cpu));
	return true;
}

} // namespace

std::optional<std::vector<std::uint32_t>> parse_cpus(std::string_view text)
{
	std::vector<std::uint32_t> cpus;
	for (bool more = true; more;) {
		const auto comma = text.find(',');
		more = comma != std::string_view::npos;
		if (!add_part(text.substr(0, comma), cpus))
			return std::nullopt;
		std::ranges::sort(cpus);
		cpus.erase(std::unique(cpus.begin(), cpus.end()), cpus.end());
		text.remove_prefix(more ? comma + 1 : text.size());
	}
	return cpus;
}

std::string text_of_cpus(const std::vector<std::uint32_t>& cpus)
{
	std::string text;
	for (std::size_t first = 0, last; first < cpus.size(); first = last + 1) {
		last = first;
		while (last + 1 < cpus.size() && cpus[last + 1] == cpus[last] + 1)
			last++;
		text += (text.empty() ? "" : ",") + std::to_string(cpus[first]);
		if (last > first)
			text += "-" + std::to_string(cpus[last]);
	}
	return text;
}

} // namespace uwind

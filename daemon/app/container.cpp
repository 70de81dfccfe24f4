// SPDX-License-Identifier: GPL-2.0
// Which container a control group is of.
#include "app/container.h"

#include <algorithm>
#include <string_view>

#include "base/text.h"

namespace uwind {
namespace {

constexpr std::size_t id_digits = 64;

bool is_id(std::string_view text)
{
	const auto is_digit = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
	return text.size() == id_digits && std::ranges::all_of(text, is_digit);
}

// What is between the two, or "".
std::string_view between(std::string_view name, std::string_view before, std::string_view behind)
{
	if (name.size() <= before.size() + behind.size() || !name.starts_with(before) || !name.ends_with(behind))
		return "";
	return name.substr(before.size(), name.size() - before.size() - behind.size());
}

// A unit's name is escaped as systemd does.
std::string unescaped(std::string_view text)
{
	std::string result;
	while (!text.empty()) {
		const auto code = text.starts_with("\\x") ? parse_number(text.substr(2, 2), 16) : std::nullopt;
		result += code ? static_cast<char>(*code) : text.front();
		text.remove_prefix(code ? 4 : 1);
	}
	return result;
}

// Of a folder "docker-ID.scope", "cri-containerd-ID.scope", "ID" …
std::string container_of(std::string_view name)
{
	if (const auto machine = between(name, "machine-", ".scope"); !machine.empty())
		return unescaped(machine);
	if (const auto payload = between(name, "lxc.payload.", ""); !payload.empty())
		return std::string(payload);
	if (name.ends_with(".scope"))
		name.remove_suffix(std::string_view(".scope").size());
	const auto dash = name.rfind('-');
	const auto id = dash == std::string_view::npos ? name : name.substr(dash + 1);
	return is_id(id) ? std::string(id) : "";
}

} // namespace

std::string container_in(const std::string& cgroup)
{
	std::string found;
	for (std::string_view left = cgroup; !left.empty();)
		if (auto id = container_of(next_part(left, '/')); !id.empty())
			found = std::move(id);
	return found;
}

} // namespace uwind

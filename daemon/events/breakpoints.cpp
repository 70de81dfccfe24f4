// SPDX-License-Identifier: GPL-2.0
// Hardware breakpoints.
#include "events/breakpoints.h"

#include <cerrno>
#include <vector>

#include "events/perf_types.h"
#include "events/text_parts.h"

namespace uwind {
namespace {

constexpr std::uint64_t data_bytes = 4;
constexpr std::uint64_t longest_breakpoint = 8;
constexpr std::uint64_t code_bytes = sizeof(long); // as the kernel wants it of those that execute

Error wrong_breakpoint(std::string_view text, const std::string& why)
{
	return Error{EINVAL, "'" + std::string(text) + "': " + why};
}

// 0: not made of r, w and x, each at most once.
std::uint32_t access_of(std::string_view text)
{
	std::uint32_t access = 0;
	for (const char letter : text) {
		const std::uint32_t bit = letter == 'r'   ? breakpoint_read
					  : letter == 'w' ? breakpoint_write
					  : letter == 'x' ? breakpoint_execute
							  : 0;
		if (!bit || access & bit)
			return 0;
		access |= bit;
	}
	return access;
}

// What follows the address: an access, modifiers, or both.
struct End {
	std::uint32_t access = breakpoint_read | breakpoint_write;
	std::string modifiers;
};

Result<End> read_end(std::string_view text, const std::vector<std::string_view>& parts)
{
	End end;
	const std::uint32_t access = parts.size() > 2 ? access_of(parts[2]) : 0;
	if (parts.size() == 4 && !access)
		return wrong_breakpoint(text, "an access is made of r, w and x, each once at most");
	if (parts.size() == 4 || (parts.size() == 3 && !access)) {
		end.modifiers = parts.back();
		if (end.modifiers.empty())
			return wrong_breakpoint(text, "an access (r, w, rw or x) or modifiers are missing at the end");
	}
	if (access & breakpoint_execute && access != breakpoint_execute)
		return wrong_breakpoint(text, "x stands alone: a breakpoint is on code or on data");
	if (access)
		end.access = access;
	return end;
}

} // namespace

Result<Breakpoint> parse_breakpoint(std::string_view text)
{
	const auto parts = cut(text, ':');
	const auto [address_text, length_text] = halves(parts.size() > 1 ? parts[1] : "", '/');
	const auto address = parse_integer(address_text);
	const auto length = length_text ? parse_integer(*length_text) : std::nullopt;
	if (!address || (length_text && !length) || parts.size() > 4)
		return wrong_breakpoint(text, "a breakpoint is mem:ADDRESS[/LENGTH][:rwx][:MODIFIERS]");
	const auto end = read_end(text, parts);
	if (!end)
		return end.error();
	Breakpoint breakpoint;
	breakpoint.modifiers = end->modifiers;
	breakpoint.event.type = perf_type_breakpoint;
	breakpoint.event.bp_type = end->access;
	breakpoint.event.config1 = *address;
	breakpoint.event.config2 = length.value_or(end->access == breakpoint_execute ? code_bytes : data_bytes);
	breakpoint.event.each_time = true;
	if (const auto bytes = breakpoint.event.config2; bytes == 0 || bytes > longest_breakpoint)
		return wrong_breakpoint(text, "the length is between 1 and 8 bytes");
	return breakpoint;
}

} // namespace uwind

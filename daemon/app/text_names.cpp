// SPDX-License-Identifier: GPL-2.0
// Names of the kernel's code by address, and addresses by name.
#include "app/text_names.h"

#include <algorithm>

#include "base/text.h"

namespace uwind {
namespace {

bool is_earlier(const TextSymbol& a, const TextSymbol& b)
{
	return a.address < b.address;
}

std::optional<std::uint64_t> number_in(std::string_view text)
{
	if (text.starts_with("0x") || text.starts_with("0X"))
		text.remove_prefix(2);
	return parse_number(text, 16);
}

} // namespace

void TextNames::add(const std::vector<TextSymbol>& symbols)
{
	const auto old = static_cast<std::ptrdiff_t>(symbols_.size());
	std::vector<TextSymbol> both = symbols;
	std::stable_sort(both.begin(), both.end(), is_earlier);
	both.erase(std::unique(both.begin(), both.end(),
			       [](const TextSymbol& a, const TextSymbol& b) { return a.address == b.address; }),
		   both.end());
	const auto replaced = [&](const TextSymbol& symbol) {
		return std::binary_search(both.begin(), both.end(), symbol, is_earlier);
	};
	if (old)
		symbols_.erase(std::remove_if(symbols_.begin(), symbols_.end(), replaced), symbols_.end());
	symbols_.insert(symbols_.end(), both.begin(), both.end());
	std::stable_sort(symbols_.begin(), symbols_.end(), is_earlier);
}

TextNames::Place TextNames::at(std::uint64_t address) const
{
	const auto found =
		std::upper_bound(symbols_.begin(), symbols_.end(), address,
				 [](std::uint64_t a, const TextSymbol& symbol) { return a < symbol.address; });
	if (found == symbols_.begin())
		return {};
	return {&found[-1], address - found[-1].address};
}

const TextSymbol* TextNames::after(std::uint64_t address) const
{
	const auto found =
		std::upper_bound(symbols_.begin(), symbols_.end(), address,
				 [](std::uint64_t a, const TextSymbol& symbol) { return a < symbol.address; });
	return found == symbols_.end() ? nullptr : &*found;
}

std::string TextNames::text(std::uint64_t address) const
{
	const Place place = at(address);
	if (!place.symbol)
		return "";
	std::string name = place.symbol->name;
	if (place.offset)
		name += "+" + hex(place.offset);
	return place.symbol->module.empty() ? name : name + " [" + place.symbol->module + "]";
}

// A symbol may look like a number ("add"), but no symbol begins with a digit.
std::optional<std::uint64_t> TextNames::address_of(std::string_view text) const
{
	if (!text.empty() && text.front() >= '0' && text.front() <= '9')
		return number_in(text);
	std::string_view offset_text = text;
	const std::string_view name = next_part(offset_text, '+');
	const auto offset = offset_text.empty() ? std::optional<std::uint64_t>(0) : number_in(offset_text);
	const auto found = std::find_if(symbols_.begin(), symbols_.end(),
					[&](const TextSymbol& symbol) { return symbol.name == name; });
	if (found != symbols_.end())
		return offset ? std::optional(found->address + *offset) : std::nullopt;
	return text.find('+') == std::string_view::npos ? number_in(text) : std::nullopt;
}

} // namespace uwind

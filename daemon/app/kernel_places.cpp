// SPDX-License-Identifier: GPL-2.0
// Where frames of the kernel lie in the file that their code was loaded from.
#include "app/kernel_places.h"

#include <algorithm>
#include <map>
#include <unordered_map>

namespace uwind {
namespace {

// A part, and how far from its addresses in the file it was loaded; these wrap around.
struct PlacedPart {
	CodePart part;
	std::uint64_t distance = 0;
};

bool has(const CodePart& part, std::uint64_t address)
{
	return address - part.address < part.bytes && address >= part.address;
}

// The address of each function of a name that only one has.
std::unordered_map<std::string_view, std::optional<std::uint64_t>> addresses_by_name(const std::vector<Symbol>& symbols)
{
	std::unordered_map<std::string_view, std::optional<std::uint64_t>> addresses;
	for (const Symbol& symbol : symbols) {
		const auto [known, is_new] = addresses.try_emplace(symbol.name, symbol.address);
		if (!is_new && known->second != symbol.address)
			known->second.reset();
	}
	return addresses;
}

using Votes = std::map<std::uint64_t, std::size_t>; // by distance

std::optional<std::uint64_t> chosen(const Votes& votes)
{
	std::size_t all = 0;
	for (const auto& [distance, count] : votes)
		all += count;
	for (const auto& [distance, count] : votes)
		if (count * 2 > all)
			return distance;
	return std::nullopt;
}

std::vector<PlacedPart> placed(const std::vector<KernelPlace>& places, const std::vector<Symbol>& symbols,
			       const std::vector<CodePart>& parts)
{
	const auto known = addresses_by_name(symbols);
	std::vector<Votes> votes(parts.size());
	for (const KernelPlace& place : places) {
		const auto found = known.find(place.symbol);
		if (found == known.end() || !found->second)
			continue;
		for (std::size_t i = 0; i < parts.size(); i++)
			if (has(parts[i], *found->second))
				votes[i][place.symbol_start - *found->second]++;
	}
	std::vector<PlacedPart> result;
	for (std::size_t i = 0; i < parts.size(); i++)
		if (const auto distance = chosen(votes[i]))
			result.push_back({parts[i], *distance});
	return result;
}

} // namespace

std::vector<std::optional<std::uint64_t>> addresses_in_file(const std::vector<KernelPlace>& places,
							    const std::vector<Symbol>& symbols,
							    const std::vector<CodePart>& parts)
{
	const auto loaded = placed(places, symbols, parts);
	std::vector<std::optional<std::uint64_t>> addresses(places.size());
	for (std::size_t i = 0; i < places.size(); i++)
		for (const PlacedPart& one : loaded)
			if (const std::uint64_t address = places[i].offset - one.distance; has(one.part, address))
				addresses[i] = address;
	return addresses;
}

} // namespace uwind

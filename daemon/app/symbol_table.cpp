// SPDX-License-Identifier: GPL-2.0
// The functions of one file, sorted by address.
#include "app/symbol_table.h"

#include <algorithm>
#include <tuple>

namespace uwind {
namespace {

// The best of several names for one address: global before local before weak, then
// the shortest, then the first in the alphabet.
bool comes_first(const Symbol& a, const Symbol& b)
{
	const auto rank = [](const Symbol& s) { return std::tuple(s.address, s.binding, s.name.size()); };
	return std::pair(rank(a), std::string_view(a.name)) < std::pair(rank(b), std::string_view(b.name));
}

} // namespace

SymbolTable::SymbolTable(std::vector<Symbol> symbols, EntryCode entry) : entry_(entry)
{
	std::sort(symbols.begin(), symbols.end(), comes_first);
	keep(symbols);
}

// Symbols with one start may differ in size: the best name is kept, with the
// highest end of them all.
void SymbolTable::keep(const std::vector<Symbol>& symbols)
{
	std::uint64_t reach = 0;
	for (const Symbol& symbol : symbols) {
		const std::uint64_t end = symbol.address + symbol.bytes;
		if (end <= symbol.address)
			continue;
		reach = std::max(reach, end);
		if (!functions_.empty() && functions_.back().start == symbol.address) {
			functions_.back().end = std::max(functions_.back().end, end);
			functions_.back().reach = reach;
			continue;
		}
		functions_.push_back({symbol.address, end, reach, names_.size()});
		names_.append(symbol.name.c_str(), symbol.name.size() + 1);
	}
	functions_.shrink_to_fit();
	names_.shrink_to_fit();
}

// The nearest start whose function reaches the address.
const SymbolTable::Function* SymbolTable::covering(std::uint64_t address) const
{
	auto next =
		std::upper_bound(functions_.begin(), functions_.end(), address,
				 [](std::uint64_t value, const Function& function) { return value < function.start; });
	while (next != functions_.begin()) {
		--next;
		if (address < next->end)
			return &*next;
		if (address >= next->reach)
			return nullptr;
	}
	return nullptr;
}

std::optional<NamedPlace> SymbolTable::find(std::uint64_t address) const
{
	if (const Function* function = covering(address))
		return NamedPlace{demangled(names_.data() + function->name), address - function->start};
	if (address >= entry_.address && address - entry_.address < entry_.bytes) {
		const auto next =
			std::upper_bound(functions_.begin(), functions_.end(), entry_.address,
					 [](std::uint64_t value, const Function& f) { return value < f.start; });
		if (next == functions_.end() || address < next->start)
			return NamedPlace{"_start", address - entry_.address};
	}
	return std::nullopt;
}

} // namespace uwind

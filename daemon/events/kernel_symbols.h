// SPDX-License-Identifier: GPL-2.0
// The functions that /proc/kallsyms lists.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "events/text_parts.h"

namespace uwind {

struct KernelSymbol {
	std::string_view name;
	std::uint64_t address = 0; // 0: hidden from this user
};

// "ffffffff81000000 T vfs_read", and of a module "\t[name]" at its end. No name: it is no code.
inline KernelSymbol kernel_symbol_in(std::string_view line)
{
	constexpr std::string_view code_types = "tTwW";
	const auto [address, rest] = halves(line, ' ');
	const auto [type, name] = halves(rest.value_or(""), ' ');
	if (!name || code_types.find(type) == std::string_view::npos)
		return {};
	return {halves(*name, '\t').first, parse_number(address, 16).value_or(0)};
}

inline std::vector<KernelSymbol> kernel_symbols_in(std::string_view kallsyms)
{
	std::vector<KernelSymbol> symbols;
	while (!kallsyms.empty())
		if (const KernelSymbol symbol = kernel_symbol_in(next_part(kallsyms, '\n')); !symbol.name.empty())
			symbols.push_back(symbol);
	return symbols;
}

} // namespace uwind

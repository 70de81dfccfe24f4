// SPDX-License-Identifier: GPL-2.0
// The names of a file's functions.
#include "objects/names.h"

#include "tables/go/found.h"

namespace uwind {
namespace {

constexpr std::size_t max_symbols = 8u << 20;

Binding binding_of(const ElfSymbol& symbol)
{
	switch (GELF_ST_BIND(symbol.info)) {
	case STB_LOCAL:
		return Binding::local;
	case STB_WEAK:
		return Binding::weak;
	default:
		return Binding::global;
	}
}

bool is_function(const ElfSymbol& symbol)
{
	const auto type = GELF_ST_TYPE(symbol.info);
	return (type == STT_FUNC || type == STT_GNU_IFUNC) && symbol.bytes > 0 && symbol.section != SHN_UNDEF &&
	       symbol.section != SHN_ABS;
}

// base_of: what is added to a function's address; nothing: it is left out.
template <typename Visit>
std::vector<Symbol> functions_of(const ElfFile& file, std::uint32_t type, const Visit& base_of)
{
	const std::uint64_t thumb = file.arch() == Arch::arm ? 1 : 0;
	std::vector<Symbol> symbols;
	file.each_symbol(type, [&](const ElfSymbol& symbol) {
		// "memcpy@@GLIBC_2.14" → "memcpy"
		const std::string_view name = symbol.name.substr(0, symbol.name.find('@'));
		if (!is_function(symbol) || name.empty() || symbols.size() >= max_symbols)
			return;
		if (const std::optional<std::uint64_t> base = base_of(symbol))
			symbols.push_back(
				{*base + (symbol.value & ~thumb), symbol.bytes, binding_of(symbol), std::string(name)});
	});
	return symbols;
}

} // namespace

std::vector<Symbol> functions_in(const ElfFile& file, std::uint32_t type)
{
	return functions_of(file, type, [](const ElfSymbol&) { return std::optional<std::uint64_t>(0); });
}

std::vector<Symbol> functions_in(const ElfFile& file, const std::vector<std::uint64_t>& sections)
{
	return functions_of(file, SHT_SYMTAB, [&](const ElfSymbol& symbol) {
		return symbol.section < sections.size() && sections[symbol.section]
			       ? std::optional(sections[symbol.section])
			       : std::nullopt;
	});
}

// Functions of a real table have names of their own: together these are no longer than the table.
std::vector<Symbol> go_functions_in(const ElfFile& file)
{
	std::vector<Symbol> symbols;
	const auto table = go_table(file);
	if (!table)
		return symbols;
	std::size_t left = table->bytes;
	for (const GoFunction& function : table->functions) {
		if (function.name.empty() || function.name.size() > left || symbols.size() >= max_symbols)
			continue;
		left -= function.name.size();
		symbols.push_back(
			{function.start, function.end - function.start, Binding::local, std::string(function.name)});
	}
	return symbols;
}

} // namespace uwind

// SPDX-License-Identifier: GPL-2.0
// The names of a file's functions.
#include "objects/names.h"

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

} // namespace

std::vector<Symbol> functions_in(const ElfFile& file, std::uint32_t type)
{
	const std::uint64_t thumb = file.arch() == Arch::arm ? 1 : 0;
	std::vector<Symbol> symbols;
	file.each_symbol(type, [&](const ElfSymbol& symbol) {
		// "memcpy@@GLIBC_2.14" → "memcpy"
		const std::string_view name = symbol.name.substr(0, symbol.name.find('@'));
		if (is_function(symbol) && !name.empty() && symbols.size() < max_symbols)
			symbols.push_back({symbol.value & ~thumb, symbol.bytes, binding_of(symbol), std::string(name)});
	});
	return symbols;
}

} // namespace uwind

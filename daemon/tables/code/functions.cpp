// SPDX-License-Identifier: GPL-2.0
// What symbols and relocations say about code.
#include "tables/code/functions.h"

#include "elf/segments.h"
#include "elf/symbols.h"

#include <algorithm>
#include <gelf.h>

namespace uwind {
namespace {

// What compilers split off: its frame is that of the jump there.
bool is_split_off(std::string_view name)
{
	return name.find(".cold") != std::string_view::npos;
}

bool is_defined_function(const ElfSymbol& symbol)
{
	return GELF_ST_TYPE(symbol.info) == STT_FUNC && symbol.section != SHN_UNDEF;
}

// What a program was stripped of may be in .gnu_debugdata.
const std::vector<ElfSymbol>& symbols_of(const ElfFile& file, std::uint32_t type)
{
	const std::vector<ElfSymbol>& own = file.symbols(type);
	const ElfFile* const packed = type == SHT_SYMTAB && own.empty() ? file.packed_debug_file() : nullptr;
	return packed ? packed->symbols(type) : own;
}

// Those of .symtab come first.
template <typename Visit>
void each_function(const ElfFile& file, const Visit& visit)
{
	for (const std::uint32_t type : {SHT_SYMTAB, SHT_DYNSYM})
		for (const ElfSymbol& symbol : symbols_of(file, type))
			if (is_defined_function(symbol))
				visit(symbol);
}

void sort_once(std::vector<std::uint64_t>& addresses)
{
	std::sort(addresses.begin(), addresses.end());
	addresses.erase(std::unique(addresses.begin(), addresses.end()), addresses.end());
}

// Words of a file, most of which lie near the one before.
class NearWords {
public:
	explicit NearWords(const ElfFile& file) : file_(file) {}
	std::optional<std::uint32_t> at(std::uint64_t address)
	{
		if (address < start_ || address - start_ + word_bytes > piece_.size())
			read_around(address);
		ByteCursor cursor(piece_, address - start_);
		const std::uint32_t word = cursor.u32();
		return cursor.ok() ? std::optional(word) : std::nullopt;
	}

private:
	static constexpr std::uint64_t word_bytes = 4, piece_bytes = 4096;

	void read_around(std::uint64_t address);

	const ElfFile& file_;
	std::uint64_t start_ = 0;
	Bytes piece_;
};

// A word across the end of a piece is read alone.
void NearWords::read_around(std::uint64_t address)
{
	const Segment* const segment = find_segment(file_.loads(), address, word_bytes);
	start_ = address;
	if (segment)
		start_ -= (address - segment->address) % piece_bytes;
	piece_ = file_.read(start_, piece_bytes);
	if (address - start_ + word_bytes <= piece_.size())
		return;
	start_ = address;
	piece_ = file_.read(address, word_bytes);
}

// Of a function's address that is called through memory.
bool is_slot(Arch arch, std::uint32_t type)
{
	switch (arch) {
	case Arch::x86_64:
		return type == R_X86_64_JUMP_SLOT || type == R_X86_64_GLOB_DAT;
	case Arch::i386:
		return type == R_386_JMP_SLOT || type == R_386_GLOB_DAT;
	case Arch::arm:
		return type == R_ARM_JUMP_SLOT || type == R_ARM_GLOB_DAT;
	default:
		return false;
	}
}

} // namespace

std::vector<std::uint64_t> function_starts(const ElfFile& file)
{
	std::vector<std::uint64_t> addresses;
	each_function(file, [&](const ElfSymbol& symbol) {
		if (!is_split_off(symbol.name))
			addresses.push_back(symbol.value);
	});
	if (file.arch() == Arch::arm && file.entry())
		addresses.push_back(file.raw_entry());
	std::sort(addresses.begin(), addresses.end());
	return addresses;
}

std::vector<CodeFunction> function_extents(const ElfFile& file)
{
	std::vector<CodeFunction> extents;
	each_function(file, [&](const ElfSymbol& symbol) {
		extents.push_back({symbol.value, symbol.bytes, true, !is_split_off(symbol.name)});
	});
	return extents;
}

std::vector<std::uint64_t> functions_named(const ElfFile& file, std::span<const std::string_view> names)
{
	std::vector<std::uint64_t> addresses;
	std::size_t longest = 0; // those of C++ are longer, mostly
	for (const std::string_view name : names)
		longest = std::max(longest, name.size());
	each_function(file, [&](const ElfSymbol& symbol) {
		if (symbol.name.size() <= longest && !is_split_off(symbol.name) &&
		    std::binary_search(names.begin(), names.end(), symbol.name))
			addresses.push_back(symbol.value);
	});
	sort_once(addresses);
	return addresses;
}

std::vector<std::uint64_t> functions_named(const ElfFile& file, std::string_view name)
{
	return functions_named(file, std::span(&name, 1));
}

std::vector<std::uint64_t> start_and_end_code(const ElfFile& file)
{
	std::vector<std::uint64_t> addresses;
	for (const ElfDynamic& entry : file.dynamic())
		if ((entry.tag == DT_INIT || entry.tag == DT_FINI) &&
		    find_segment(file.segments(), entry.value & ~std::uint64_t{1}, 1))
			addresses.push_back(entry.value);
	if (addresses.empty() && file.arch() != Arch::arm) // nothing says whether its sections are Thumb code
		for (const char* name : {".init", ".fini"})
			if (const auto address = file.section_address(name))
				addresses.push_back(*address);
	return addresses;
}

std::vector<std::uint64_t> code_pointers(const ElfFile& file)
{
	std::vector<std::uint64_t> addresses;
	NearWords words(file);
	if (file.arch() != Arch::arm)
		return addresses;
	each_relocation(file, [&](const ElfRelocation& relocation) {
		const auto value = relocation.type == R_ARM_RELATIVE ? words.at(relocation.address) : std::nullopt;
		if (value && find_segment(file.segments(), *value & ~1u, 2))
			addresses.push_back(*value);
	});
	sort_once(addresses);
	return addresses;
}

std::uint64_t symbol_bytes(const ElfFile& file, std::uint64_t address)
{
	const std::uint64_t bit = file.arch() == Arch::arm ? 1 : 0;
	for (const std::uint32_t type : {SHT_SYMTAB, SHT_DYNSYM})
		for (const ElfSymbol& symbol : symbols_of(file, type))
			if ((symbol.value & ~bit) == address && symbol.bytes)
				return symbol.bytes;
	return 0;
}

std::optional<std::uint64_t> relocated_address(const ElfFile& file, std::uint64_t place)
{
	const std::uint32_t type = file.arch() == Arch::arm64 ? R_AARCH64_RELATIVE : R_X86_64_RELATIVE;
	if (word_bytes(file.arch()) != 8)
		return {};
	std::optional<std::uint64_t> result;
	each_relocation(file, [&](const ElfRelocation& relocation) {
		if (!result && relocation.address == place && relocation.type == type)
			result = relocation.addend;
	});
	return result;
}

std::map<std::uint64_t, std::string> imports(const ElfFile& file)
{
	std::map<std::uint64_t, std::string> result;
	const std::vector<ElfSymbol>& names = file.symbols(SHT_DYNSYM);
	each_relocation(file, [&](const ElfRelocation& relocation) {
		if (is_slot(file.arch(), relocation.type) && relocation.symbol < names.size())
			result[relocation.address] = names[relocation.symbol].name;
	});
	return result;
}

} // namespace uwind

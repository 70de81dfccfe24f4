// SPDX-License-Identifier: GPL-2.0
// What symbols and relocations say about code.
#include "tables/elf_file.h"

#include "tables/segments.h"

#include <algorithm>
#include <gelf.h>

namespace uwind {
namespace {

constexpr std::uint64_t max_symbol_bytes = 64 << 20;

std::string_view name_at(Bytes names, std::uint32_t at)
{
	if (at >= names.size())
		return {};
	const std::string_view rest(reinterpret_cast<const char*>(names.data()) + at, names.size() - at);
	return rest.substr(0, std::min(rest.find('\0'), rest.size()));
}

// What compilers split off: its frame is that of the jump there.
bool is_split_off(std::string_view name)
{
	return name.find(".cold") != std::string_view::npos;
}

} // namespace

std::uint64_t ElfFile::symbol_bytes(std::uint64_t address) const
{
	const std::uint64_t bit = arch_ == Arch::arm ? 1 : 0;
	for (const std::uint32_t type : {SHT_SYMTAB, SHT_DYNSYM})
		for (const RawSymbol& symbol : symbols(type))
			if ((symbol.value & ~bit) == address && symbol.bytes)
				return symbol.bytes;
	return 0;
}

// Of the first table of that type; what a program was stripped of may be in .gnu_debugdata.
std::vector<ElfFile::RawSymbol> ElfFile::symbols(std::uint32_t type) const
{
	std::vector<RawSymbol> result;
	const auto header =
		std::find_if(headers_.begin(), headers_.end(), [&](const Header& at) { return at.type == type; });
	if (header == headers_.end() && type == SHT_SYMTAB && packed_debug_file())
		return packed_->symbols(type);
	if (header == headers_.end() || header->bytes > max_symbol_bytes)
		return result;
	const Result<Bytes> bytes = chunk(header->offset, header->bytes, header->name);
	// Section number 0 has no header here.
	const Header* const strings =
		header->link && header->link <= headers_.size() ? &headers_[header->link - 1] : nullptr;
	const Result<Bytes> names =
		strings ? chunk(strings->offset, strings->bytes, strings->name) : Result<Bytes>(Bytes{});
	const bool narrow = word_bytes(arch_) == 4;
	const std::size_t entry = narrow ? sizeof(Elf32_Sym) : sizeof(Elf64_Sym);
	for (ByteCursor cursor(bytes ? *bytes : Bytes{}); cursor.left() >= entry;) {
		RawSymbol symbol{};
		symbol.name = name_at(names ? *names : Bytes{}, cursor.u32());
		if (narrow) {
			symbol.value = cursor.u32();
			symbol.bytes = cursor.u32();
		}
		symbol.info = cursor.u8();
		cursor.skip(1); // other
		symbol.section = cursor.u16();
		if (!narrow) {
			symbol.value = cursor.u64();
			symbol.bytes = cursor.u64();
		}
		result.push_back(symbol);
	}
	return result;
}

std::vector<ElfFile::RawSymbol> ElfFile::defined_functions() const
{
	std::vector<RawSymbol> result;
	for (const std::uint32_t type : {SHT_SYMTAB, SHT_DYNSYM})
		for (const RawSymbol& symbol : symbols(type))
			if (ELF64_ST_TYPE(symbol.info) == STT_FUNC && symbol.section != SHN_UNDEF &&
			    !is_split_off(symbol.name))
				result.push_back(symbol);
	return result;
}

std::vector<std::uint64_t> ElfFile::functions_named(std::span<const std::string_view> names) const
{
	std::vector<std::uint64_t> addresses;
	for (const RawSymbol& symbol : defined_functions())
		if (std::binary_search(names.begin(), names.end(), symbol.name))
			addresses.push_back(symbol.value);
	std::sort(addresses.begin(), addresses.end());
	addresses.erase(std::unique(addresses.begin(), addresses.end()), addresses.end());
	return addresses;
}

std::vector<std::uint64_t> ElfFile::functions() const
{
	std::vector<std::uint64_t> addresses;
	for (const RawSymbol& symbol : defined_functions())
		addresses.push_back(symbol.value);
	if (arch_ == Arch::arm && entry_)
		addresses.push_back(raw_entry_);
	std::sort(addresses.begin(), addresses.end());
	return addresses;
}

std::vector<std::uint64_t> ElfFile::start_and_end_code() const
{
	std::vector<std::uint64_t> addresses;
	const Result<Bytes> bytes =
		dynamic_ ? chunk(dynamic_->offset, dynamic_->bytes, "dynamic section") : Result<Bytes>(Bytes{});
	const unsigned word = word_bytes(arch_);
	for (ByteCursor cursor(bytes ? *bytes : Bytes{}); cursor.left() >= 2 * word;) {
		const std::uint64_t tag = word == 4 ? cursor.u32() : cursor.u64();
		const std::uint64_t value = word == 4 ? cursor.u32() : cursor.u64();
		if ((tag == DT_INIT || tag == DT_FINI) && find_segment(segments_, value & ~std::uint64_t{1}, 1))
			addresses.push_back(value);
	}
	if (addresses.empty() && arch_ != Arch::arm) // of its sections nobody says whether they are Thumb code
		for (const char* name : {".init", ".fini"})
			if (const auto address = section_address(name))
				addresses.push_back(*address);
	return addresses;
}

std::vector<CodeFunction> ElfFile::function_extents() const
{
	std::vector<CodeFunction> functions;
	for (const std::uint32_t type : {SHT_SYMTAB, SHT_DYNSYM})
		for (const RawSymbol& symbol : symbols(type))
			if (ELF64_ST_TYPE(symbol.info) == STT_FUNC && symbol.section != SHN_UNDEF)
				functions.push_back({symbol.value, symbol.bytes, true, !is_split_off(symbol.name)});
	return functions;
}

// On 32-bit machines addends are in place (AAELF32, 5.6.1), and are not read here.
std::vector<ElfFile::Relocation> ElfFile::relocations() const
{
	std::vector<Relocation> result;
	const bool narrow = word_bytes(arch_) == 4;
	const std::uint32_t type = narrow ? SHT_REL : SHT_RELA;
	const std::size_t entry = narrow ? sizeof(Elf32_Rel) : sizeof(Elf64_Rela);
	for (const Header& header : headers_) {
		if (header.type != type || !header.loaded || header.bytes > max_symbol_bytes)
			continue;
		const Result<Bytes> bytes = chunk(header.offset, header.bytes, header.name);
		for (ByteCursor cursor(bytes ? *bytes : Bytes{}); cursor.left() >= entry;) {
			const std::uint64_t address = narrow ? cursor.u32() : cursor.u64();
			const std::uint64_t info = narrow ? cursor.u32() : cursor.u64();
			const std::uint64_t addend = narrow ? 0 : cursor.u64();
			const unsigned symbol_shift = narrow ? 8 : 32;
			const auto type_number = static_cast<std::uint32_t>(narrow ? info & 0xff : info);
			result.push_back(
				{address, addend, type_number, static_cast<std::uint32_t>(info >> symbol_shift)});
		}
	}
	return result;
}

std::optional<std::uint64_t> ElfFile::relocated_address(std::uint64_t place) const
{
	const std::uint32_t type = arch_ == Arch::arm64 ? R_AARCH64_RELATIVE : R_X86_64_RELATIVE;
	for (const Relocation& relocation : word_bytes(arch_) == 8 ? relocations() : std::vector<Relocation>{})
		if (relocation.address == place && relocation.type == type)
			return relocation.addend;
	return {};
}

// Of a function's address that is called through memory.
bool ElfFile::is_slot(std::uint32_t type) const
{
	switch (arch_) {
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

std::vector<std::uint64_t> ElfFile::code_pointers() const
{
	std::vector<std::uint64_t> addresses;
	for (const Relocation& relocation : arch_ == Arch::arm ? relocations() : std::vector<Relocation>{}) {
		ByteCursor cursor(relocation.type == R_ARM_RELATIVE ? read(relocation.address, 4) : Bytes{});
		const std::uint32_t value = cursor.u32();
		if (cursor.ok() && find_segment(segments_, value & ~1u, 2))
			addresses.push_back(value);
	}
	std::sort(addresses.begin(), addresses.end());
	addresses.erase(std::unique(addresses.begin(), addresses.end()), addresses.end());
	return addresses;
}

std::map<std::uint64_t, std::string> ElfFile::imports() const
{
	std::map<std::uint64_t, std::string> result;
	const std::vector<RawSymbol> names = symbols(SHT_DYNSYM);
	for (const Relocation& relocation : relocations())
		if (is_slot(relocation.type) && relocation.symbol < names.size())
			result[relocation.address] = names[relocation.symbol].name;
	return result;
}

} // namespace uwind

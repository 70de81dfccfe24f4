// SPDX-License-Identifier: GPL-2.0
// Symbols, relocations and the dynamic section, through libelf.
#include "elf/file.h"

#include <algorithm>

namespace uwind {
namespace {

constexpr std::uint64_t max_table_bytes = 64 << 20;

std::string_view name_at(Bytes names, std::uint32_t at)
{
	if (at >= names.size())
		return {};
	const std::string_view rest(reinterpret_cast<const char*>(names.data()) + at, names.size() - at);
	return rest.substr(0, std::min(rest.find('\0'), rest.size()));
}

} // namespace

const ElfFile::Header* ElfFile::symbol_table(std::uint32_t type) const
{
	const auto header =
		std::find_if(headers_.begin(), headers_.end(), [&](const Header& at) { return at.type == type; });
	return header == headers_.end() ? nullptr : &*header;
}

const std::vector<ElfSymbol>& ElfFile::symbols(std::uint32_t type) const
{
	const Header* const header = symbol_table(type);
	if (!header && type == SHT_SYMTAB && packed_debug_file())
		return packed_->symbols(type);
	const auto [known, is_new] = symbols_.try_emplace(type);
	if (is_new && header && header->bytes <= max_table_bytes)
		known->second = read_symbols(*header);
	return known->second;
}

std::vector<ElfSymbol> ElfFile::read_symbols(const Header& header) const
{
	std::vector<ElfSymbol> result;
	Elf_Data* const data = typed(header.offset, header.bytes, ELF_T_SYM);
	// Section number 0 has no header here.
	const Header* const strings =
		header.link && header.link <= headers_.size() ? &headers_[header.link - 1] : nullptr;
	const Result<Bytes> names =
		strings ? chunk(strings->offset, strings->bytes, strings->name) : Result<Bytes>(Bytes{});
	GElf_Sym symbol;
	for (int i = 0; data && gelf_getsym(data, i, &symbol); i++)
		result.push_back({name_at(names ? *names : Bytes{}, symbol.st_name), symbol.st_value, symbol.st_size,
				  symbol.st_info, symbol.st_shndx});
	return result;
}

std::vector<ElfRelocation> ElfFile::relocations() const
{
	std::vector<ElfRelocation> result;
	const bool narrow = word_bytes(arch_) == 4;
	for (const Header& header : headers_) {
		if (header.type != (narrow ? SHT_REL : SHT_RELA) || !header.loaded || header.bytes > max_table_bytes)
			continue;
		Elf_Data* const data = typed(header.offset, header.bytes, narrow ? ELF_T_REL : ELF_T_RELA);
		GElf_Rela full{};
		GElf_Rel brief;
		for (int i = 0; data && (narrow ? !!gelf_getrel(data, i, &brief) : !!gelf_getrela(data, i, &full));
		     i++) {
			if (narrow)
				full = {brief.r_offset, brief.r_info, 0};
			result.push_back({full.r_offset, static_cast<std::uint64_t>(full.r_addend),
					  static_cast<std::uint32_t>(GELF_R_TYPE(full.r_info)),
					  static_cast<std::uint32_t>(GELF_R_SYM(full.r_info))});
		}
	}
	return result;
}

std::vector<ElfDynamic> ElfFile::dynamic() const
{
	std::vector<ElfDynamic> result;
	Elf_Data* const data = dynamic_ ? typed(dynamic_->offset, dynamic_->bytes, ELF_T_DYN) : nullptr;
	GElf_Dyn entry;
	for (int i = 0; data && gelf_getdyn(data, i, &entry) && entry.d_tag != DT_NULL; i++)
		result.push_back({entry.d_tag, entry.d_un.d_val});
	return result;
}

} // namespace uwind

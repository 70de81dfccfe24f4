// SPDX-License-Identifier: GPL-2.0
// Symbols, relocations and the dynamic section, through libelf.
#include "elf/symbols.h"

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

// The first section of that type; null: none.
const ElfHeader* symbol_table(const ElfFile& file, std::uint32_t type)
{
	const auto& headers = file.headers();
	const auto header =
		std::find_if(headers.begin(), headers.end(), [&](const ElfHeader& at) { return at.type == type; });
	return header == headers.end() ? nullptr : &*header;
}

} // namespace

void ElfFile::each_symbol(std::uint32_t type, const std::function<void(const ElfSymbol&)>& visit) const
{
	const ElfHeader* const header = symbol_table(*this, type);
	Elf_Data* const data = header ? image_.table(header->offset, header->bytes, ELF_T_SYM) : nullptr;
	// Section number 0 has no header in sections().
	const ElfHeader* const strings =
		header && header->link && header->link <= headers_.size() ? &headers_[header->link - 1] : nullptr;
	const Result<Bytes> found =
		strings ? image_.chunk(strings->offset, strings->bytes, strings->name) : Result<Bytes>(Bytes{});
	const Bytes names = found ? *found : Bytes{};
	GElf_Sym symbol;
	for (int i = 0; data && gelf_getsym(data, i, &symbol); i++)
		visit({name_at(names, symbol.st_name), symbol.st_value, symbol.st_size, symbol.st_info,
		       symbol.st_shndx});
}

const std::vector<ElfSymbol>& ElfFile::symbols(std::uint32_t type) const
{
	const auto [known, is_new] = symbols_.try_emplace(type);
	const ElfHeader* const header = is_new ? symbol_table(*this, type) : nullptr;
	if (header && header->bytes <= max_table_bytes)
		each_symbol(type, [&list = known->second](const ElfSymbol& symbol) { list.push_back(symbol); });
	return known->second;
}

namespace {

// libelf has converted them.
template <typename Entry, typename Visit>
void each_entry(const Elf_Data& data, const Visit& visit)
{
	const auto* const entries = static_cast<const Entry*>(data.d_buf);
	for (std::size_t i = 0; i < data.d_size / sizeof(Entry); i++)
		visit(entries[i]);
}

} // namespace

void each_relocation(const ElfFile& file, const std::function<void(const ElfRelocation&)>& visit)
{
	const bool narrow = file.image().is_narrow();
	for (const ElfHeader& header : file.headers()) {
		if (header.type != (narrow ? SHT_REL : SHT_RELA) || !header.loaded || header.bytes > max_table_bytes)
			continue;
		const Elf_Data* const data =
			file.image().table(header.offset, header.bytes, narrow ? ELF_T_REL : ELF_T_RELA);
		if (data && narrow)
			each_entry<Elf32_Rel>(*data, [&](const Elf32_Rel& entry) {
				visit({entry.r_offset, 0, ELF32_R_TYPE(entry.r_info), ELF32_R_SYM(entry.r_info)});
			});
		else if (data)
			each_entry<Elf64_Rela>(*data, [&](const Elf64_Rela& entry) {
				visit({entry.r_offset, static_cast<std::uint64_t>(entry.r_addend),
				       static_cast<std::uint32_t>(ELF64_R_TYPE(entry.r_info)),
				       static_cast<std::uint32_t>(ELF64_R_SYM(entry.r_info))});
			});
	}
}

std::vector<ElfDynamic> ElfFile::dynamic() const
{
	std::vector<ElfDynamic> result;
	const ElfHeader* const section = program(PT_DYNAMIC);
	Elf_Data* const data = section ? image_.table(section->offset, section->bytes, ELF_T_DYN) : nullptr;
	GElf_Dyn entry;
	for (int i = 0; data && gelf_getdyn(data, i, &entry) && entry.d_tag != DT_NULL; i++)
		result.push_back({entry.d_tag, entry.d_un.d_val});
	return result;
}

} // namespace uwind

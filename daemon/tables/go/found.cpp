// SPDX-License-Identifier: GPL-2.0
// The table of Go's functions in a program's file.
#include "tables/go/found.h"

#include "tables/code/functions.h"

namespace uwind {
namespace {

// An external linker puts the table of a program that may lie anywhere among other data.
std::optional<ElfSection> table_among_data(const ElfFile& file)
{
	constexpr std::size_t alignment = 32;
	if (!file.section_address(".go.buildinfo"))
		return {};
	const ElfFile::Found data = file.section(".data.rel.ro");
	if (!data || !*data)
		return {};
	const unsigned word = word_bytes(file.arch());
	ElfSection table = **data;
	const std::size_t aligned = (alignment - table.address % alignment) % alignment;
	for (std::size_t at = aligned; at < (*data)->bytes.size(); at += alignment) {
		table.bytes = (*data)->bytes.subspan(at);
		if (!is_go_table(table.bytes, word))
			continue;
		table.address += at;
		return table;
	}
	return {};
}

std::optional<ElfSection> table_of(const ElfFile& file)
{
	for (const char* name : {".gopclntab", ".data.rel.ro.gopclntab"}) {
		const ElfFile::Found section = file.section(name);
		if (section && *section)
			return **section;
	}
	return table_among_data(file);
}

} // namespace

std::optional<GoTable> go_table(const ElfFile& file)
{
	const std::optional<ElfSection> section = table_of(file);
	if (!section)
		return {};
	const unsigned word = word_bytes(file.arch());
	const std::uint64_t at = section->address + go_text(section->bytes, word).at;
	const std::uint64_t text = relocated_address(file, at).value_or(file.section_address(".text").value_or(0));
	Result<GoTable> table = read_go_table(section->bytes, word, text);
	return table ? std::optional(std::move(*table)) : std::nullopt;
}

} // namespace uwind

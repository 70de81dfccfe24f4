// SPDX-License-Identifier: GPL-2.0
// ELF files read through libelf.
#include "io/elf_objects.h"

#include <cerrno>
#include <cstring>
#include <unistd.h>

#include "io/debug_file.h"
#include "io/elf_reading.h"

namespace uwind {
namespace {

constexpr std::size_t max_symbols = 8u << 20;
constexpr std::uint64_t max_table_bytes = 512u << 20;
constexpr std::size_t max_needed = 1024;

std::string interpreter_at(Elf* elf, const GElf_Phdr& segment)
{
	const auto* data =
		elf_getdata_rawchunk(elf, static_cast<std::int64_t>(segment.p_offset), segment.p_filesz, ELF_T_BYTE);
	if (!data || !data->d_buf)
		return "";
	const auto* text = static_cast<const char*>(data->d_buf);
	return std::string(text, strnlen(text, data->d_size));
}

void read_segments(Elf* elf, ObjectFacts& facts)
{
	std::size_t count = 0;
	GElf_Phdr segment{};
	elf_getphdrnum(elf, &count);
	for (std::size_t i = 0; i < count && gelf_getphdr(elf, static_cast<int>(i), &segment); i++) {
		if (segment.p_type == PT_LOAD)
			facts.segments.push_back({segment.p_vaddr, segment.p_filesz, segment.p_offset});
		else if (segment.p_type == PT_INTERP)
			facts.interpreter = interpreter_at(elf, segment);
	}
}

void read_dynamic(Elf* elf, ObjectFacts& facts)
{
	const FoundSection found = find_section(elf, SHT_DYNAMIC);
	Elf_Data* data = found.section ? elf_getdata(found.section, nullptr) : nullptr;
	GElf_Dyn entry{};
	for (int i = 0; data && gelf_getdyn(data, i, &entry) && entry.d_tag != DT_NULL; i++) {
		const bool needed = entry.d_tag == DT_NEEDED;
		if (!needed && entry.d_tag != DT_RPATH && entry.d_tag != DT_RUNPATH)
			continue;
		const char* text = elf_strptr(elf, found.header.sh_link, entry.d_un.d_val);
		auto& list = needed ? facts.needed : facts.library_folders;
		if (text && list.size() < max_needed)
			list.emplace_back(text);
	}
}

Binding binding_of(const GElf_Sym& symbol)
{
	switch (GELF_ST_BIND(symbol.st_info)) {
	case STB_LOCAL:
		return Binding::local;
	case STB_WEAK:
		return Binding::weak;
	default:
		return Binding::global;
	}
}

bool is_function(const GElf_Sym& symbol)
{
	const auto type = GELF_ST_TYPE(symbol.st_info);
	return (type == STT_FUNC || type == STT_GNU_IFUNC) && symbol.st_size > 0 && symbol.st_shndx != SHN_UNDEF &&
	       symbol.st_shndx != SHN_ABS;
}

// "memcpy@@GLIBC_2.14" → "memcpy"
std::string without_version(const char* name)
{
	return std::string(name, std::strcspn(name, "@"));
}

std::vector<Symbol> functions_in(Elf* elf, const FoundSection& found)
{
	std::vector<Symbol> symbols;
	if (found.header.sh_size > max_table_bytes)
		return symbols;
	Elf_Data* data = elf_getdata(found.section, nullptr);
	GElf_Ehdr header{};
	if (!data || !gelf_getehdr(elf, &header))
		return symbols;
	GElf_Sym symbol{};
	for (int i = 0; symbols.size() < max_symbols && gelf_getsym(data, i, &symbol); i++) {
		const char* name =
			is_function(symbol) ? elf_strptr(elf, found.header.sh_link, symbol.st_name) : nullptr;
		if (!name || !*name || *name == '@')
			continue;
		if (header.e_machine == EM_ARM)
			symbol.st_value &= ~GElf_Addr(1); // set for Thumb code
		symbols.push_back({symbol.st_value, symbol.st_size, binding_of(symbol), without_version(name)});
	}
	return symbols;
}

std::vector<Symbol> functions_of_type(Elf* elf, GElf_Word type)
{
	const FoundSection table = find_section(elf, type);
	return table.section ? functions_in(elf, table) : std::vector<Symbol>();
}

// "#! /bin/sh -e" → "/bin/sh"; "" if the file is no script.
std::string script_interpreter(int fd)
{
	char line[256] = "";
	const ssize_t length = ::pread(fd, line, sizeof(line) - 1, 0);
	if (length < 2 || std::memcmp(line, "#!", 2) != 0)
		return "";
	const char* name = line + 2 + std::strspn(line + 2, " \t");
	return std::string(name, std::strcspn(name, " \t\r\n"));
}

} // namespace

Result<ObjectFacts> ElfObjects::facts(int fd)
{
	const auto elf = open_elf(fd);
	if (!elf) {
		ObjectFacts script;
		script.interpreter = script_interpreter(fd);
		return script.interpreter.empty() ? Result<ObjectFacts>(elf.error()) : script;
	}
	GElf_Ehdr header{};
	if (!gelf_getehdr(elf->get(), &header))
		return Error{ENOEXEC, "bad ELF header"};
	ObjectFacts facts;
	facts.arch = arch_of_machine(header.e_machine);
	facts.entry = header.e_machine == EM_ARM ? header.e_entry & ~GElf_Addr(1) : header.e_entry;
	facts.build_id = build_id_of(elf->get());
	read_segments(elf->get(), facts);
	read_dynamic(elf->get(), facts);
	return facts;
}

// The file's own .symtab may have been stripped of all functions but a few: it counts
// if it names any, as for nm(1) and gdb(1).
Result<Functions> ElfObjects::functions(int fd, const std::string& path)
{
	const auto elf = open_elf(fd);
	if (!elf)
		return elf.error();
	Functions result;
	result.symbols = functions_of_type(elf->get(), SHT_SYMTAB);
	if (!result.symbols.empty())
		return result;
	const DebugFile debug = find_debug_file(elf->get(), {path, debug_folder_});
	if (debug.elf)
		result.symbols = functions_of_type(debug.elf.get(), SHT_SYMTAB);
	else
		result.refused = debug.refused;
	if (result.symbols.empty())
		result.symbols = functions_of_type(elf->get(), SHT_DYNSYM);
	return result;
}

} // namespace uwind

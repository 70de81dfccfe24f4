// SPDX-License-Identifier: GPL-2.0
// ELF files read through libelf. Files are read with pread(), never mapped: a
// file that somebody truncates meanwhile must not kill the reader.
#include "io/elf_objects.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <memory>
#include <unistd.h>

#include "base/handle.h"

namespace uwind {
namespace {

constexpr std::size_t max_symbols = 8u << 20;
constexpr std::size_t max_needed = 1024;

using ElfHandle = std::unique_ptr<Elf, FreeWith<&elf_end>>;

Result<ElfHandle> open_elf(int fd)
{
	static const unsigned version = elf_version(EV_CURRENT);
	if (version == EV_NONE)
		return Error{EPROTONOSUPPORT, "libelf is too old"};
	ElfHandle elf(elf_begin(fd, ELF_C_READ, nullptr));
	if (!elf || elf_kind(elf.get()) != ELF_K_ELF)
		return Error{ENOEXEC, "not an ELF file"};
	return elf;
}

struct FoundSection {
	Elf_Scn* section = nullptr;
	GElf_Shdr header{};
};

FoundSection find_section(Elf* elf, GElf_Word type)
{
	FoundSection found;
	while ((found.section = elf_nextscn(elf, found.section)))
		if (gelf_getshdr(found.section, &found.header) && found.header.sh_type == type)
			return found;
	return {};
}

std::string hex_text(const std::uint8_t* bytes, std::size_t length)
{
	constexpr char digits[] = "0123456789abcdef";
	std::string text;
	for (std::size_t i = 0; i < length; i++) {
		text += digits[bytes[i] >> 4];
		text += digits[bytes[i] & 15];
	}
	return text;
}

std::string build_id_in(Elf_Data* notes)
{
	GElf_Nhdr note{};
	std::size_t offset = 0, name = 0, description = 0;
	while (notes && (offset = gelf_getnote(notes, offset, &note, &name, &description)) > 0) {
		const auto* bytes = static_cast<const std::uint8_t*>(notes->d_buf);
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && note.n_descsz <= 64 &&
		    !std::memcmp(bytes + name, "GNU", 4))
			return hex_text(bytes + description, note.n_descsz);
	}
	return "";
}

std::string build_id_of(Elf* elf)
{
	std::size_t count = 0;
	GElf_Phdr segment{};
	elf_getphdrnum(elf, &count);
	for (std::size_t i = 0; i < count; i++) {
		if (!gelf_getphdr(elf, static_cast<int>(i), &segment) || segment.p_type != PT_NOTE)
			continue;
		auto* notes = elf_getdata_rawchunk(elf, static_cast<std::int64_t>(segment.p_offset), segment.p_filesz,
						   segment.p_align == 8 ? ELF_T_NHDR8 : ELF_T_NHDR);
		if (auto id = build_id_in(notes); !id.empty())
			return id;
	}
	return "";
}

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

UniqueFd open_debug_file(const std::string& build_id)
{
	if (build_id.size() < 4)
		return UniqueFd();
	const std::string path =
		"/usr/lib/debug/.build-id/" + build_id.substr(0, 2) + "/" + build_id.substr(2) + ".debug";
	return UniqueFd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
}

std::vector<Symbol> functions_of_debug_file(const std::string& build_id)
{
	const UniqueFd fd = open_debug_file(build_id);
	if (!fd)
		return {};
	const auto elf = open_elf(fd.get());
	if (!elf)
		return {};
	const auto table = find_section(elf->get(), SHT_SYMTAB);
	return table.section ? functions_in(elf->get(), table) : std::vector<Symbol>();
}

// "#! /bin/sh -e" → "/bin/sh"; "" if the file is no script.
std::string script_interpreter(int fd)
{
	char line[256] = "";
	const ssize_t length = ::pread(fd, line, sizeof(line) - 1, 0);
	if (length < 2 || std::memcmp(line, "#!", 2))
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
	facts.entry = header.e_machine == EM_ARM ? header.e_entry & ~GElf_Addr(1) : header.e_entry;
	facts.build_id = build_id_of(elf->get());
	read_segments(elf->get(), facts);
	read_dynamic(elf->get(), facts);
	return facts;
}

Result<std::vector<Symbol>> ElfObjects::functions(int fd)
{
	const auto elf = open_elf(fd);
	if (!elf)
		return elf.error();
	if (const auto table = find_section(elf->get(), SHT_SYMTAB); table.section)
		return functions_in(elf->get(), table);
	if (auto symbols = functions_of_debug_file(build_id_of(elf->get())); !symbols.empty())
		return symbols;
	if (const auto table = find_section(elf->get(), SHT_DYNSYM); table.section)
		return functions_in(elf->get(), table);
	return std::vector<Symbol>();
}

} // namespace uwind

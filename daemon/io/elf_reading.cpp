// SPDX-License-Identifier: GPL-2.0
// What every reader of ELF files here needs. Files are read with pread(), never
// mapped: a file that somebody truncates meanwhile must not kill the reader.
#include "io/elf_reading.h"

#include <cerrno>
#include <cstring>

namespace uwind {

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

FoundSection find_section(Elf* elf, GElf_Word type)
{
	FoundSection found;
	while ((found.section = elf_nextscn(elf, found.section)))
		if (gelf_getshdr(found.section, &found.header) && found.header.sh_type == type)
			return found;
	return {};
}

FoundSection find_section(Elf* elf, const char* name)
{
	FoundSection found;
	std::size_t names = 0;
	if (elf_getshdrstrndx(elf, &names))
		return {};
	while ((found.section = elf_nextscn(elf, found.section))) {
		const char* is = gelf_getshdr(found.section, &found.header)
					 ? elf_strptr(elf, names, found.header.sh_name)
					 : nullptr;
		if (is && !std::strcmp(is, name))
			return found;
	}
	return {};
}

namespace {

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

} // namespace

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

} // namespace uwind

// SPDX-License-Identifier: GPL-2.0
#include "bench/lower/libdw.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <gelf.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <span>

#include "base/handle.h"
#include "bench/report.h"

namespace bench {
namespace {

using ElfHandle = std::unique_ptr<Elf, uwind::FreeWith<&elf_end>>;
using CfiHandle = std::unique_ptr<Dwarf_CFI, uwind::FreeWith<&dwarf_cfi_end>>;
using Words = std::span<const std::int32_t>;

constexpr std::uint8_t sorted_table = DW_EH_PE_datarel | DW_EH_PE_sdata4; // what linkers write

ElfHandle open_elf(int fd)
{
	elf_version(EV_CURRENT);
	ElfHandle elf(elf_begin(fd, ELF_C_READ_MMAP, nullptr));
	return elf && elf_kind(elf.get()) == ELF_K_ELF ? std::move(elf) : nullptr;
}

// .eh_frame_hdr's list of functions: pairs of words, of which the first is the function's start.
struct FunctionList {
	Words words;
	std::uint64_t base; // the address that they count from
};

std::optional<FunctionList> functions_of(Elf* elf)
{
	std::size_t nr = 0;
	elf_getphdrnum(elf, &nr);
	for (std::size_t i = 0; i < nr; i++) {
		GElf_Phdr header;
		if (!gelf_getphdr(elf, static_cast<int>(i), &header) || header.p_type != PT_GNU_EH_FRAME)
			continue;
		Elf_Data* const data = elf_getdata_rawchunk(elf, static_cast<std::int64_t>(header.p_offset),
							    header.p_filesz, ELF_T_BYTE);
		if (!data || data->d_size < 12)
			return std::nullopt;
		const auto* bytes = static_cast<const std::uint8_t*>(data->d_buf);
		const auto* words = static_cast<const std::int32_t*>(data->d_buf);
		const std::size_t functions = static_cast<std::uint32_t>(words[2]);
		if (bytes[3] != sorted_table || functions > (data->d_size - 12) / 8)
			return std::nullopt;
		return FunctionList{Words(words + 3, 2 * functions), header.p_vaddr};
	}
	return std::nullopt;
}

// What a walk needs of a row.
void ask(Dwarf_Frame* frame, bool is_x86)
{
	Dwarf_Op *ops, room[3];
	std::size_t nr;
	dwarf_frame_cfa(frame, &ops, &nr);
	keep(nr);
	for (int number : {is_x86 ? 16 : 30, is_x86 ? 6 : 29}) {
		dwarf_frame_register(frame, number, room, &ops, &nr);
		keep(nr);
	}
}

// Rows from start on, up to the function's end or limit.
std::uint64_t rows_from(Dwarf_CFI* cfi, std::uint64_t start, std::uint64_t limit, bool is_x86)
{
	std::uint64_t rows = 0;
	Dwarf_Frame* frame = nullptr;
	while (start < limit && !dwarf_cfi_addrframe(cfi, start, &frame)) {
		Dwarf_Addr from, end;
		bool signal;
		ask(frame, is_x86);
		dwarf_frame_info(frame, &from, &end, &signal);
		std::free(frame);
		rows++;
		if (end <= start)
			break;
		start = end;
	}
	return rows;
}

} // namespace

std::optional<std::uint64_t> libdw_rows(int fd)
{
	const ElfHandle elf = open_elf(fd);
	const auto list = elf ? functions_of(elf.get()) : std::nullopt;
	const CfiHandle cfi(list ? dwarf_getcfi_elf(elf.get()) : nullptr);
	GElf_Ehdr header;
	if (!cfi || !gelf_getehdr(elf.get(), &header))
		return std::nullopt;
	const bool is_x86 = header.e_machine == EM_X86_64;
	std::uint64_t rows = 0;
	for (std::size_t i = 0; i < list->words.size(); i += 2) {
		const auto address = [&](std::size_t at) {
			return list->base + static_cast<std::uint64_t>(std::int64_t{list->words[at]});
		};
		const bool last = i + 2 == list->words.size();
		rows += rows_from(cfi.get(), address(i), last ? UINT64_MAX : address(i + 2), is_x86);
	}
	return rows;
}

std::optional<std::uint64_t> libdw_entries(int fd)
{
	const ElfHandle elf = open_elf(fd);
	std::size_t names;
	GElf_Ehdr header;
	if (!elf || elf_getshdrstrndx(elf.get(), &names) || !gelf_getehdr(elf.get(), &header))
		return std::nullopt;
	for (Elf_Scn* section = nullptr; (section = elf_nextscn(elf.get(), section));) {
		GElf_Shdr found;
		const char* const name =
			gelf_getshdr(section, &found) ? elf_strptr(elf.get(), names, found.sh_name) : nullptr;
		if (!name || std::strcmp(name, ".eh_frame") != 0 || found.sh_type == SHT_NOBITS)
			continue;
		Elf_Data* const data = elf_getdata(section, nullptr);
		std::uint64_t entries = 0;
		Dwarf_CFI_Entry entry;
		for (Dwarf_Off at = 0, next; data && !dwarf_next_cfi(header.e_ident, data, true, at, &next, &entry);
		     at = next) {
			keep(entry);
			entries++;
		}
		return entries;
	}
	return std::nullopt;
}

} // namespace bench

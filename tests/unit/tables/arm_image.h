// SPDX-License-Identifier: GPL-2.0
// ELF images of 32-bit Arm with an exception index, written word by word for tests.
#pragma once

#include <cstdint>
#include <cstring>
#include <elf.h>
#include <string>
#include <vector>

namespace arm_image {

constexpr std::uint32_t base = 0x10000;       // address of file offset 0
constexpr std::uint32_t text_offset = 0x1000; // of the code
constexpr std::uint32_t text_address = base + text_offset;

inline std::uint32_t prel31(std::uint32_t from, std::uint32_t to)
{
	return (to - from) & 0x7fffffff;
}

// Code, then .ARM.extab, then .ARM.exidx.
class ArmImage {
public:
	explicit ArmImage(std::uint32_t text_bytes = 0x1000) : text_bytes_(text_bytes) {}

	// An index entry for the code from an offset into the text on.
	ArmImage& entry(std::uint32_t into, std::uint32_t second)
	{
		entries_.push_back({text_address + into, 0, second, no_table});
		return *this;
	}

	ArmImage& entry_with_table(std::uint32_t into, const std::vector<std::uint32_t>& words)
	{
		return entry_with_table_at(into, table_address(), words);
	}

	// With an offset to any address.
	ArmImage& entry_with_table_at(std::uint32_t into, std::uint32_t address,
				      const std::vector<std::uint32_t>& words = {})
	{
		entries_.push_back({text_address + into, 0, 0, address});
		tables_.insert(tables_.end(), words.begin(), words.end());
		return *this;
	}

	// The last entry's first word, with bits that should not be there.
	ArmImage& spoil_first(std::uint32_t bits)
	{
		entries_.back().spoiled = bits;
		return *this;
	}

	// Where the next table will lie.
	std::uint32_t table_address() const
	{
		return text_address + text_bytes_ + 4 * static_cast<std::uint32_t>(tables_.size());
	}

	std::uint32_t index_bytes_missing = 0;
	bool with_program = true; // PT_ARM_EXIDX

	std::vector<std::uint8_t> build() const
	{
		std::vector<std::uint8_t> file(text_offset + text_bytes_);
		append(file, tables_);
		const auto index_offset = static_cast<std::uint32_t>(file.size());
		append(file, index_words(base + index_offset));
		write_headers(file, index_offset);
		return file;
	}

private:
	static constexpr std::uint32_t no_table = 1; // no table lies there

	struct Entry {
		std::uint32_t start, spoiled, second, table;
	};

	static void append(std::vector<std::uint8_t>& file, const std::vector<std::uint32_t>& words)
	{
		const auto* bytes = reinterpret_cast<const std::uint8_t*>(words.data());
		file.insert(file.end(), bytes, bytes + 4 * words.size());
	}

	std::vector<std::uint32_t> index_words(std::uint32_t place) const
	{
		std::vector<std::uint32_t> words;
		for (const Entry& entry : entries_) {
			words.push_back(prel31(place, entry.start) | entry.spoiled);
			words.push_back(entry.table == no_table ? entry.second : prel31(place + 4, entry.table));
			place += 8;
		}
		return words;
	}

	void write_headers(std::vector<std::uint8_t>& file, std::uint32_t index_offset) const
	{
		const std::uint32_t tables_offset = text_offset + text_bytes_;
		const auto data_bytes = static_cast<std::uint32_t>(file.size()) - tables_offset;
		const auto index_bytes = static_cast<std::uint32_t>(file.size()) - index_offset - index_bytes_missing;
		std::vector<Elf32_Phdr> programs = {program(PT_LOAD, PF_R | PF_X, text_offset, text_bytes_)};
		programs.push_back(program(PT_LOAD, PF_R, tables_offset, data_bytes));
		if (with_program)
			programs.push_back(program(PT_ARM_EXIDX, PF_R, index_offset, index_bytes));
		Elf32_Ehdr header = elf_header(programs.size());
		add_sections(file, header, index_offset, index_bytes);
		std::memcpy(file.data(), &header, sizeof(header));
		std::memcpy(file.data() + sizeof(header), programs.data(), programs.size() * sizeof(Elf32_Phdr));
	}

	static Elf32_Phdr program(std::uint32_t type, std::uint32_t flags, std::uint32_t offset, std::uint32_t bytes)
	{
		return {type, offset, base + offset, base + offset, bytes, bytes, flags, 4};
	}

	static Elf32_Ehdr elf_header(std::size_t programs)
	{
		Elf32_Ehdr header{};
		std::memcpy(header.e_ident, ELFMAG, SELFMAG);
		header.e_ident[EI_CLASS] = ELFCLASS32;
		header.e_ident[EI_DATA] = ELFDATA2LSB;
		header.e_ident[EI_VERSION] = EV_CURRENT;
		header.e_type = ET_EXEC;
		header.e_machine = EM_ARM;
		header.e_version = EV_CURRENT;
		header.e_flags = EF_ARM_EABI_VER5;
		header.e_phoff = sizeof(header);
		header.e_ehsize = sizeof(header);
		header.e_phentsize = sizeof(Elf32_Phdr);
		header.e_phnum = static_cast<std::uint16_t>(programs);
		header.e_shentsize = sizeof(Elf32_Shdr);
		return header;
	}

	// For readelf, which looks for sections.
	void add_sections(std::vector<std::uint8_t>& file, Elf32_Ehdr& header, std::uint32_t index_offset,
			  std::uint32_t index_bytes) const
	{
		static constexpr char names[] = "\0.text\0.ARM.extab\0.ARM.exidx\0.shstrtab";
		const auto names_offset = static_cast<std::uint32_t>(file.size());
		const std::uint32_t tables_offset = text_offset + text_bytes_;
		file.insert(file.end(), names, names + sizeof(names));
		file.resize((file.size() + 3) & ~std::size_t{3});
		const std::vector<Elf32_Shdr> headers = {
			{},
			section(1, SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, text_offset, text_bytes_),
			section(7, SHT_PROGBITS, SHF_ALLOC, tables_offset, index_offset - tables_offset),
			section(18, SHT_ARM_EXIDX, SHF_ALLOC, index_offset, index_bytes),
			section(29, SHT_STRTAB, 0, names_offset, sizeof(names)),
		};
		header.e_shoff = static_cast<std::uint32_t>(file.size());
		header.e_shnum = static_cast<std::uint16_t>(headers.size());
		header.e_shstrndx = static_cast<std::uint16_t>(headers.size() - 1);
		const auto* raw = reinterpret_cast<const std::uint8_t*>(headers.data());
		file.insert(file.end(), raw, raw + headers.size() * sizeof(Elf32_Shdr));
	}

	static Elf32_Shdr section(std::uint32_t name, std::uint32_t type, std::uint32_t flags, std::uint32_t offset,
				  std::uint32_t bytes)
	{
		Elf32_Shdr header{};
		header.sh_name = name;
		header.sh_type = type;
		header.sh_flags = flags;
		header.sh_addr = flags ? base + offset : 0;
		header.sh_offset = offset;
		header.sh_size = bytes;
		header.sh_addralign = 4;
		return header;
	}

	std::uint32_t text_bytes_;
	std::vector<Entry> entries_;
	std::vector<std::uint32_t> tables_;
};

} // namespace arm_image

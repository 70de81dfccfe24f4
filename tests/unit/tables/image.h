// SPDX-License-Identifier: GPL-2.0
// ELF images and call frame information, written byte by byte for tests.
#pragma once

#include <cstdint>
#include <cstring>
#include <elf.h>
#include <string>
#include <vector>

#include "model/table_rows.h"

namespace image {

using ByteVector = std::vector<std::uint8_t>;

constexpr std::uint64_t base = 0x400000;      // address of file offset 0
constexpr std::uint64_t text_offset = 0x1000; // of 4 KiB of code
constexpr std::uint64_t text_address = base + text_offset;
constexpr std::uint64_t text_bytes = 0x1000;
constexpr std::uint64_t data_offset = 0x2000; // sections follow each other from here

inline void put(ByteVector& bytes, std::uint64_t value, unsigned size)
{
	for (unsigned i = 0; i < size; i++)
		bytes.push_back(static_cast<std::uint8_t>(i < 8 ? value >> (8 * i) : 0));
}

inline ByteVector operator+(ByteVector left, const ByteVector& right)
{
	left.insert(left.end(), right.begin(), right.end());
	return left;
}

inline ByteVector fixed(std::uint64_t value, unsigned size)
{
	ByteVector bytes;
	put(bytes, value, size);
	return bytes;
}

inline ByteVector uleb(std::uint64_t value)
{
	ByteVector bytes;
	do {
		const auto low = static_cast<std::uint8_t>(value & 0x7f);
		value >>= 7;
		bytes.push_back(static_cast<std::uint8_t>(value ? low | 0x80 : low));
	} while (value);
	return bytes;
}

inline ByteVector sleb(std::int64_t value)
{
	ByteVector bytes;
	for (bool more = true; more;) {
		const auto low = static_cast<std::uint8_t>(value & 0x7f);
		value >>= 7;
		more = !((value == 0 && !(low & 0x40)) || (value == -1 && low & 0x40));
		bytes.push_back(static_cast<std::uint8_t>(more ? low | 0x80 : low));
	}
	return bytes;
}

// An ELF file: headers, 4 KiB of code, then sections. Everything is loaded.
class Image {
public:
	explicit Image(uwind::Arch arch = uwind::Arch::x86_64)
	    : bytes_(data_offset), machine_(arch == uwind::Arch::arm64 ? EM_AARCH64 : EM_X86_64)
	{
		program(PT_LOAD, PF_R | PF_X, text_offset, text_bytes);
	}

	// Code at an offset into the text, as a section if it has a name.
	Image& code(std::uint64_t into, const ByteVector& code, const char* name = nullptr)
	{
		std::memcpy(bytes_.data() + text_offset + into, code.data(), code.size());
		if (name)
			sections_.push_back(
				{name, SHT_PROGBITS, text_offset + into, code.size(), SHF_ALLOC | SHF_EXECINSTR});
		return *this;
	}

	// Where the next section will lie.
	std::uint64_t next_address() const { return base + bytes_.size(); }

	Image& section(const char* name, const ByteVector& contents, std::uint32_t type = SHT_PROGBITS)
	{
		sections_.push_back({name, type, bytes_.size(), contents.size(), SHF_ALLOC});
		bytes_ = std::move(bytes_) + contents;
		bytes_.resize((bytes_.size() + 7) & ~std::size_t{7});
		return *this;
	}

	// A section's header as it should not be.
	Image& lying_section(const char* name, std::uint64_t offset, std::uint64_t bytes,
			     std::uint32_t type = SHT_PROGBITS)
	{
		sections_.push_back({name, type, offset, bytes, SHF_ALLOC});
		return *this;
	}

	Image& program(std::uint32_t type, std::uint32_t flags, std::uint64_t offset, std::uint64_t bytes)
	{
		Elf64_Phdr header{};
		header.p_type = type;
		header.p_flags = flags;
		header.p_offset = offset;
		header.p_vaddr = base + offset;
		header.p_filesz = header.p_memsz = bytes;
		programs_.push_back(header);
		return *this;
	}

	// The last section once more, as a segment of its own.
	Image& program_of_last(std::uint32_t type)
	{
		const Section& last = sections_.back();
		return program(type, PF_R, last.offset, last.bytes);
	}

	Image& entry(std::uint64_t address)
	{
		entry_ = address;
		return *this;
	}

	Image& without_sections()
	{
		with_sections_ = false;
		return *this;
	}

	Elf64_Phdr& last_program() { return programs_.back(); }

	std::uint16_t type = ET_EXEC;
	std::uint8_t elf_class = ELFCLASS64;
	std::uint8_t encoding = ELFDATA2LSB;
	std::uint16_t machine() const { return machine_; }
	Image& machine(std::uint16_t number)
	{
		machine_ = number;
		return *this;
	}

	ByteVector build() const
	{
		ByteVector file = bytes_;
		std::vector<Elf64_Phdr> programs = programs_;
		Elf64_Phdr data{};
		data.p_type = PT_LOAD;
		data.p_flags = PF_R;
		data.p_offset = data_offset;
		data.p_vaddr = base + data_offset;
		data.p_filesz = data.p_memsz = bytes_.size() - data_offset;
		programs.push_back(data);
		Elf64_Ehdr header = elf_header(programs.size());
		if (with_sections_)
			add_section_headers(file, header);
		std::memcpy(file.data(), &header, sizeof(header));
		std::memcpy(file.data() + sizeof(header), programs.data(), programs.size() * sizeof(Elf64_Phdr));
		return file;
	}

private:
	struct Section {
		std::string name;
		std::uint32_t type;
		std::uint64_t offset, bytes, flags;
	};

	Elf64_Ehdr elf_header(std::size_t programs) const
	{
		Elf64_Ehdr header{};
		std::memcpy(header.e_ident, ELFMAG, SELFMAG);
		header.e_ident[EI_CLASS] = elf_class;
		header.e_ident[EI_DATA] = encoding;
		header.e_ident[EI_VERSION] = EV_CURRENT;
		header.e_type = type;
		header.e_machine = machine_;
		header.e_version = EV_CURRENT;
		header.e_entry = entry_;
		header.e_phoff = sizeof(header);
		header.e_ehsize = sizeof(header);
		header.e_phentsize = sizeof(Elf64_Phdr);
		header.e_phnum = static_cast<std::uint16_t>(programs);
		header.e_shentsize = sizeof(Elf64_Shdr);
		return header;
	}

	void add_section_headers(ByteVector& file, Elf64_Ehdr& header) const
	{
		std::vector<Elf64_Shdr> headers(1);
		std::string names(1, '\0');
		std::vector<Section> all = sections_;
		all.push_back({".shstrtab", SHT_STRTAB, 0, 0, 0});
		for (const Section& section : all) {
			Elf64_Shdr out{};
			out.sh_name = static_cast<std::uint32_t>(names.size());
			names += section.name + '\0';
			out.sh_type = section.type;
			out.sh_flags = section.flags;
			out.sh_addr = section.flags ? base + section.offset : 0;
			out.sh_offset = section.offset;
			out.sh_size = section.bytes;
			headers.push_back(out);
		}
		headers.back().sh_offset = file.size();
		headers.back().sh_size = names.size();
		file.insert(file.end(), names.begin(), names.end());
		file.resize((file.size() + 7) & ~std::size_t{7});
		header.e_shoff = file.size();
		header.e_shnum = static_cast<std::uint16_t>(headers.size());
		header.e_shstrndx = static_cast<std::uint16_t>(headers.size() - 1);
		const auto* raw = reinterpret_cast<const std::uint8_t*>(headers.data());
		file.insert(file.end(), raw, raw + headers.size() * sizeof(Elf64_Shdr));
	}

	ByteVector bytes_;
	std::vector<Section> sections_;
	std::vector<Elf64_Phdr> programs_;
	std::uint16_t machine_;
	std::uint64_t entry_ = 0;
	bool with_sections_ = true;
};

// What a CIE says. The defaults are those of amd64.
struct CieText {
	std::uint8_t version = 1;
	std::string augmentation = "zR";
	ByteVector augmentation_data = {0x1b}; // pcrel, signed 4 bytes
	std::uint64_t code_factor = 1;
	std::int64_t data_factor = -8;
	std::uint8_t ra_column = 16;
	ByteVector instructions = {0x0c, 7, 8, 0x90, 1}; // def_cfa rsp+8; rip at cfa-8
	ByteVector version_4_sizes = {8, 0};
};

inline CieText arm64_cie()
{
	CieText cie;
	cie.code_factor = 4;
	cie.ra_column = 30;
	cie.instructions = {0x0c, 31, 0}; // def_cfa sp+0
	return cie;
}

// Writes records; address is where the section will lie.
class CfiText {
public:
	explicit CfiText(std::uint64_t address) : address_(address) {}

	std::uint64_t cie(const CieText& cie)
	{
		ByteVector body = fixed(0, 4);
		body.push_back(cie.version);
		body.insert(body.end(), cie.augmentation.begin(), cie.augmentation.end());
		body.push_back(0);
		if (cie.version == 4)
			body = body + cie.version_4_sizes;
		body = body + uleb(cie.code_factor) + sleb(cie.data_factor) + ByteVector{cie.ra_column};
		if (!cie.augmentation.empty() && cie.augmentation[0] == 'z')
			body = body + uleb(cie.augmentation_data.size()) + cie.augmentation_data;
		sized_ = !cie.augmentation.empty() && cie.augmentation[0] == 'z';
		return record(body + cie.instructions);
	}

	// Start and range as pcrel signed 4 bytes.
	std::uint64_t fde(std::uint64_t cie, std::uint64_t start, std::uint64_t bytes, const ByteVector& instructions)
	{
		const std::uint64_t field = address_ + bytes_.size() + 8;
		return fde_with(cie, fixed(start - field, 4) + fixed(bytes, 4), instructions);
	}

	// Start and range in any encoding.
	std::uint64_t fde_with(std::uint64_t cie, const ByteVector& location, const ByteVector& instructions)
	{
		ByteVector body = fixed(bytes_.size() + 4 - cie, 4) + location;
		if (sized_)
			body.push_back(0);
		return record(body + instructions);
	}

	// Where the next record's start field will be.
	std::uint64_t next_field() const { return address_ + bytes_.size() + 8; }

	std::uint64_t record(ByteVector body)
	{
		const std::uint64_t offset = bytes_.size();
		while (body.size() % 4)
			body.push_back(0);
		bytes_ = bytes_ + fixed(body.size(), 4) + body;
		return offset;
	}

	std::uint64_t record_64_bit(ByteVector body)
	{
		const std::uint64_t offset = bytes_.size();
		while (body.size() % 4)
			body.push_back(0);
		bytes_ = bytes_ + fixed(0xffffffff, 4) + fixed(body.size(), 8) + body;
		return offset;
	}

	void terminator() { put(bytes_, 0, 4); }
	const ByteVector& bytes() const { return bytes_; }
	ByteVector& bytes() { return bytes_; }

private:
	std::uint64_t address_;
	ByteVector bytes_;
	bool sized_ = true;
};

} // namespace image

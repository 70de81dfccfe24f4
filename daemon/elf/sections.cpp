// SPDX-License-Identifier: GPL-2.0
// Finds sections by name, by type, or through program headers, and decompresses them.
#include "elf/sections.h"

#include "elf/encoded_pointer.h"
#include "elf/failure.h"
#include "elf/xz.h"

#include <algorithm>

namespace uwind {
namespace {

constexpr std::uint32_t pt_gnu_sframe = 0x6474e554;
constexpr std::uint32_t sht_gnu_sframe = 0x6ffffff4;
constexpr std::size_t max_packed_bytes = 64 << 20; // much more than any known .gnu_debugdata has

const ElfHeader* find_unloaded(const ElfFile& file, std::string_view name)
{
	for (const ElfHeader& header : file.headers())
		if (header.name == name && header.type != SHT_NOBITS)
			return &header;
	return nullptr;
}

// The contents of a program header, under a section's name.
ElfFile::Found named_contents(const ElfFile& file, ElfHeader header, const char* name)
{
	header.name = name;
	header.type = SHT_PROGBITS;
	return file.contents(header);
}

// Whether a section without contents in the file contains this address.
bool is_absent(const ElfFile& file, std::uint64_t address)
{
	return std::any_of(file.headers().begin(), file.headers().end(), [&](const ElfHeader& header) {
		return header.loaded && header.type == SHT_NOBITS && !header.per_thread && address >= header.address &&
		       address - header.address < header.bytes;
	});
}

// .eh_frame_hdr: version, three encodings, then a pointer to .eh_frame.
ElfFile::Found from_eh_frame_header(const ElfFile& file)
{
	ElfHeader header = *file.program(PT_GNU_EH_FRAME);
	header.name = "PT_GNU_EH_FRAME";
	const Result<Bytes> bytes = file.image().chunk(header.offset, header.bytes, header.name);
	if (!bytes)
		return bytes.error();
	ByteCursor cursor(*bytes);
	const std::uint8_t version = cursor.u8(), encoding = cursor.u8();
	cursor.skip(2);
	const PointerBases bases{header.address, {}, header.address, word_bytes(file.arch())};
	if (version != 1 || !pointer_supported(encoding, bases))
		return elf_failure(EBADMSG, "PT_GNU_EH_FRAME: version %u, encoding 0x%02x are unknown",
				   unsigned{version}, unsigned{encoding});
	const std::uint64_t address = read_pointer(cursor, encoding, bases);
	if (!cursor.ok())
		return Error{EBADMSG, "PT_GNU_EH_FRAME: too short"};
	if (const std::optional<Segment> load = file.segment_at(address)) {
		const std::uint64_t into = address - load->address;
		const Result<Bytes> rest = file.image().chunk(load->offset + into, load->bytes - into, ".eh_frame");
		if (!rest)
			return rest.error();
		return std::optional<ElfSection>{{address, load->offset + into, *rest, false}};
	}
	return elf_failure(EBADMSG, "PT_GNU_EH_FRAME: .eh_frame at 0x%llx is in no segment", Wide{address});
}

// The decompressed size of a section; nothing: it is not compressed. GNU's older format has
// no flag, but begins with "ZLIB" and the size in eight bytes, big-endian.
Result<std::optional<std::uint64_t>> unpacked_bytes(const ElfFile& file, const ElfHeader& header, Elf_Scn* section)
{
	GElf_Shdr now;
	GElf_Chdr compression;
	if (!section || !gelf_getshdr(section, &now))
		return libelf_failure(header.name.c_str());
	if (now.sh_flags & SHF_COMPRESSED) {
		if (!gelf_getchdr(section, &compression))
			return libelf_failure(header.name.c_str());
		return std::optional(std::uint64_t{compression.ch_size});
	}
	constexpr std::string_view magic = "ZLIB";
	const Result<Bytes> start =
		header.bytes < 12 ? Result<Bytes>(Bytes{}) : file.image().chunk(header.offset, 12, header.name);
	if (!start)
		return start.error();
	if (!header.name.starts_with(".zdebug") || start->empty() ||
	    !std::equal(magic.begin(), magic.end(), start->begin()))
		return std::optional<std::uint64_t>{};
	std::uint64_t bytes = 0;
	for (const std::uint8_t byte : start->subspan(magic.size()))
		bytes = bytes << 8 | byte;
	return std::optional(bytes);
}

// libelf keeps the decompressed section from then on.
ElfFile::Found decompressed(const ElfFile& file, const ElfHeader& header)
{
	Elf_Scn* section = elf_getscn(file.image().elf(), header.number);
	const Result<std::optional<std::uint64_t>> unpacked = unpacked_bytes(file, header, section);
	if (!unpacked)
		return unpacked.error();
	if (!*unpacked)
		return file.contents(header);
	if (**unpacked > max_section_bytes)
		return Error{EBADMSG, header.name + ": unpacked, it is larger than the 256 MiB that are read"};
	if (file.image().log())
		file.image().log()->end();
	const bool gnu = header.name.starts_with(".zdebug");
	if ((gnu ? elf_compress_gnu(section, 0, 0) : elf_compress(section, 0, 0)) < 0)
		return libelf_failure(header.name.c_str());
	const Elf_Data* data = elf_getdata(section, nullptr);
	if (!data || !data->d_buf)
		return libelf_failure(header.name.c_str());
	const Bytes bytes(static_cast<const std::uint8_t*>(data->d_buf), data->d_size);
	return std::optional<ElfSection>{{0, header.offset, bytes, true}};
}

} // namespace

ElfFile::Found sframe_section(const ElfFile& file)
{
	if (const ElfHeader* const header = file.program(pt_gnu_sframe))
		return named_contents(file, *header, "PT_GNU_SFRAME");
	for (const ElfHeader& header : file.headers())
		if (header.loaded && header.type == sht_gnu_sframe)
			return file.contents(header);
	return file.section(".sframe");
}

ElfFile::Found exidx_section(const ElfFile& file)
{
	const ElfHeader* const header = file.arch() == Arch::arm ? file.program(PT_ARM_EXIDX) : nullptr;
	return header ? named_contents(file, *header, "PT_ARM_EXIDX") : ElfFile::Found(std::optional<ElfSection>{});
}

ElfFile::Found eh_frame_section(const ElfFile& file)
{
	ElfFile::Found by_name = file.section(".eh_frame");
	const ElfHeader* const header = file.find(".eh_frame");
	const ElfHeader* const search = file.program(PT_GNU_EH_FRAME);
	const bool absent = (header && header->type == SHT_NOBITS) || (search && is_absent(file, search->address));
	if (!by_name || *by_name || !search || absent)
		return by_name;
	return from_eh_frame_header(file);
}

ElfFile::Found unloaded_section(const ElfFile& file, std::string_view name)
{
	const ElfHeader* const header = find_unloaded(file, name);
	return header ? file.contents(*header) : ElfFile::Found(std::optional<ElfSection>{});
}

const ElfFile* ElfFile::packed_debug_file() const
{
	if (packed_read_)
		return packed_.get();
	packed_read_ = true;
	const Found packed = unloaded_section(*this, ".gnu_debugdata");
	auto bytes = packed && *packed ? unpack_xz((*packed)->bytes, max_packed_bytes)
				       : Result<std::vector<std::uint8_t>>(Error{ENODATA, ""});
	Result<ElfFile> file = bytes ? from_bytes(std::move(*bytes)) : Result<ElfFile>(bytes.error());
	if (!file || !file->debug_only_ || file->arch_ != arch_)
		return nullptr;
	file->packed_read_ = true; // do not look for one inside it
	packed_ = std::make_shared<const ElfFile>(std::move(*file));
	return packed_.get();
}

ElfFile::Found debug_frame_section(const ElfFile& file)
{
	for (const char* name : {".debug_frame", ".zdebug_frame"})
		if (const ElfHeader* const header = find_unloaded(file, name))
			return decompressed(file, *header);
	const ElfFile* const packed = file.packed_debug_file();
	return packed ? debug_frame_section(*packed) : ElfFile::Found(std::optional<ElfSection>{});
}

std::vector<ElfSection> code_sections(const ElfFile& file)
{
	std::vector<ElfSection> sections;
	for (const ElfHeader& header : file.headers()) {
		if (!header.code || !header.loaded)
			continue;
		if (const ElfFile::Found found = file.contents(header); found && *found)
			sections.push_back(**found);
	}
	return sections;
}

} // namespace uwind

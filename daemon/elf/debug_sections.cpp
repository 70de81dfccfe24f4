// SPDX-License-Identifier: GPL-2.0
// Sections for debuggers: compressed ones, and the debug file that a program may carry.
#include "elf/file.h"

#include "elf/xz.h"

#include <algorithm>
#include <cerrno>
#include <gelf.h>

namespace uwind {
namespace {

constexpr std::size_t max_packed_bytes = 64 << 20; // many times what any .gnu_debugdata holds

Error broken(const std::string& name)
{
	const char* why = elf_errmsg(-1);
	return Error{EBADMSG, name + ": " + (why ? why : "broken")};
}

} // namespace

const ElfFile::Header* ElfFile::find_unloaded(std::string_view name) const
{
	for (const Header& header : headers_)
		if (header.name == name && header.type != SHT_NOBITS)
			return &header;
	return nullptr;
}

const ElfFile* ElfFile::packed_debug_file() const
{
	const Header* const header = find_unloaded(".gnu_debugdata");
	if (packed_read_ || !header)
		return packed_.get();
	packed_read_ = true;
	const Result<Bytes> packed = chunk(header->offset, header->bytes, header->name);
	auto bytes = packed ? unpack_xz(*packed, max_packed_bytes) : Result<std::vector<std::uint8_t>>(packed.error());
	Result<ElfFile> file = bytes ? from_bytes(std::move(*bytes)) : Result<ElfFile>(bytes.error());
	if (!file || !file->debug_only_ || file->arch_ != arch_)
		return nullptr;
	file->packed_read_ = true; // one in it is not looked for
	packed_ = std::make_shared<const ElfFile>(std::move(*file));
	return packed_.get();
}

ElfFile::Found ElfFile::unloaded_section(std::string_view name) const
{
	const Header* const header = find_unloaded(name);
	return header ? contents(*header) : Found(std::optional<ElfSection>{});
}

ElfFile::Found ElfFile::debug_frame() const
{
	for (const char* name : {".debug_frame", ".zdebug_frame"})
		if (const Header* const header = find_unloaded(name))
			return decompressed(*header);
	const ElfFile* const packed = packed_debug_file();
	return packed ? packed->debug_frame() : Found(std::optional<ElfSection>{});
}

// How large a compressed section will be; nothing: it is not compressed. GNU's older way has
// no flag: "ZLIB", and then the size in eight bytes, the highest first.
Result<std::optional<std::uint64_t>> ElfFile::unpacked_bytes(const Header& header, Elf_Scn* section) const
{
	GElf_Shdr now;
	GElf_Chdr compression;
	if (!section || !gelf_getshdr(section, &now))
		return broken(header.name);
	if (now.sh_flags & SHF_COMPRESSED) {
		if (!gelf_getchdr(section, &compression))
			return broken(header.name);
		return std::optional(std::uint64_t{compression.ch_size});
	}
	constexpr std::string_view magic = "ZLIB";
	const Result<Bytes> start = header.bytes < 12 ? Result<Bytes>(Bytes{}) : chunk(header.offset, 12, header.name);
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

// libelf holds it in full from then on.
ElfFile::Found ElfFile::decompressed(const Header& header) const
{
	Elf_Scn* section = elf_getscn(elf_.get(), header.number);
	const Result<std::optional<std::uint64_t>> unpacked = unpacked_bytes(header, section);
	if (!unpacked)
		return unpacked.error();
	if (!*unpacked)
		return contents(header);
	if (**unpacked > max_section_bytes)
		return Error{EBADMSG, header.name + ": unpacked, it is larger than the 256 MiB that are read"};
	const bool gnu = header.name.starts_with(".zdebug");
	if ((gnu ? elf_compress_gnu(section, 0, 0) : elf_compress(section, 0, 0)) < 0)
		return broken(header.name);
	const Elf_Data* data = elf_getdata(section, nullptr);
	if (!data || !data->d_buf)
		return broken(header.name);
	const Bytes bytes(static_cast<const std::uint8_t*>(data->d_buf), data->d_size);
	return std::optional<ElfSection>{{0, header.offset, bytes, true}};
}

} // namespace uwind

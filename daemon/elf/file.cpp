// SPDX-License-Identifier: GPL-2.0
// ELF headers through libelf; every offset is checked against the file's size
// before anything is read.
#include "elf/file.h"

#include "elf/encoded_pointer.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <sys/stat.h>

namespace uwind {
namespace {

constexpr std::uint32_t pt_gnu_sframe = 0x6474e554;
constexpr std::uint32_t sht_gnu_sframe = 0x6ffffff4;
constexpr std::size_t max_programs = 1024;
constexpr std::size_t max_sections = 65536;
constexpr std::size_t max_segments = 16; // as the module
constexpr std::uint64_t max_note_bytes = 1 << 20;
constexpr std::uint32_t max_id_bytes = 64;

template <typename... Args>
Error failure(int code, const char* format, Args... args)
{
	char text[200];
	std::snprintf(text, sizeof(text), format, args...);
	return Error{code, text};
}

Error libelf_failure(const char* what)
{
	const char* why = elf_errmsg(-1);
	return failure(EBADMSG, "%s: %s", what, why ? why : "broken");
}

using Wide = unsigned long long;

std::string hex(Bytes bytes)
{
	static constexpr char digits[] = "0123456789abcdef";
	std::string result;
	for (const std::uint8_t byte : bytes) {
		result += digits[byte >> 4];
		result += digits[byte & 15];
	}
	return result;
}

// "": none.
std::string build_id_in(Elf_Data* notes)
{
	GElf_Nhdr note;
	std::size_t next = 0, name = 0, id = 0;
	while (notes && (next = gelf_getnote(notes, next, &note, &name, &id)) > 0) {
		const auto* bytes = static_cast<const std::uint8_t*>(notes->d_buf);
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && !std::memcmp(bytes + name, "GNU", 4) &&
		    note.n_descsz <= max_id_bytes)
			return hex(Bytes(bytes + id, note.n_descsz));
	}
	return "";
}

} // namespace

Result<ElfFile> ElfFile::open_any(int fd)
{
	struct stat status;
	if (fstat(fd, &status))
		return errno_error(errno, "fstat");
	if (!S_ISREG(status.st_mode))
		return Error{ENOEXEC, "not a regular file"};
	elf_version(EV_CURRENT);
	ElfFile file;
	file.file_bytes_ = static_cast<std::uint64_t>(status.st_size);
	file.elf_.reset(elf_begin(fd, ELF_C_READ, nullptr));
	return load(std::move(file));
}

Result<ElfFile> ElfFile::open(int fd)
{
	return if_usable(open_any(fd));
}

Result<ElfFile> ElfFile::from_bytes(Bytes bytes)
{
	return from_bytes(std::vector<std::uint8_t>(bytes.begin(), bytes.end()));
}

Result<ElfFile> ElfFile::from_bytes(std::vector<std::uint8_t>&& bytes)
{
	elf_version(EV_CURRENT);
	ElfFile file;
	file.image_ = std::move(bytes);
	file.file_bytes_ = file.image_.size();
	if (!file.image_.empty())
		file.elf_.reset(elf_memory(reinterpret_cast<char*>(file.image_.data()), file.image_.size()));
	return if_usable(load(std::move(file)));
}

Result<ElfFile> ElfFile::if_usable(Result<ElfFile> file)
{
	if (file && !file->usable_)
		return file->usable_.error();
	return file;
}

Result<ElfFile> ElfFile::load(ElfFile file)
{
	if (!file.elf_ || elf_kind(file.elf_.get()) != ELF_K_ELF)
		return Error{ENOEXEC, "not an ELF file"};
	file.usable_ = file.read_header();
	file.read_sections();
	if (Status status = file.read_programs(); file.usable_)
		file.usable_ = std::move(status);
	file.check_entry();
	file.read_build_id();
	return file;
}

Status ElfFile::read_header()
{
	GElf_Ehdr header;
	if (!gelf_getehdr(elf_.get(), &header))
		return libelf_failure("ELF header");
	if (header.e_ident[EI_DATA] != ELFDATA2LSB)
		return Error{ENOEXEC, "a big-endian ELF file"};
	arch_ = arch_of_machine(header.e_machine);
	if (arch_ == Arch::none)
		return failure(ENOEXEC, "ELF machine %u is none of amd64, arm64, i386, arm",
			       unsigned{header.e_machine});
	if (header.e_ident[EI_CLASS] != (word_bytes(arch_) == 4 ? ELFCLASS32 : ELFCLASS64))
		return failure(ENOEXEC, "ELF class %u is not that of %s", unsigned{header.e_ident[EI_CLASS]},
			       arch_name(arch_));
	if (header.e_type != ET_EXEC && header.e_type != ET_DYN)
		return failure(ENOEXEC, "ELF type %u is neither a program nor a library", unsigned{header.e_type});
	raw_entry_ = header.e_entry;
	entry_ = arch_ == Arch::arm ? header.e_entry & ~GElf_Addr{1} : header.e_entry;
	program_ = header.e_type == ET_EXEC;
	return Nothing{};
}

Status ElfFile::read_programs()
{
	std::size_t count = 0;
	if (elf_getphdrnum(elf_.get(), &count))
		return libelf_failure("program headers");
	if (count > max_programs)
		return failure(EBADMSG, "%zu program headers, more than %zu", count, max_programs);
	Status first = Nothing{};
	for (std::size_t i = 0; i < count; i++)
		if (Status status = add_program(i); first)
			first = std::move(status);
	if (first && segments_.empty())
		first = Error{ENOEXEC, "it has no executable segment"};
	std::sort(segments_.begin(), segments_.end(),
		  [](const Segment& left, const Segment& right) { return left.address < right.address; });
	return first;
}

Status ElfFile::add_program(std::size_t number)
{
	GElf_Phdr header;
	if (!gelf_getphdr(elf_.get(), static_cast<int>(number), &header))
		return libelf_failure("program headers");
	const bool executable = (header.p_flags & PF_X) != 0;
	program_ = program_ || header.p_type == PT_INTERP;
	if (debug_only_) {
		if (header.p_type == PT_LOAD && executable && segments_.size() < max_segments &&
		    header.p_memsz <= ~header.p_vaddr)
			segments_.push_back({header.p_vaddr, header.p_memsz, header.p_offset});
		return Nothing{};
	}
	const Header section{"", header.p_type, header.p_vaddr, header.p_offset, header.p_filesz, true};
	if (header.p_type == pt_gnu_sframe)
		sframe_segment_ = section;
	if (header.p_type == PT_GNU_EH_FRAME)
		eh_frame_header_ = section;
	if (header.p_type == PT_ARM_EXIDX && arch_ == Arch::arm)
		exidx_ = section;
	if (header.p_type == PT_DYNAMIC)
		dynamic_ = section;
	if (header.p_type == PT_INTERP)
		interpreter_ = section;
	if (header.p_type != PT_LOAD || !header.p_filesz)
		return Nothing{};
	return add_load(number, {header.p_vaddr, header.p_filesz, header.p_offset, executable});
}

Status ElfFile::add_load(std::size_t number, const Load& load)
{
	if (load.offset > file_bytes_ || load.bytes > file_bytes_ - load.offset)
		return failure(EBADMSG, "program header %zu: bytes 0x%llx+0x%llx lie behind the file's end", number,
			       Wide{load.offset}, Wide{load.bytes});
	if (load.bytes > ~load.address)
		return failure(EBADMSG, "program header %zu: addresses 0x%llx+0x%llx wrap around", number,
			       Wide{load.address}, Wide{load.bytes});
	loads_.push_back(load);
	if (!load.executable)
		return Nothing{};
	if (segments_.size() == max_segments)
		return failure(EBADMSG, "more than %zu executable segments", max_segments);
	segments_.push_back({load.address, load.bytes, load.offset});
	return Nothing{};
}

// A loader does not need section headers: without them, or with broken ones, the
// program headers must do.
void ElfFile::read_sections()
{
	std::size_t count = 0, names = 0;
	if (elf_getshdrnum(elf_.get(), &count) || count > max_sections || elf_getshdrstrndx(elf_.get(), &names))
		return;
	for (Elf_Scn* section = nullptr; (section = elf_nextscn(elf_.get(), section));) {
		GElf_Shdr header;
		if (!gelf_getshdr(section, &header))
			continue;
		const char* name = elf_strptr(elf_.get(), names, header.sh_name);
		headers_.push_back({name ? name : "", header.sh_type, header.sh_addr, header.sh_offset, header.sh_size,
				    (header.sh_flags & SHF_ALLOC) != 0, (header.sh_flags & SHF_EXECINSTR) != 0,
				    (header.sh_flags & SHF_TLS) != 0, elf_ndxscn(section), header.sh_link});
	}
	const auto absent_code = [](const Header& header) { return header.code && header.type == SHT_NOBITS; };
	const auto code = [](const Header& header) { return header.code && header.type != SHT_NOBITS && header.bytes; };
	debug_only_ = std::any_of(headers_.begin(), headers_.end(), absent_code) &&
		      std::none_of(headers_.begin(), headers_.end(), code);
}

// Without an interpreter it may still be a program: the dynamic linker itself or
// a static one. That needs no library, and does not begin where .text does.
void ElfFile::check_entry()
{
	if (debug_only_)
		entry_ = 0;
	if (program_ || !dynamic_)
		return;
	bool needs_library = false;
	for (const ElfDynamic& entry : dynamic()) {
		needs_library = needs_library || entry.tag == DT_NEEDED;
		program_ = program_ || (entry.tag == DT_FLAGS_1 && entry.value & DF_1_PIE);
	}
	if (!program_ && (needs_library || section_address(".text") == entry_))
		entry_ = 0;
}

void ElfFile::read_build_id()
{
	std::size_t count = 0;
	if (elf_getphdrnum(elf_.get(), &count))
		return;
	for (std::size_t i = 0; i < count && build_id_.empty(); i++) {
		GElf_Phdr header;
		if (gelf_getphdr(elf_.get(), static_cast<int>(i), &header) && header.p_type == PT_NOTE &&
		    header.p_filesz <= max_note_bytes)
			build_id_ = build_id_in(typed(header.p_offset, header.p_filesz,
						      header.p_align == 8 ? ELF_T_NHDR8 : ELF_T_NHDR));
	}
}

Elf_Data* ElfFile::typed(std::uint64_t offset, std::uint64_t bytes, Elf_Type type) const
{
	const std::size_t entry =
		type == ELF_T_NHDR || type == ELF_T_NHDR8 ? 1 : gelf_fsize(elf_.get(), type, 1, EV_CURRENT);
	if (!entry || bytes < entry || bytes > max_section_bytes || offset > file_bytes_ ||
	    bytes > file_bytes_ - offset)
		return nullptr;
	return elf_getdata_rawchunk(elf_.get(), static_cast<std::int64_t>(offset), bytes - bytes % entry, type);
}

Result<Bytes> ElfFile::chunk(std::uint64_t offset, std::uint64_t bytes, const std::string& what) const
{
	if (offset > file_bytes_ || bytes > file_bytes_ - offset)
		return failure(EBADMSG, "%s: bytes 0x%llx+0x%llx lie behind the file's end", what.c_str(), Wide{offset},
			       Wide{bytes});
	if (bytes > max_section_bytes)
		return failure(EBADMSG, "%s: 0x%llx bytes are more than the 256 MiB that are read", what.c_str(),
			       Wide{bytes});
	if (!bytes)
		return Bytes{};
	if (!image_.empty())
		return Bytes(image_).subspan(offset, bytes);
	const Elf_Data* data = elf_getdata_rawchunk(elf_.get(), static_cast<std::int64_t>(offset), bytes, ELF_T_BYTE);
	if (!data || !data->d_buf || data->d_size != bytes)
		return libelf_failure(what.c_str());
	return Bytes(static_cast<const std::uint8_t*>(data->d_buf), bytes);
}

const ElfFile::Header* ElfFile::find(std::string_view name) const
{
	for (const Header& header : headers_)
		if (header.loaded && header.name == name)
			return &header;
	return nullptr;
}

// A section holds this address, and is not in the file.
bool ElfFile::is_absent(std::uint64_t address) const
{
	return std::any_of(headers_.begin(), headers_.end(), [&](const Header& header) {
		return header.loaded && header.type == SHT_NOBITS && !header.per_thread && address >= header.address &&
		       address - header.address < header.bytes;
	});
}

ElfFile::Found ElfFile::contents(const Header& header) const
{
	if (header.type == SHT_NOBITS || !header.bytes)
		return std::optional<ElfSection>{};
	const Result<Bytes> bytes = chunk(header.offset, header.bytes, header.name);
	if (!bytes)
		return bytes.error();
	return std::optional<ElfSection>{{header.address, header.offset, *bytes, true}};
}

ElfFile::Found ElfFile::section(std::string_view name) const
{
	const Header* header = find(name);
	return header ? contents(*header) : std::optional<ElfSection>{};
}

std::optional<std::uint64_t> ElfFile::section_address(std::string_view name) const
{
	const Header* header = find(name);
	return header ? std::optional(header->address) : std::nullopt;
}

ElfFile::Found ElfFile::sframe() const
{
	if (sframe_segment_) {
		Header header = *sframe_segment_;
		header.name = "PT_GNU_SFRAME";
		header.type = sht_gnu_sframe;
		return contents(header);
	}
	for (const Header& header : headers_)
		if (header.loaded && header.type == sht_gnu_sframe)
			return contents(header);
	return section(".sframe");
}

ElfFile::Found ElfFile::exidx() const
{
	if (!exidx_)
		return std::optional<ElfSection>{};
	Header header = *exidx_;
	header.name = "PT_ARM_EXIDX";
	return contents(header);
}

ElfFile::Found ElfFile::eh_frame() const
{
	Found by_name = section(".eh_frame");
	const Header* const header = find(".eh_frame");
	const bool absent =
		(header && header->type == SHT_NOBITS) || (eh_frame_header_ && is_absent(eh_frame_header_->address));
	if (!by_name || *by_name || !eh_frame_header_ || absent)
		return by_name;
	return from_eh_frame_header();
}

// .eh_frame_hdr: version, three encodings, then a pointer to .eh_frame.
ElfFile::Found ElfFile::from_eh_frame_header() const
{
	Header header = *eh_frame_header_;
	header.name = "PT_GNU_EH_FRAME";
	const Result<Bytes> bytes = chunk(header.offset, header.bytes, header.name);
	if (!bytes)
		return bytes.error();
	ByteCursor cursor(*bytes);
	const std::uint8_t version = cursor.u8(), encoding = cursor.u8();
	cursor.skip(2);
	const PointerBases bases{header.address, {}, header.address, word_bytes(arch_)};
	if (version != 1 || !pointer_supported(encoding, bases))
		return failure(EBADMSG, "PT_GNU_EH_FRAME: version %u, encoding 0x%02x are unknown", unsigned{version},
			       unsigned{encoding});
	const std::uint64_t address = read_pointer(cursor, encoding, bases);
	if (!cursor.ok())
		return Error{EBADMSG, "PT_GNU_EH_FRAME: too short"};
	for (const Load& load : loads_) {
		if (address < load.address || address - load.address >= load.bytes)
			continue;
		const std::uint64_t into = address - load.address;
		const Result<Bytes> rest = chunk(load.offset + into, load.bytes - into, ".eh_frame");
		if (!rest)
			return rest.error();
		return std::optional<ElfSection>{{address, load.offset + into, *rest, false}};
	}
	return failure(EBADMSG, "PT_GNU_EH_FRAME: .eh_frame at 0x%llx is in no segment", Wide{address});
}

std::vector<ElfSection> ElfFile::code_sections() const
{
	std::vector<ElfSection> sections;
	for (const Header& header : headers_) {
		if (!header.code || !header.loaded)
			continue;
		if (const Found found = contents(header); found && *found)
			sections.push_back(**found);
	}
	return sections;
}

std::vector<Segment> ElfFile::loads() const
{
	std::vector<Segment> segments;
	for (const Load& load : loads_)
		segments.push_back({load.address, load.bytes, load.offset});
	return segments;
}

std::string ElfFile::interpreter() const
{
	const Result<Bytes> bytes = interpreter_ ? chunk(interpreter_->offset, interpreter_->bytes, "interpreter")
						 : Result<Bytes>(Bytes{});
	if (!bytes)
		return "";
	return std::string(bytes->begin(), std::find(bytes->begin(), bytes->end(), 0));
}

std::optional<Segment> ElfFile::segment_at(std::uint64_t address) const
{
	for (const Load& load : loads_)
		if (address >= load.address && address - load.address < load.bytes)
			return Segment{load.address, load.bytes, load.offset};
	return std::nullopt;
}

Bytes ElfFile::read(std::uint64_t address, std::uint64_t bytes) const
{
	const std::optional<Segment> segment = segment_at(address);
	if (!segment)
		return {};
	const std::uint64_t into = address - segment->address;
	const Result<Bytes> found = chunk(segment->offset + into, std::min(bytes, segment->bytes - into), "code");
	return found ? *found : Bytes{};
}

} // namespace uwind

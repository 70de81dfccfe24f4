// SPDX-License-Identifier: GPL-2.0
// ELF headers, read through libelf: the reader that fills an ElfFile, and the functions of ElfFile.
#include "elf/file.h"

#include "base/text.h"
#include "elf/failure.h"

#include <algorithm>
#include <cstring>

namespace uwind {
namespace {

constexpr std::size_t max_programs = 1024;
constexpr std::size_t max_sections = 65536;
constexpr std::size_t max_segments = 16; // the module's limit
constexpr std::uint64_t max_note_bytes = 1 << 20;
constexpr std::uint32_t max_id_bytes = 64;

// "": none.
std::string build_id_in(Elf_Data* notes)
{
	GElf_Nhdr note;
	std::size_t next = 0, name = 0, id = 0;
	while (notes && (next = gelf_getnote(notes, next, &note, &name, &id)) > 0) {
		const auto* bytes = static_cast<const std::uint8_t*>(notes->d_buf);
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && !std::memcmp(bytes + name, "GNU", 4) &&
		    note.n_descsz <= max_id_bytes)
			return digits_of(Bytes(bytes + id, note.n_descsz));
	}
	return "";
}

} // namespace

class ElfFileReader {
public:
	explicit ElfFileReader(ElfImage image) : file_(std::move(image)) {}

	ElfFile run();

private:
	Status read_header();
	Status read_programs();
	Status add_program(std::size_t number);
	Status add_load(std::size_t number, const Segment& load, bool executable);
	void read_sections();
	void check_entry();
	void read_build_id();

	ElfFile file_;
	bool program_ = false; // by type or interpreter
};

ElfFile ElfFileReader::run()
{
	file_.usable_ = read_header();
	read_sections();
	if (Status status = read_programs(); file_.usable_)
		file_.usable_ = std::move(status);
	check_entry();
	read_build_id();
	return std::move(file_);
}

Status ElfFileReader::read_header()
{
	GElf_Ehdr header;
	if (!gelf_getehdr(file_.image_.elf(), &header))
		return libelf_failure("ELF header");
	if (header.e_ident[EI_DATA] != ELFDATA2LSB)
		return Error{ENOEXEC, "a big-endian ELF file"};
	file_.arch_ = arch_of_machine(header.e_machine);
	if (file_.arch_ == Arch::none)
		return elf_failure(ENOEXEC, "ELF machine %u is none of amd64, arm64, i386, arm",
				   unsigned{header.e_machine});
	if (header.e_ident[EI_CLASS] != (word_bytes(file_.arch_) == 4 ? ELFCLASS32 : ELFCLASS64))
		return elf_failure(ENOEXEC, "ELF class %u is not that of %s", unsigned{header.e_ident[EI_CLASS]},
				   arch_name(file_.arch_));
	if (header.e_type != ET_EXEC && header.e_type != ET_DYN)
		return elf_failure(ENOEXEC, "ELF type %u is neither a program nor a library", unsigned{header.e_type});
	file_.raw_entry_ = header.e_entry;
	file_.entry_ = file_.arch_ == Arch::arm ? header.e_entry & ~GElf_Addr{1} : header.e_entry;
	program_ = header.e_type == ET_EXEC;
	return Nothing{};
}

Status ElfFileReader::read_programs()
{
	std::size_t count = 0;
	if (elf_getphdrnum(file_.image_.elf(), &count))
		return libelf_failure("program headers");
	if (count > max_programs)
		return elf_failure(EBADMSG, "%zu program headers, more than %zu", count, max_programs);
	Status first = Nothing{};
	for (std::size_t i = 0; i < count; i++)
		if (Status status = add_program(i); first)
			first = std::move(status);
	if (first && file_.segments_.empty())
		first = Error{ENOEXEC, "it has no executable segment"};
	std::sort(file_.segments_.begin(), file_.segments_.end(),
		  [](const Segment& left, const Segment& right) { return left.address < right.address; });
	return first;
}

Status ElfFileReader::add_program(std::size_t number)
{
	GElf_Phdr header;
	if (!gelf_getphdr(file_.image_.elf(), static_cast<int>(number), &header))
		return libelf_failure("program headers");
	const bool executable = (header.p_flags & PF_X) != 0;
	program_ = program_ || header.p_type == PT_INTERP;
	if (file_.debug_only_) {
		if (header.p_type == PT_LOAD && executable && file_.segments_.size() < max_segments &&
		    header.p_memsz <= ~header.p_vaddr)
			file_.segments_.push_back({header.p_vaddr, header.p_memsz, header.p_offset});
		return Nothing{};
	}
	if (header.p_type != PT_LOAD && header.p_type != PT_NOTE)
		file_.programs_[header.p_type] = {"",  header.p_type, header.p_vaddr, header.p_offset, header.p_filesz,
						  true};
	if (header.p_type != PT_LOAD || !header.p_filesz)
		return Nothing{};
	return add_load(number, {header.p_vaddr, header.p_filesz, header.p_offset}, executable);
}

Status ElfFileReader::add_load(std::size_t number, const Segment& load, bool executable)
{
	if (!file_.image_.holds(load.offset, load.bytes))
		return elf_failure(EBADMSG, "program header %zu: bytes 0x%llx+0x%llx lie past the file's end", number,
				   Wide{load.offset}, Wide{load.bytes});
	if (load.bytes > ~load.address)
		return elf_failure(EBADMSG, "program header %zu: addresses 0x%llx+0x%llx wrap around", number,
				   Wide{load.address}, Wide{load.bytes});
	file_.loads_.push_back(load);
	if (!executable)
		return Nothing{};
	if (file_.segments_.size() == max_segments)
		return elf_failure(EBADMSG, "more than %zu executable segments", max_segments);
	file_.segments_.push_back(load);
	return Nothing{};
}

// A loader needs no section headers. If they are missing or broken, only the program
// headers are used.
void ElfFileReader::read_sections()
{
	std::size_t count = 0, names = 0;
	if (elf_getshdrnum(file_.image_.elf(), &count) || count > max_sections ||
	    elf_getshdrstrndx(file_.image_.elf(), &names))
		return;
	for (Elf_Scn* section = nullptr; (section = elf_nextscn(file_.image_.elf(), section));) {
		GElf_Shdr header;
		if (!gelf_getshdr(section, &header))
			continue;
		const char* name = elf_strptr(file_.image_.elf(), names, header.sh_name);
		file_.headers_.push_back({name ? name : "", header.sh_type, header.sh_addr, header.sh_offset,
					  header.sh_size, (header.sh_flags & SHF_ALLOC) != 0,
					  (header.sh_flags & SHF_EXECINSTR) != 0, (header.sh_flags & SHF_TLS) != 0,
					  elf_ndxscn(section), header.sh_link});
	}
	const auto absent_code = [](const ElfHeader& header) { return header.code && header.type == SHT_NOBITS; };
	const auto code = [](const ElfHeader& header) {
		return header.code && header.type != SHT_NOBITS && header.bytes;
	};
	file_.debug_only_ = std::any_of(file_.headers_.begin(), file_.headers_.end(), absent_code) &&
			    std::none_of(file_.headers_.begin(), file_.headers_.end(), code);
}

// A file without an interpreter may still be a program: the dynamic linker, or a
// static one. Such a file needs no library, and its entry is not the start of .text.
void ElfFileReader::check_entry()
{
	if (file_.debug_only_)
		file_.entry_ = 0;
	if (program_ || !file_.program(PT_DYNAMIC))
		return;
	bool needs_library = false;
	for (const ElfDynamic& entry : file_.dynamic()) {
		needs_library = needs_library || entry.tag == DT_NEEDED;
		program_ = program_ || (entry.tag == DT_FLAGS_1 && entry.value & DF_1_PIE);
	}
	if (!program_ && (needs_library || file_.section_address(".text") == file_.entry_))
		file_.entry_ = 0;
}

// By segments, as a process has it. Files that are still to be linked have none, nor have those that dwz makes.
void ElfFileReader::read_build_id()
{
	const auto take = [&](std::uint64_t offset, std::uint64_t bytes, std::uint64_t alignment) {
		if (file_.build_id_.empty() && bytes <= max_note_bytes)
			file_.build_id_ = build_id_in(
				file_.image_.table(offset, bytes, alignment == 8 ? ELF_T_NHDR8 : ELF_T_NHDR));
	};
	std::size_t count = 0;
	if (elf_getphdrnum(file_.image_.elf(), &count))
		return;
	for (std::size_t i = 0; i < count; i++) {
		GElf_Phdr header;
		if (gelf_getphdr(file_.image_.elf(), static_cast<int>(i), &header) && header.p_type == PT_NOTE)
			take(header.p_offset, header.p_filesz, header.p_align);
	}
	for (const ElfHeader& header : file_.headers_)
		if (!count && header.type == SHT_NOTE)
			take(header.offset, header.bytes, 4);
}

namespace {

Result<ElfFile> if_usable(ElfFile file)
{
	if (!file.usable())
		return file.usable().error();
	return file;
}

} // namespace

Result<ElfFile> ElfFile::open_any(int fd, std::shared_ptr<ReadLog> log)
{
	Result<ElfImage> image = ElfImage::open(fd, std::move(log));
	if (!image)
		return image.error();
	return ElfFileReader(std::move(*image)).run();
}

Result<ElfFile> ElfFile::open(int fd)
{
	Result<ElfFile> file = open_any(fd);
	return file ? if_usable(std::move(*file)) : std::move(file);
}

Result<ElfFile> ElfFile::from_bytes(Bytes bytes)
{
	return from_bytes(std::vector<std::uint8_t>(bytes.begin(), bytes.end()));
}

Result<ElfFile> ElfFile::from_bytes(std::vector<std::uint8_t>&& bytes)
{
	Result<ElfImage> image = ElfImage::from_bytes(std::move(bytes));
	if (!image)
		return image.error();
	return if_usable(ElfFileReader(std::move(*image)).run());
}

const ElfHeader* ElfFile::program(std::uint32_t type) const
{
	const auto found = programs_.find(type);
	return found == programs_.end() ? nullptr : &found->second;
}

const ElfHeader* ElfFile::find(std::string_view name) const
{
	for (const ElfHeader& header : headers_)
		if (header.loaded && header.name == name)
			return &header;
	return nullptr;
}

std::optional<std::uint64_t> ElfFile::section_address(std::string_view name) const
{
	const ElfHeader* header = find(name);
	return header ? std::optional(header->address) : std::nullopt;
}

ElfFile::Found ElfFile::contents(const ElfHeader& header) const
{
	if (header.type == SHT_NOBITS || !header.bytes)
		return std::optional<ElfSection>{};
	const Result<Bytes> bytes = image_.chunk(header.offset, header.bytes, header.name);
	if (!bytes)
		return bytes.error();
	return std::optional<ElfSection>{{header.address, header.offset, *bytes, true}};
}

ElfFile::Found ElfFile::section(std::string_view name) const
{
	const ElfHeader* header = find(name);
	return header ? contents(*header) : std::optional<ElfSection>{};
}

std::optional<Segment> ElfFile::segment_at(std::uint64_t address) const
{
	for (const Segment& load : loads_)
		if (address >= load.address && address - load.address < load.bytes)
			return load;
	return std::nullopt;
}

Bytes ElfFile::read(std::uint64_t address, std::uint64_t bytes) const
{
	const std::optional<Segment> segment = segment_at(address);
	if (!segment)
		return {};
	const std::uint64_t into = address - segment->address;
	const Result<Bytes> found =
		image_.chunk(segment->offset + into, std::min(bytes, segment->bytes - into), "code");
	return found ? *found : Bytes{};
}

} // namespace uwind

// SPDX-License-Identifier: GPL-2.0
// A little-endian ELF program or library: its text, its unwind sections.
#pragma once

#include "base/byte_cursor.h"
#include "base/handle.h"
#include "base/result.h"
#include "model/table_rows.h"

#include <functional>
#include <gelf.h>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace uwind {

// The largest section that is read; the module refuses larger ones as well.
inline constexpr std::uint64_t max_section_bytes = 256u << 20;

// A section's contents; bytes live as long as the ElfFile they come from.
struct ElfSection {
	std::uint64_t address = 0;
	std::uint64_t offset = 0; // file offset
	Bytes bytes;
	bool end_known = true; // false: it ends somewhere in bytes, by its own marks
};

struct ElfSymbol {
	std::string_view name;
	std::uint64_t value = 0; // 32-bit Arm: with Thumb's bit
	std::uint64_t bytes = 0;
	std::uint8_t info = 0;     // type and binding
	std::uint16_t section = 0; // SHN_UNDEF: of another file
};

struct ElfRelocation {
	std::uint64_t address = 0;
	std::uint64_t addend = 0; // 0 on 32-bit machines, where it is in place (AAELF32, 5.6.1)
	std::uint32_t type = 0;
	std::uint32_t symbol = 0; // in .dynsym
};

struct ElfDynamic {
	std::int64_t tag = 0;
	std::uint64_t value = 0;
};

// A file of debug information alone has the headers of the program that it was taken from, and
// no code: nothing but its symbols and .debug_frame is there, and its segments are as
// good as their addresses. One that is packed into the program (.gnu_debugdata) is asked for what the
// program was stripped of; it carries no further one.
//
// Reads on demand and never maps the file: one that shrinks meanwhile gives an
// error and no signal. Headers that lie give EBADMSG, a file that is not for us
// (other machine, object file) ENOEXEC.
class ElfFile {
public:
	// fd must stay open as long as the ElfFile is used.
	static Result<ElfFile> open(int fd);
	// The same of whatever libelf reads, for any machine: what is broken is left out, and usable() says why
	// open() would refuse the file.
	static Result<ElfFile> open_any(int fd);
	const Status& usable() const { return usable_; }
	// An image in memory, as the vDSO is: copied, or taken over.
	static Result<ElfFile> from_bytes(Bytes bytes);
	static Result<ElfFile> from_bytes(std::vector<std::uint8_t>&& bytes);

	Arch arch() const { return arch_; }
	// Where the program begins, without Thumb's bit; 0: the file is a library. (Linkers also write an
	// entry address into libraries: the start of .text.)
	std::uint64_t entry() const { return entry_; }
	// With Thumb's bit, whatever the file is.
	std::uint64_t raw_entry() const { return raw_entry_; }
	const std::string& build_id() const { return build_id_; } // hex; "": none
	// Executable PT_LOAD segments, sorted by address.
	const std::vector<Segment>& segments() const { return segments_; }
	// All PT_LOAD segments that are in the file, in its order.
	std::vector<Segment> loads() const;
	// PT_INTERP; "": none.
	std::string interpreter() const;

	// A section's contents; nothing if the file has none, or an empty one.
	using Found = Result<std::optional<ElfSection>>;
	Found sframe() const;      // by program header, section type, or name
	Found eh_frame() const;    // by name, or through PT_GNU_EH_FRAME
	Found exidx() const;       // by program header; 32-bit Arm only
	Found debug_frame() const; // by name, decompressed; it has no address; or that of .gnu_debugdata
	Found section(std::string_view name) const;

	// One that is not loaded, as it is in the file.
	Found unloaded_section(std::string_view name) const;
	// The file of debug information that is packed into this one (.gnu_debugdata); null: none.
	const ElfFile* packed_debug_file() const;

	// Where a section begins, without reading it.
	std::optional<std::uint64_t> section_address(std::string_view name) const;
	// Sections with code, as far as there are section headers and they can be read.
	std::vector<ElfSection> code_sections() const;
	// The symbols of the first table of that section type, in its order. Names live as long as the ElfFile.
	void each_symbol(std::uint32_t type, const std::function<void(const ElfSymbol&)>& visit) const;
	// All of them, read once; none of a table that is larger than 64 MiB.
	const std::vector<ElfSymbol>& symbols(std::uint32_t type) const;
	// Of sections that are loaded: REL on 32-bit machines, RELA on others.
	std::vector<ElfRelocation> relocations() const;
	// The entries of the dynamic section.
	std::vector<ElfDynamic> dynamic() const;
	// The segment that holds an address, executable or not.
	std::optional<Segment> segment_at(std::uint64_t address) const;
	// The file's bytes at an address, at most this many; empty: not in the file.
	Bytes read(std::uint64_t address, std::uint64_t bytes) const;

private:
	struct Load {
		std::uint64_t address, bytes, offset;
		bool executable;
	};
	struct Header {
		std::string name;
		std::uint32_t type;
		std::uint64_t address, offset, bytes;
		bool loaded;
		bool code = false;
		bool per_thread = false; // its addresses are a template's
		std::size_t number = 0;  // of the section
		std::uint32_t link = 0;  // another section's number
	};

	ElfFile() = default;
	static Result<ElfFile> load(ElfFile file);
	static Result<ElfFile> if_usable(Result<ElfFile> file);
	bool is_narrow() const { return gelf_getclass(elf_.get()) == ELFCLASS32; }
	Status read_header();
	Status read_programs();
	Status add_program(std::size_t number);
	Status add_load(std::size_t number, const Load& load);
	void read_sections();
	void check_entry();
	void read_build_id();
	Found contents(const Header& header) const;
	Result<std::optional<std::uint64_t>> unpacked_bytes(const Header& header, Elf_Scn* section) const;
	Found decompressed(const Header& header) const;
	const Header* find_unloaded(std::string_view name) const;
	bool is_absent(std::uint64_t address) const;
	Found from_eh_frame_header() const;
	Result<Bytes> chunk(std::uint64_t offset, std::uint64_t bytes, const std::string& what) const;
	// Entries of a table as libelf reads them, in this machine's form; whole ones only. Null: cut off or too many.
	Elf_Data* typed(std::uint64_t offset, std::uint64_t bytes, Elf_Type type) const;
	const Header* find(std::string_view name) const;
	const Header* symbol_table(std::uint32_t type) const;

	std::vector<std::uint8_t> image_; // empty when read from a descriptor
	std::unique_ptr<Elf, FreeWith<&elf_end>> elf_;
	std::uint64_t file_bytes_ = 0;
	Status usable_ = Nothing{};
	Arch arch_ = Arch::none;
	std::uint64_t entry_ = 0, raw_entry_ = 0;
	std::string build_id_;
	std::vector<Segment> segments_;
	std::vector<Load> loads_;
	std::vector<Header> headers_;
	std::optional<Header> sframe_segment_;
	std::optional<Header> eh_frame_header_;
	std::optional<Header> exidx_;
	std::optional<Header> dynamic_;
	std::optional<Header> interpreter_;
	bool program_ = false;    // by type or interpreter
	bool debug_only_ = false; // none of the code is in the file
	// .gnu_debugdata, when it has been asked for; a file that was packed is never asked for another one.
	mutable std::map<std::uint32_t, std::vector<ElfSymbol>> symbols_; // by section type
	mutable bool packed_read_ = false;
	mutable std::shared_ptr<const ElfFile> packed_;
};

} // namespace uwind

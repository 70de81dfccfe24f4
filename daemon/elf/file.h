// SPDX-License-Identifier: GPL-2.0
// An ELF program or library: its segments, its sections.
#pragma once

#include "elf/image.h"
#include "model/table_rows.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace uwind {

// A section's contents; bytes live as long as the ElfFile they come from.
struct ElfSection {
	std::uint64_t address = 0;
	std::uint64_t offset = 0; // file offset
	Bytes bytes;
	bool end_known = true; // false: it ends somewhere in bytes, by its own marks
};

// A section, or a program header, which has no name.
struct ElfHeader {
	std::string name;
	std::uint32_t type = 0;
	std::uint64_t address = 0, offset = 0, bytes = 0;
	bool loaded = false;
	bool code = false;
	bool per_thread = false; // its addresses are a template's
	std::size_t number = 0;  // of the section; 0: a program header
	std::uint32_t link = 0;  // another section's number
};

struct ElfSymbol {
	std::string_view name;
	std::uint64_t value = 0; // 32-bit Arm: with Thumb's bit
	std::uint64_t bytes = 0;
	std::uint8_t info = 0;     // type and binding
	std::uint16_t section = 0; // SHN_UNDEF: of another file
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
// Headers that lie give EBADMSG, a file that is not for us
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
	const std::vector<Segment>& loads() const { return loads_; }

	const ElfImage& image() const { return image_; }
	// Sections, by number from 1 on; empty where there are none or they cannot be read.
	const std::vector<ElfHeader>& headers() const { return headers_; }
	// The last program header of a type, PT_LOAD and PT_NOTE left out; null: none.
	const ElfHeader* program(std::uint32_t type) const;
	// The first section of that name that is loaded; null: none.
	const ElfHeader* find(std::string_view name) const;
	// Its address, without reading it.
	std::optional<std::uint64_t> section_address(std::string_view name) const;
	// A section's contents; nothing if the file has none, or an empty one.
	using Found = Result<std::optional<ElfSection>>;
	Found contents(const ElfHeader& header) const;
	Found section(std::string_view name) const;
	// The symbols of the first table of that section type, in its order. Names live as long as the ElfFile.
	void each_symbol(std::uint32_t type, const std::function<void(const ElfSymbol&)>& visit) const;
	// All of them, read once; none of a table that is larger than 64 MiB.
	const std::vector<ElfSymbol>& symbols(std::uint32_t type) const;
	// The entries of the dynamic section, up to DT_NULL.
	std::vector<ElfDynamic> dynamic() const;
	// The file of debug information that is packed into this one (.gnu_debugdata); null: none.
	const ElfFile* packed_debug_file() const;
	// The segment that holds an address, executable or not.
	std::optional<Segment> segment_at(std::uint64_t address) const;
	// The file's bytes at an address, at most this many; empty: not in the file.
	Bytes read(std::uint64_t address, std::uint64_t bytes) const;

private:
	friend class ElfFileReader;
	explicit ElfFile(ElfImage image) : image_(std::move(image)) {}

	ElfImage image_;
	Status usable_ = Nothing{};
	Arch arch_ = Arch::none;
	std::uint64_t entry_ = 0, raw_entry_ = 0;
	std::string build_id_;
	std::vector<Segment> segments_, loads_;
	std::vector<ElfHeader> headers_;
	std::map<std::uint32_t, ElfHeader> programs_; // by type
	bool debug_only_ = false;                     // none of the code is in the file
	// What has been asked for.
	mutable std::map<std::uint32_t, std::vector<ElfSymbol>> symbols_; // by section type
	// A file that was packed is never asked for another one.
	mutable bool packed_read_ = false;
	mutable std::shared_ptr<const ElfFile> packed_;
};

} // namespace uwind

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

// A section's contents. The bytes live as long as their ElfFile.
struct ElfSection {
	std::uint64_t address = 0;
	std::uint64_t offset = 0; // file offset
	Bytes bytes;
	bool end_known = true; // false: a mark of its own ends it before the end of bytes
};

// A section header, or a program header, which has no name.
struct ElfHeader {
	std::string name;
	std::uint32_t type = 0;
	std::uint64_t address = 0, offset = 0, bytes = 0;
	bool loaded = false;
	bool code = false;
	bool per_thread = false; // thread-local: its addresses are those of a template
	std::size_t number = 0;  // of the section; 0: a program header
	std::uint32_t link = 0;  // another section's number
};

struct ElfSymbol {
	std::string_view name;
	std::uint64_t value = 0; // 32-bit Arm: bit 0 says Thumb
	std::uint64_t bytes = 0;
	std::uint8_t info = 0;     // type and binding
	std::uint16_t section = 0; // SHN_UNDEF: defined in another file
};

struct ElfDynamic {
	std::int64_t tag = 0;
	std::uint64_t value = 0;
};

// A separate debug file has the headers of its program but no code: only its symbols and
// .debug_frame have contents, and only the addresses of its segments are valid. A debug file that
// is packed into its program (.gnu_debugdata) has what the program was stripped of; one
// inside it is not looked for.
//
// EBADMSG: contradictory headers. ENOEXEC: the file is for another machine, or neither a
// program nor a library.
class ElfFile {
public:
	// fd must stay open as long as the ElfFile is used.
	static Result<ElfFile> open(int fd);
	// Opens any file that libelf reads, for any machine. Leaves out what is broken; usable() says why
	// open() would refuse the file.
	// log: of what is read besides headers; null: none.
	static Result<ElfFile> open_any(int fd, std::shared_ptr<ReadLog> log = {});
	const Status& usable() const { return usable_; }
	// An image in memory, such as the vDSO's. The bytes are copied, or moved.
	static Result<ElfFile> from_bytes(Bytes bytes);
	static Result<ElfFile> from_bytes(std::vector<std::uint8_t>&& bytes);

	Arch arch() const { return arch_; }
	// The program's entry address, without the Thumb bit; 0: the file is a library. (Linkers write an
	// entry address into libraries too: the start of .text.)
	std::uint64_t entry() const { return entry_; }
	// The header's entry address, with the Thumb bit, also of a library.
	std::uint64_t raw_entry() const { return raw_entry_; }
	const std::string& build_id() const { return build_id_; } // hex; "": none
	// Executable PT_LOAD segments, sorted by address.
	const std::vector<Segment>& segments() const { return segments_; }
	// All PT_LOAD segments with contents in the file, in the file's order.
	const std::vector<Segment>& loads() const { return loads_; }

	const ElfImage& image() const { return image_; }
	// Sections, by number from 1 on; empty: there are none, or they cannot be read.
	const std::vector<ElfHeader>& headers() const { return headers_; }
	// The last program header of a type other than PT_LOAD and PT_NOTE; null: none.
	const ElfHeader* program(std::uint32_t type) const;
	// The first section of that name that is loaded; null: none.
	const ElfHeader* find(std::string_view name) const;
	// The address of that section; does not read its contents.
	std::optional<std::uint64_t> section_address(std::string_view name) const;
	// A section's contents. Nothing: the file has no such section, or an empty one.
	using Found = Result<std::optional<ElfSection>>;
	Found contents(const ElfHeader& header) const;
	Found section(std::string_view name) const;
	// The symbols of the first symbol table of that section type, in its order. Names live as long as the ElfFile.
	void each_symbol(std::uint32_t type, const std::function<void(const ElfSymbol&)>& visit) const;
	// All symbols, read once. Empty if the table is larger than 64 MiB.
	const std::vector<ElfSymbol>& symbols(std::uint32_t type) const;
	// The entries of the dynamic section, up to DT_NULL.
	std::vector<ElfDynamic> dynamic() const;
	// The debug file that is packed into this file (.gnu_debugdata); null: none.
	const ElfFile* packed_debug_file() const;
	// The segment that holds an address, executable or not.
	std::optional<Segment> segment_at(std::uint64_t address) const;
	// At most this many bytes at an address; empty: the address is not in the file.
	Bytes read(std::uint64_t address, std::uint64_t bytes) const;

private:
	friend class ElfFileReader;
	friend void add_headers(Digest& digest, const ElfFile& file);
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
	// Filled when they are first asked for.
	mutable std::map<std::uint32_t, std::vector<ElfSymbol>> symbols_; // by section type
	// A packed file is not searched for another one.
	mutable bool packed_read_ = false;
	mutable std::shared_ptr<const ElfFile> packed_;
};

} // namespace uwind

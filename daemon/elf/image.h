// SPDX-License-Identifier: GPL-2.0
// The bytes of an ELF file, in a descriptor or in memory.
#pragma once

#include "base/byte_cursor.h"
#include "base/handle.h"
#include "base/result.h"
#include "elf/large_pieces.h"
#include "elf/read_log.h"

#include <gelf.h>
#include <memory>
#include <string>
#include <vector>

namespace uwind {

// The largest section that is read. The module also refuses larger ones.
inline constexpr std::uint64_t max_section_bytes = 256u << 20;

// Reads on demand and never maps the file, so a file that shrinks meanwhile causes an
// error, not a signal. Bytes that were read live as long as the image.
class ElfImage {
public:
	// fd must stay open as long as the image is used. ENOEXEC: not an ELF file.
	// log: of what chunk() and table() read from now on; null: none.
	static Result<ElfImage> open(int fd, std::shared_ptr<ReadLog> log = {});
	static Result<ElfImage> from_bytes(std::vector<std::uint8_t>&& bytes);

	Elf* elf() const { return elf_.get(); }
	ReadLog* log() const { return log_.get(); }
	bool is_narrow() const { return gelf_getclass(elf()) == ELFCLASS32; }
	std::uint64_t file_bytes() const { return file_bytes_; }
	// Whether these bytes are in the file.
	bool holds(std::uint64_t offset, std::uint64_t bytes) const
	{
		return offset <= file_bytes_ && bytes <= file_bytes_ - offset;
	}
	// what: the name of the bytes in an error's message.
	Result<Bytes> chunk(std::uint64_t offset, std::uint64_t bytes, const std::string& what) const;
	// Read anew, not logged, and not kept. False: they are not in the file.
	bool copy(std::uint64_t offset, std::span<std::uint8_t> to) const;
	// The entries of a table, converted by libelf to this machine's form; only whole ones. Null: the table is
	// truncated, or larger than the limit.
	Elf_Data* table(std::uint64_t offset, std::uint64_t bytes, Elf_Type type) const;

private:
	ElfImage() = default;
	static Result<ElfImage> checked(ElfImage image);
	Result<Bytes> peek(std::uint64_t offset, std::uint64_t bytes, const std::string& what) const;

	std::vector<std::uint8_t> bytes_; // empty when read from a descriptor
	int fd_ = -1;
	mutable LargePieces large_; // that libelf has not read
	std::unique_ptr<Elf, FreeWith<&elf_end>> elf_;
	std::uint64_t file_bytes_ = 0;
	std::shared_ptr<ReadLog> log_;
};

} // namespace uwind

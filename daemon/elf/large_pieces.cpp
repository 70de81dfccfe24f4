// SPDX-License-Identifier: GPL-2.0
#include "elf/large_pieces.h"

#include <cerrno>
#include <sys/mman.h>
#include <unistd.h>

namespace uwind {
namespace {

Status read_all(int fd, std::uint8_t* to, std::uint64_t offset, std::uint64_t bytes, const std::string& what)
{
	while (bytes) {
		const ssize_t got = pread(fd, to, bytes, static_cast<off_t>(offset));
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return errno_error(errno, what);
		if (!got)
			return Error{EBADMSG, what + ": the file has become shorter"};
		to += got;
		offset += static_cast<std::uint64_t>(got);
		bytes -= static_cast<std::uint64_t>(got);
	}
	return Nothing{};
}

} // namespace

void LargePieces::Unmap::operator()(std::uint8_t* memory) const
{
	munmap(memory, bytes);
}

LargePieces::Memory LargePieces::allocate(std::uint64_t bytes)
{
	void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED)
		return {};
	madvise(memory, bytes, MADV_HUGEPAGE); // without them it is slower, and the same
	return Memory(static_cast<std::uint8_t*>(memory), Unmap{bytes});
}

Result<Bytes> LargePieces::read(int fd, std::uint64_t offset, std::uint64_t bytes, const std::string& what)
{
	Memory& piece = pieces_[{offset, bytes}];
	if (piece)
		return Bytes(piece.get(), bytes);
	Memory memory = allocate(bytes);
	if (!memory)
		return errno_error(ENOMEM, what);
	if (Status status = read_all(fd, memory.get(), offset, bytes, what); !status)
		return status.error();
	piece = std::move(memory);
	return Bytes(piece.get(), bytes);
}

} // namespace uwind

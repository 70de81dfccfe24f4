// SPDX-License-Identifier: GPL-2.0
// Large pieces of a file, each read once: into memory of huge pages where the system has them, as tens of MiB of small
// ones take a page fault each 4 KiB.
#pragma once

#include "base/byte_cursor.h"
#include "base/result.h"

#include <map>
#include <memory>
#include <utility>

namespace uwind {

class LargePieces {
public:
	static constexpr std::uint64_t least_bytes = 4 << 20; // worth it

	// They live as long as this. what: their name in an error's message.
	Result<Bytes> read(int fd, std::uint64_t offset, std::uint64_t bytes, const std::string& what);

private:
	struct Unmap {
		std::uint64_t bytes = 0;
		void operator()(std::uint8_t* memory) const;
	};
	using Memory = std::unique_ptr<std::uint8_t, Unmap>;

	static Memory allocate(std::uint64_t bytes);

	std::map<std::pair<std::uint64_t, std::uint64_t>, Memory> pieces_; // by offset and bytes
};

} // namespace uwind

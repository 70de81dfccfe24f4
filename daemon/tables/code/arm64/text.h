// SPDX-License-Identifier: GPL-2.0
// A stretch of arm64 code. Places in it are words, counted from its first.
#pragma once

#include "base/byte_cursor.h"
#include "tables/isa/arm64/instruction.h"

#include <vector>

namespace uwind {

class Arm64Text {
public:
	Arm64Text(Bytes code, std::uint64_t address);

	std::size_t places() const { return words_.size(); }
	std::uint64_t address_of(std::size_t at) const { return address_ + at * 4; }
	bool has(std::int64_t at) const { return at >= 0 && at < static_cast<std::int64_t>(words_.size()); }
	std::uint32_t word(std::size_t at) const { return words_[at]; }
	bool is_padding(std::size_t at) const { return words_[at] == arm64_nop || words_[at] == 0; }
	bool is_all_padding() const;

private:
	const std::uint64_t address_;
	std::vector<std::uint32_t> words_;
};

} // namespace uwind

// SPDX-License-Identifier: GPL-2.0
// What it takes to go on with a walk that ended for want of a table.
#pragma once

#include <array>
#include <cstdint>
#include <string.h>
#include <utility>
#include <vector>

#include "model/arch.h"
#include "model/words.h"

namespace uwind {

// A piece of somebody's stack, which is not left in memory.
class StackBytes {
public:
	StackBytes() = default;
	explicit StackBytes(std::vector<std::uint8_t> bytes) : bytes_(std::move(bytes)) {}
	StackBytes(StackBytes&&) = default;
	StackBytes& operator=(StackBytes&& other) noexcept
	{
		std::swap(bytes_, other.bytes_);
		return *this;
	}
	~StackBytes()
	{
		if (!bytes_.empty())
			explicit_bzero(bytes_.data(), bytes_.size());
	}

	const std::vector<std::uint8_t>& get() const { return bytes_; }

private:
	std::vector<std::uint8_t> bytes_;
};

// Mirrors struct uwind_record_unfinished of uwind.h, which documents the members.
struct Unfinished {
	Arch arch = Arch::none;
	std::uint32_t file = 0; // number of a FileRecord, which had no table
	std::uint32_t nr_frames = 0;
	Method method = Method::NONE;
	std::uint32_t signal_frames = 0;
	bool exact = false;
	bool doubted = false;
	bool r11 = false;
	bool thumb = false;
	std::uint64_t pc = 0;
	std::uint32_t known = 0;
	std::uint32_t on_stack = 0;
	std::array<std::uint64_t, 32> registers{};
	StackBytes stack; // from SP upwards

	// An address in its code: a return address may be the first after its function.
	std::uint64_t lookup() const { return pc - !exact; }
};

} // namespace uwind

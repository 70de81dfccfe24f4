// SPDX-License-Identifier: GPL-2.0
// What a process has for the stack of its first thread.
#pragma once

#include <cstdint>
#include <optional>

namespace uwind {

struct StackRoom {
	std::uint64_t mapped_bytes = 0;           // so far: it grows
	std::optional<std::uint64_t> limit_bytes; // RLIMIT_STACK; nothing: unlimited

	bool operator==(const StackRoom&) const = default;
};

} // namespace uwind

// SPDX-License-Identifier: GPL-2.0
// Names of functions as programmers write them: C++, Rust, D.
#pragma once

#include <string>

namespace uwind {

inline constexpr std::size_t most_demangled_bytes = 64u << 10; // a few letters may stand for gigabytes

// The demangled form of a name that a compiler of C++ (_Z), Rust (_R, or _ZN with a hash) or D (_D) has made. Others,
// and those whose form would be longer, are returned as they are.
std::string demangled(const std::string& name);

} // namespace uwind

// SPDX-License-Identifier: GPL-2.0
// Where readers of code begin.
#pragma once

#include <cstdint>

namespace uwind {

struct CodeFunction {
	std::uint64_t start = 0; // address
	std::uint64_t bytes = 0; // 0: not known
};

} // namespace uwind

// SPDX-License-Identifier: GPL-2.0
// Of a caller, formats have an address within its call, since readers look up what they find there.
#pragma once

#include <cstddef>
#include <cstdint>

#include "model/report.h"

namespace uwind {

// Whether that frame of the stack has its return address, not that of an instruction.
inline bool is_return(const ReportStack& stack, std::size_t frame)
{
	return frame >= stack.methods.size() || !is_exact(stack.methods[frame]);
}

inline std::uint64_t address_in_code(const ReportFrame& frame, bool is_return)
{
	return frame.address - (is_return && frame.address ? 1 : 0);
}

} // namespace uwind

// SPDX-License-Identifier: GPL-2.0
// What tells of changes of the kernel's text on this machine.
#pragma once

#include <memory>

#include "model/arch.h"
#include "port/text_changes.h"

namespace uwind {

// Of the kernel that this program was built for.
constexpr Arch own_arch()
{
#if defined(__aarch64__)
	return Arch::arm64;
#else
	return Arch::x86_64;
#endif
}

std::unique_ptr<TextChanges> text_changes_of_this_machine();

} // namespace uwind

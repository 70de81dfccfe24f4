// SPDX-License-Identifier: GPL-2.0
// What the kernel's functions take and return, by its type information (BTF).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "port/kernel_names.h"

namespace uwind {

inline constexpr const char* btf_folder = "/sys/kernel/btf";

// Of functions, in order. folder has a file vmlinux and one of each module. Nothing: there is no such information, or
// the compiler has changed what the function takes.
std::vector<std::optional<KernelSignature>> signatures_in_btf(const std::vector<KernelName>& functions,
							      const std::string& folder);

} // namespace uwind

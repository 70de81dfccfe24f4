// SPDX-License-Identifier: GPL-2.0
// What kernel code is called.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/kernel_function.h"

namespace uwind {

struct KernelName {
	std::string symbol;
	std::uint64_t offset = 0; // of the address from the symbol's start
	std::string module;       // "nf_tables"; "": the kernel itself
};

// The kernel, or one of its modules.
struct KernelModule {
	std::uint64_t start = 0; // address of its code; 0: not known
	std::string build_id;    // "": none
};

class KernelNames {
public:
	virtual ~KernelNames() = default;

	// Of each address, in order. Nothing: there is no name, or this user may not see it (kernel.kptr_restrict).
	virtual std::vector<std::optional<KernelName>> find(const std::vector<std::uint64_t>& addresses) = 0;
	virtual KernelModule module(const std::string& name) = 0;
	// Of symbols of the kernel itself, in order. 0: there is none, or it may not be seen.
	virtual std::vector<std::uint64_t> addresses_of(const std::vector<std::string>& symbols) = 0;
	// Of functions, in order, by the kernel's own type information. Nothing: it has none of that function.
	virtual std::vector<std::optional<KernelSignature>> signatures(const std::vector<KernelName>& functions) = 0;
	// "": it has none that is known. compat: one of the 32-bit ABI.
	virtual std::string syscall_name(std::uint32_t number, bool compat) = 0;
};

} // namespace uwind

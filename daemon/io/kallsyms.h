// SPDX-License-Identifier: GPL-2.0
// Names of kernel code, as /proc/kallsyms, /proc/modules and /sys show them now.
#pragma once

#include <string_view>

#include "base/byte_cursor.h"
#include "port/kernel_names.h"

namespace uwind {

class Kallsyms : public KernelNames {
public:
	std::vector<std::optional<KernelName>> find(const std::vector<std::uint64_t>& addresses) override;
	KernelModule module(const std::string& name) override;
	std::vector<std::uint64_t> addresses_of(const std::vector<std::string>& symbols) override;
	std::vector<std::optional<KernelSignature>> signatures(const std::vector<KernelName>& functions) override;
	std::string syscall_name(std::uint32_t number, bool compat) override;
};

// The same in the text of /proc/kallsyms.
std::vector<std::optional<KernelName>> find_in_kallsyms(std::string_view text,
							const std::vector<std::uint64_t>& addresses);
// Of a symbol of no module. 0: it is not there.
std::uint64_t address_in_kallsyms(std::string_view text, std::string_view symbol);
// In the text of /proc/modules. 0: it is not there.
std::uint64_t module_start_in(std::string_view modules, std::string_view name);
// Of one that is loaded; "": of the kernel.
std::string build_id_of_module(const std::string& name);
// Among ELF notes with an alignment of 4, in hexadecimal. "": none.
std::string build_id_in(Bytes notes);

} // namespace uwind

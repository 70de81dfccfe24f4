// SPDX-License-Identifier: GPL-2.0
// What symbols and relocations say about code.
#pragma once

#include "elf/file.h"
#include "tables/code/function.h"

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace uwind {

// In 32-bit Arm files bit 0 of a function's address is set for Thumb code.

// Where symbols say that functions begin, and the entry of a 32-bit Arm program; sorted.
std::vector<std::uint64_t> function_starts(const ElfFile& file);
// The same with their sizes, and the parts that compilers split off; not sorted.
std::vector<CodeFunction> function_extents(const ElfFile& file);
// Where the functions of these names (sorted) begin, each once; sorted.
std::vector<std::uint64_t> functions_named(const ElfFile& file, std::span<const std::string_view> names);
std::vector<std::uint64_t> functions_named(const ElfFile& file, std::string_view name);
// Where the dynamic linker or the C library calls code that needs no symbol: DT_INIT and DT_FINI,
// or the sections .init and .fini.
std::vector<std::uint64_t> start_and_end_code(const ElfFile& file);
// 32-bit Arm: what relocations without a symbol point to in executable segments; sorted.
std::vector<std::uint64_t> code_pointers(const ElfFile& file);
// Size of the symbol at an address; 0: unknown.
std::uint64_t symbol_bytes(const ElfFile& file, std::uint64_t address);
// The address that a relocation without a symbol writes to a place; on 64-bit machines only.
std::optional<std::uint64_t> relocated_address(const ElfFile& file, std::uint64_t place);
// Slots of imported functions, by address: their names. Not of arm64.
std::map<std::uint64_t, std::string> imports(const ElfFile& file);

} // namespace uwind

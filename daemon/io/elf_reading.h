// SPDX-License-Identifier: GPL-2.0
// What every reader of ELF files here needs: a handle, sections, the build-id.
#pragma once

#include <gelf.h>
#include <libelf.h>
#include <memory>
#include <string>

#include "base/handle.h"
#include "base/result.h"

namespace uwind {

using ElfHandle = std::unique_ptr<Elf, FreeWith<&elf_end>>;

// fd must stay open as long as the handle is used. ENOEXEC: not an ELF file.
Result<ElfHandle> open_elf(int fd);

struct FoundSection {
	Elf_Scn* section = nullptr; // nullptr: there is none
	GElf_Shdr header{};
};

// The first section of a type.
FoundSection find_section(Elf* elf, GElf_Word type);
// The first section of a name.
FoundSection find_section(Elf* elf, const char* name);

// Lower-case hex; "": none.
std::string build_id_of(Elf* elf);

} // namespace uwind

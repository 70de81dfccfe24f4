// SPDX-License-Identifier: GPL-2.0
// The sections that say how code is unwound, wherever a file has them.
#pragma once

#include "elf/file.h"

namespace uwind {

// By program header, section type, or name.
ElfFile::Found sframe_section(const ElfFile& file);
// By name, or through PT_GNU_EH_FRAME.
ElfFile::Found eh_frame_section(const ElfFile& file);
// By program header; 32-bit Arm only.
ElfFile::Found exidx_section(const ElfFile& file);
// By name, decompressed; it has no address; or that of .gnu_debugdata.
ElfFile::Found debug_frame_section(const ElfFile& file);
// One that is in the file, loaded or not, as it is there.
ElfFile::Found unloaded_section(const ElfFile& file, std::string_view name);
// Sections with code, as far as there are section headers and they can be read.
std::vector<ElfSection> code_sections(const ElfFile& file);

} // namespace uwind

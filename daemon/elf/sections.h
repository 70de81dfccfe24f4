// SPDX-License-Identifier: GPL-2.0
// The sections with unwind data, wherever a file has them.
#pragma once

#include "elf/file.h"

namespace uwind {

// By program header, section type, or name.
ElfFile::Found sframe_section(const ElfFile& file);
// By name, or through PT_GNU_EH_FRAME.
ElfFile::Found eh_frame_section(const ElfFile& file);
// By program header; 32-bit Arm only.
ElfFile::Found exidx_section(const ElfFile& file);
// By name, decompressed; without an address. Else that of .gnu_debugdata.
ElfFile::Found debug_frame_section(const ElfFile& file);
// A section in the file, loaded or not, not decompressed.
ElfFile::Found unloaded_section(const ElfFile& file, std::string_view name);
// Sections with code; empty without readable section headers.
std::vector<ElfSection> code_sections(const ElfFile& file);

} // namespace uwind

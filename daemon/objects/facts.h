// SPDX-License-Identifier: GPL-2.0
// What a report says of a file, and what the dynamic linker will load with it.
#pragma once

#include "elf/file.h"
#include "port/objects.h"

namespace uwind {

ObjectFacts facts_of(const ElfFile& file);

// "#! /bin/sh -e" → "/bin/sh"; "" if the file is no script.
std::string script_interpreter(int fd);

} // namespace uwind

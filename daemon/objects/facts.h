// SPDX-License-Identifier: GPL-2.0
// The facts of a file that a report shows, and the files that the dynamic linker loads with it.
#pragma once

#include "elf/file.h"
#include "port/objects.h"

namespace uwind {

ObjectFacts facts_of(const ElfFile& file);

// "#! /bin/sh -e" → "/bin/sh"; "": the file is no script.
std::string script_interpreter(int fd);

} // namespace uwind

// SPDX-License-Identifier: GPL-2.0
// The real ports of both programs, ELF files included.
#pragma once

#include "app/recording.h"
#include "io/machine.h"
#include "objects/elf_objects.h"

namespace uwind {

// Files stay open until their addresses have names.
constexpr std::size_t open_files_wanted = 2048;

inline Ports ports_of(Machine& machine, Objects& objects)
{
	return Ports{*machine.device, *machine.stream, machine.processes, objects, machine.clock, machine.threads};
}

} // namespace uwind

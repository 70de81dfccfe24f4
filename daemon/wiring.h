// SPDX-License-Identifier: GPL-2.0
// What both programs connect: the real outside and the tables that ELF files give.
#pragma once

#include "app/recording.h"
#include "io/debug_file.h"
#include "io/machine.h"
#include "tables/file_tables.h"

namespace uwind {

// Files stay open until they have names for their addresses.
constexpr std::size_t open_files_wanted = 2048;

inline Ports ports_of(Machine& machine, Tables& tables)
{
	return Ports{*machine.device, *machine.stream, machine.processes, machine.objects,
		     tables,          machine.clock,   machine.threads};
}

} // namespace uwind

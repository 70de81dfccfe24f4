// SPDX-License-Identifier: GPL-2.0
// The real ports of both programs, ELF files included.
#pragma once

#include <spdlog/spdlog.h>

#include "app/recording.h"
#include "io/machine.h"
#include "objects/elf_objects.h"
#include "walk/unwinder.h"

namespace uwind {

// Files stay open until their addresses have names.
constexpr std::size_t open_files_wanted = 2048;

// table_cache: a folder; "": none.
inline ElfObjects objects_with(const std::string& table_cache)
{
	if (table_cache.empty())
		return ElfObjects();
	auto folder = CacheFolder::open(table_cache);
	const auto key = folder ? folder->key() : Result<Digest::Key>(folder.error());
	if (key)
		return ElfObjects(debug_folder, TableCache(std::move(*folder), *key));
	spdlog::warn("tables are not kept for the next time: {}", key.error().message);
	return ElfObjects();
}

inline Ports ports_of(Machine& machine, Objects& objects, Unwinder& unwinder)
{
	return Ports{*machine.device, *machine.stream, machine.processes, objects,
		     machine.clock,   machine.threads, unwinder};
}

} // namespace uwind

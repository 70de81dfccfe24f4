// SPDX-License-Identifier: GPL-2.0
// The real ports of both programs, ELF files included.
#pragma once

#include <cerrno>
#include <memory>
#include <spdlog/spdlog.h>

#include "app/recording.h"
#include "io/machine.h"
#include "objects/elf_objects.h"
#include "walk/unwinder.h"

namespace uwind {

// Files stay open until their addresses have names.
constexpr std::size_t open_files_wanted = 2048;
// Kept tables that were used within a day do not give way to those that are made ahead.
constexpr std::int64_t spared_ns = 24ll * 60 * 60 * 1'000'000'000;

// folder: "": none, an error too.
inline Result<TableCache> open_table_cache(const std::string& folder)
{
	if (folder.empty())
		return Error{ENOENT, "there is no folder for tables: set table_cache"};
	auto opened = CacheFolder::open(folder);
	const auto key = opened ? opened->key() : Result<Digest::Key>(opened.error());
	if (!key)
		return key.error();
	return TableCache(std::move(*opened), *key);
}

// cache: of that folder. Who wants none is not warned.
inline ElfObjects objects_with(const Result<TableCache>& cache, const std::string& folder)
{
	if (cache)
		return ElfObjects(debug_folder, *cache);
	if (!folder.empty())
		spdlog::warn("tables are not kept for the next time: {}", cache.error().message);
	return ElfObjects();
}

inline ElfObjects objects_with(const std::string& folder)
{
	return objects_with(open_table_cache(folder), folder);
}

// What makes tables ahead and keeps them there.
inline std::shared_ptr<Objects> objects_ahead(const TableCache& cache)
{
	return std::make_shared<ElfObjects>(debug_folder, cache.sparing(cache_clock_ns() - spared_ns));
}

inline Ports ports_of(Machine& machine, Objects& objects, Unwinder& unwinder)
{
	return Ports{*machine.device, *machine.stream,       machine.processes,
		     objects,         machine.clock,         machine.threads,
		     unwinder,        machine.kernel_names,  machine.kernel_regions,
		     machine.lives,   machine.generated_code};
}

} // namespace uwind

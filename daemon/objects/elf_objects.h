// SPDX-License-Identifier: GPL-2.0
// ELF files. Each is opened once for its facts, its table and its names.
#pragma once

#include <optional>

#include "io/debug_file.h"
#include "objects/table_cache.h"
#include "port/objects.h"

namespace uwind {

class ElfObjects : public Objects {
public:
	// debug_folder: the folder in which packages install separate debug files.
	// cache: of tables; nothing: none is kept.
	explicit ElfObjects(std::string folder = debug_folder, std::optional<TableCache> cache = {})
	    : debug_folder_(std::move(folder)), cache_(std::move(cache))
	{
	}

	Result<std::unique_ptr<Object>> open(std::shared_ptr<UniqueFd> fd) override;

private:
	const std::string debug_folder_;
	const std::optional<TableCache> cache_; // the objects use it
};

} // namespace uwind

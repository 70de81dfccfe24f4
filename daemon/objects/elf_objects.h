// SPDX-License-Identifier: GPL-2.0
// ELF files. Each is opened once for its facts, its table and its names.
#pragma once

#include "io/debug_file.h"
#include "port/objects.h"

namespace uwind {

class ElfObjects : public Objects {
public:
	// debug_folder: the folder in which packages install separate debug files.
	explicit ElfObjects(std::string folder = debug_folder) : debug_folder_(std::move(folder)) {}

	Result<std::unique_ptr<Object>> open(std::shared_ptr<UniqueFd> fd) override;

private:
	const std::string debug_folder_;
};

} // namespace uwind

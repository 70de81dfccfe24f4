// SPDX-License-Identifier: GPL-2.0
// ELF files read through libelf.
#pragma once

#include "io/debug_file.h"
#include "port/objects.h"

namespace uwind {

class ElfObjects : public Objects {
public:
	// debug_folder: where packages put separate debug files.
	explicit ElfObjects(std::string folder = debug_folder) : debug_folder_(std::move(folder)) {}

	Result<ObjectFacts> facts(int fd) override;
	Result<Functions> functions(int fd, const std::string& path) override;

private:
	const std::string debug_folder_;
};

} // namespace uwind

// SPDX-License-Identifier: GPL-2.0
// ELF files read through libelf.
#pragma once

#include "port/objects.h"

namespace uwind {

class ElfObjects : public Objects {
public:
	Result<ObjectFacts> facts(int fd) override;
	Result<std::vector<Symbol>> functions(int fd) override;
};

} // namespace uwind

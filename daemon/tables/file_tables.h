// SPDX-License-Identifier: GPL-2.0
// Tables made from ELF files, for this machine.
#pragma once

#include "port/tables.h"

namespace uwind {

class FileTables : public Tables {
public:
	Result<TableContent> of_file(int fd) override;
	Result<TableContent> of_vdso(int fd) override;
	std::uint64_t entry_bytes(int fd) override;
};

} // namespace uwind

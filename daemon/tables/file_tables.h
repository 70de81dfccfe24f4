// SPDX-License-Identifier: GPL-2.0
// Tables made from ELF files, for this machine.
#pragma once

#include "port/tables.h"
#include "tables/table_builder.h"

namespace uwind {

class FileTables : public Tables {
public:
	explicit FileTables(DebugFiles debug_files = {}) : debug_files_(std::move(debug_files)) {}

	Result<FileContent> of_file(int fd) override;
	Result<FileContent> of_vdso(int fd) override;
	std::uint64_t entry_bytes(int fd) override;

private:
	DebugFiles debug_files_;
};

} // namespace uwind

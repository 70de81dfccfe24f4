// SPDX-License-Identifier: GPL-2.0
// The verb uwind table: shows a file's unwind table.
#pragma once

#include <CLI/CLI.hpp>

namespace uwind {

// Exit code 65: the file is not an ELF file for a supported machine, or its unwind data are
// broken or missing.
inline constexpr int exit_bad_data = 65;

void add_table_command(CLI::App& app, int& exit_code);

} // namespace uwind

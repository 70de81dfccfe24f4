// SPDX-License-Identifier: GPL-2.0
// The verb uwind table: what a file's unwind table looks like.
#pragma once

#include <CLI/CLI.hpp>

namespace uwind {

// A file that is not an ELF file of ours, or whose unwind data are broken or
// missing, gives exit code 65.
inline constexpr int exit_bad_data = 65;

void add_table_command(CLI::App& app, int& exit_code);

} // namespace uwind

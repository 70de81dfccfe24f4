// SPDX-License-Identifier: GPL-2.0
// The verb uwind table: shows a file's unwind table, or keeps tables for recordings.
#pragma once

#include <CLI/CLI.hpp>

#include "base/result.h"

namespace uwind {

// Exit code 65: the file is not an ELF file for a supported machine, or its unwind data are
// broken or missing.
inline constexpr int exit_bad_data = 65;

void add_table_command(CLI::App& app, int& exit_code);
void add_keep_verb(CLI::App& table, int& exit_code);

// For an error that may be a file's own.
int exit_code_for_file(const Error& error);

} // namespace uwind

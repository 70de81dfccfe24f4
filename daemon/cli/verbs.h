// SPDX-License-Identifier: GPL-2.0
// The verbs of the command, one file each: cmd_<verb>.cpp.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "base/result.h"

namespace uwind {

// Each adds its subcommand. The one that the command line names runs at the end of
// parsing and sets exit_code.
void add_record_command(CLI::App& app, int& exit_code, const std::vector<std::string>& command);
void add_convert_command(CLI::App& app, int& exit_code);
void add_report_command(CLI::App& app, int& exit_code);
void add_symbolize_command(CLI::App& app, int& exit_code);
void add_archive_command(CLI::App& app, int& exit_code);
void add_status_command(CLI::App& app, int& exit_code);
void add_list_command(CLI::App& app, int& exit_code);
void add_doctor_command(CLI::App& app, int& exit_code);
void add_text_log_command(CLI::App& app, int& exit_code, const std::vector<std::string>& command);
void add_text_at_command(CLI::App& app, int& exit_code);
void add_bench_command(CLI::App& app, int& exit_code);
void add_kstack_command(CLI::App& app, int& exit_code, const std::vector<std::string>& command);

// Prints "uwind: message". Returns the exit code for this error.
int complain(const Error& error);

} // namespace uwind

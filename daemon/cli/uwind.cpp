// SPDX-License-Identifier: GPL-2.0
// The command uwind: a table of verbs.
#include <algorithm>
#include <cstdio>
#include <exception>

#include "base/exit_code.h"
#include "cli/cmd_table.h"
#include "cli/verbs.h"

namespace uwind {

int complain(const Error& error)
{
	std::fprintf(stderr, "uwind: %s\n", error.message.c_str());
	return exit_code_for(error);
}

namespace {

// "record … -- COMMAND ARG…", and others: what follows "--" belongs to the command; it is removed here.
std::vector<std::string> cut_command(std::vector<std::string>& arguments)
{
	static constexpr std::string_view verbs[] = {"record", "text-log", "kstack"};
	if (arguments.empty() || std::ranges::find(verbs, arguments.front()) == std::end(verbs))
		return {};
	const auto dashes = std::find(arguments.begin(), arguments.end(), "--");
	if (dashes == arguments.end())
		return {};
	std::vector<std::string> command(dashes + 1, arguments.end());
	arguments.erase(dashes, arguments.end());
	return command;
}

int run(std::vector<std::string> arguments)
{
	CLI::App app("Complete user-space call stacks on the kernel you already run.", "uwind");
	int exit_code = exit_ok;
	const auto command = cut_command(arguments);
	app.set_version_flag("--version", "uwind " UWIND_VERSION);
	app.require_subcommand(1);
	add_record_command(app, exit_code, command);
	add_report_command(app, exit_code);
	add_convert_command(app, exit_code);
	add_symbolize_command(app, exit_code);
	add_archive_command(app, exit_code);
	add_status_command(app, exit_code);
	add_list_command(app, exit_code);
	add_doctor_command(app, exit_code);
	add_table_command(app, exit_code);
	add_text_log_command(app, exit_code, command);
	add_text_at_command(app, exit_code);
	add_bench_command(app, exit_code);
	add_kstack_command(app, exit_code, command);
	for (CLI::App* verb : app.get_subcommands({}))
		verb->set_version_flag("--version", "uwind " UWIND_VERSION);
	try {
		std::reverse(arguments.begin(), arguments.end());
		app.parse(arguments);
	} catch (const CLI::ParseError& error) {
		return app.exit(error) == 0 ? exit_ok : exit_usage;
	}
	return exit_code;
}

} // namespace
} // namespace uwind

int main(int argc, char** argv)
{
	try {
		return uwind::run(std::vector<std::string>(argv + 1, argv + argc));
	} catch (const std::exception& error) {
		std::fprintf(stderr, "uwind: internal error: %s\n", error.what());
		return uwind::exit_bug;
	}
}

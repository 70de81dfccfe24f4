// SPDX-License-Identifier: GPL-2.0
// uwind table: dumps, checks or measures the rows of a file.
#include "cli/cmd_table.h"

#include <cinttypes>
#include <cstdio>
#include <fcntl.h>
#include <memory>
#include <unistd.h>

#include "base/exit_code.h"
#include "base/handle.h"
#include "cli/verbs.h"
#include "io/debug_file.h"
#include "model/words.h"
#include "tables/file_rows.h"
#include "tables/module_view.h"
#include "tables/rule_text.h"
#include "tables/table_builder.h"

namespace uwind {
namespace {

struct TableArguments {
	std::string path;
	std::string source = "best";
	bool offsets = false;
};

// A file's table. The file may be for any machine.
struct Opened {
	FileTable table;
	TableRows rows;
};

Result<FileTable> build(int fd, const std::string& source)
{
	const Result<ElfFile> file = ElfFile::open(fd);
	if (!file)
		return file.error();
	if (source == "best")
		return build_table(*file, SframeUse::completed, &open_debug_file);
	Result<FileTable> table = build_table(*file, SframeUse::alone);
	if (source == "sframe") {
		if (table && !std::holds_alternative<SframeSection>(table->content))
			return Error{ENODATA, table->sframe_refused ? table->note : "it has no .sframe"};
		return table;
	}
	Result<TableRows> rows = rows_of_file(*file);
	if (!rows)
		return rows.error();
	if (!table)
		return table.error();
	table->content = std::move(*rows);
	return table;
}

Result<Opened> open_table(const TableArguments& arguments)
{
	const UniqueFd fd(open(arguments.path.c_str(), O_RDONLY | O_CLOEXEC));
	if (!fd)
		return errno_error(errno, arguments.path);
	Result<FileTable> table = build(fd.get(), arguments.source);
	if (!table)
		return table.error(arguments.path);
	Result<TableRows> rows = rows_of_table(*table);
	if (!rows)
		return rows.error(arguments.path);
	return Opened{std::move(*table), std::move(*rows)};
}

int complain_about_file(const Error& error)
{
	complain(error);
	return exit_code_for_file(error);
}

std::string source_of(const TableRows& rows)
{
	return name_of(static_cast<Method>(rows.method));
}

std::uint64_t shown_at(std::uint64_t offset, const FileTable& table, bool offsets)
{
	for (const Segment& segment : table.segments)
		if (!offsets && offset >= segment.offset && offset - segment.offset <= segment.bytes)
			return offset - segment.offset + segment.address;
	return offset;
}

int dump(const TableArguments& arguments)
{
	const Result<Opened> opened = open_table(arguments);
	if (!opened)
		return complain_about_file(opened.error());
	const std::vector<Row>& rows = opened->rows.rows;
	std::vector<std::string> texts;
	for (const Rule& rule : opened->rows.rules)
		texts.push_back(rule_text(rule, opened->table.arch));
	for (std::size_t i = 0; i + 1 < rows.size(); i++) {
		const std::uint64_t start = shown_at(rows[i].start, opened->table, arguments.offsets);
		std::printf("0x%" PRIx64 "-0x%" PRIx64 " %s\n", start, start + (rows[i + 1].start - rows[i].start),
			    texts[rows[i].rule].c_str());
	}
	return exit_ok;
}

void print_reasons(const TableRows& rows)
{
	for (const auto& [reason, count] : rows.inexpressible)
		std::printf("left out    %" PRIu64 ": %s\n", count, reason.c_str());
}

int check(const TableArguments& arguments)
{
	const Result<Opened> opened = open_table(arguments);
	if (!opened)
		return complain_about_file(opened.error());
	if (opened->table.sframe_refused)
		return complain_about_file(Error{EBADMSG, arguments.path + ": " + opened->table.note});
	if (const Status status = check_rows(opened->rows, opened->table.arch); !status)
		return complain_about_file(Error{EBADMSG, status.error(arguments.path).message});
	print_reasons(opened->rows);
	std::printf("%s: good: %s, %zu rows\n", arguments.path.c_str(), source_of(opened->rows).c_str(),
		    opened->rows.rows.size());
	return exit_ok;
}

std::uint64_t executable_bytes(const FileTable& table)
{
	std::uint64_t bytes = 0;
	for (const Segment& segment : table.segments)
		bytes += segment.bytes;
	return bytes;
}

int stat(const TableArguments& arguments)
{
	const Result<Opened> opened = open_table(arguments);
	if (!opened)
		return complain_about_file(opened.error());
	const auto& [table, rows] = *opened;
	const std::uint64_t executable = executable_bytes(table), covered = covered_bytes(rows);
	std::printf("file        %s\n", arguments.path.c_str());
	std::printf("build id    %s\n", table.build_id.empty() ? "none" : table.build_id.c_str());
	std::printf("machine     %s\n", arch_name(table.arch));
	std::printf("source      %s\n", source_of(rows).c_str());
	std::printf("rows        %zu\n", rows.rows.size());
	std::printf("rules       %zu\n", rows.rules.size());
	std::printf("in module   %" PRIu64 " bytes\n", module_bytes(rows));
	std::printf("covered     %" PRIu64 " of %" PRIu64 " executable bytes, %.1f %%\n", covered, executable,
		    executable ? 100.0 * static_cast<double>(covered) / static_cast<double>(executable) : 0);
	print_reasons(rows);
	if (!table.note.empty())
		std::printf("note        %s\n", table.note.c_str());
	return exit_ok;
}

struct TableVerb {
	const char* name;
	const char* help;
	int (*run)(const TableArguments&);
};

constexpr TableVerb table_verbs[] = {
	{"dump", "Print one line for every row", dump},
	{"check", "Say whether the module accepts the table (exit code 65: no)", check},
	{"stat", "Print the table's size and what it covers", stat},
};

} // namespace

int exit_code_for_file(const Error& error)
{
	switch (error.code) {
	case ENOEXEC:
	case EBADMSG:
	case ENODATA:
	case EFBIG:
	case E2BIG:
	case EPROTONOSUPPORT:
		return exit_bad_data;
	default:
		return exit_code_for(error);
	}
}

void add_table_command(CLI::App& app, int& exit_code)
{
	CLI::App* command = app.add_subcommand("table", "Show how files' code is unwound, or keep tables of it");
	command->require_subcommand(1);
	for (const TableVerb& verb : table_verbs) {
		const auto arguments = std::make_shared<TableArguments>();
		CLI::App* sub = command->add_subcommand(verb.name, verb.help);
		sub->add_option("FILE", arguments->path, "An ELF program or library")
			->required()
			->check(CLI::ExistingFile);
		sub->add_option("--source", arguments->source, "The section that rows are made from")
			->check(CLI::IsMember({"best", "sframe", "eh_frame"}))
			->capture_default_str();
		if (verb.run == dump)
			sub->add_flag("--offsets", arguments->offsets, "File offsets, not addresses");
		sub->callback([arguments, run = verb.run, &exit_code] { exit_code = run(*arguments); });
	}
	add_keep_verb(*command, exit_code);
}

} // namespace uwind

// SPDX-License-Identifier: GPL-2.0
// uwind convert: a recording of perf as a JSON report.
#include <cstdio>
#include <cstdlib>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include "base/exit_code.h"
#include "cli/input_file.h"
#include "cli/output.h"
#include "cli/table_cache_option.h"
#include "cli/verbs.h"
#include "convert/conversion.h"
#include "export/json.h"
#include "export/summary.h"
#include "io/output_file.h"
#include "model/settings.h"
#include "perf_data/recording.h"
#include "wiring.h"

namespace uwind {
namespace {

struct ConvertArguments {
	std::string input;
	std::string output = "uwind.json";
	std::string table_cache;
	std::uint32_t max_depth = default_frames;
	bool verbose = false;
};

// As perf finds it.
std::string perf_folder()
{
	if (const char* folder = std::getenv("PERF_BUILDID_DIR"))
		return folder;
	const char* home = std::getenv("HOME");
	return home ? std::string(home) + "/.debug" : "";
}

// Reports, compressed or not, do not begin as perf's recordings do.
Result<Report> converted(const ConvertArguments& arguments)
{
	if (auto file = InputFile::open(arguments.input); file && file->first_byte() == first_of_report)
		return file->report();
	auto recording = perf_data::FileRecording::open(arguments.input);
	if (!recording)
		return recording.error();
	Procfs processes;
	Kallsyms kernel_names;
	CoreUnwinder unwinder;
	ElfObjects objects = objects_with(table_cache_of(arguments.table_cache));
	Conversion conversion({processes, objects, unwinder, kernel_names}, **recording,
			      {arguments.max_depth, perf_folder(), {}});
	return conversion.run();
}

Status convert_to(const ConvertArguments& arguments, OutputFile& output)
{
	const auto report = converted(arguments);
	if (!report)
		return report.error();
	auto written = output.write([&](std::ostream& out) { writer_of(arguments.output)(*report, out); });
	if (written)
		written = output.commit();
	if (written)
		std::fprintf(stderr, "uwind: %s\n", closing_line(*report, arguments.output).c_str());
	return written;
}

int convert(const ConvertArguments& arguments)
{
	spdlog::set_default_logger(spdlog::stderr_logger_mt("uwind"));
	spdlog::set_level(arguments.verbose ? spdlog::level::debug : spdlog::level::warn);
	raise_file_limit(open_files_wanted);
	auto output = OutputFile::create(arguments.output, 0600, OutputFile::Older::keep_as_old);
	if (!output)
		return complain(output.error());
	const auto done = convert_to(arguments, *output);
	return done ? int(exit_ok) : complain(done.error());
}

} // namespace

void add_convert_command(CLI::App& app, int& exit_code)
{
	auto* verb = app.add_subcommand("convert", "Make a JSON report of what perf record has recorded.");
	const auto arguments = std::make_shared<ConvertArguments>();
	verb->add_option("FILE", arguments->input,
			 "What perf record has written, mostly perf.data; or a JSON report, for another form")
		->required();
	verb->add_option("-o,--output", arguments->output, "The report; an older one becomes FILE.old")
		->capture_default_str();
	verb->add_option("--max-depth", arguments->max_depth, "Frames of a stack at most, of those that are walked")
		->check(CLI::Range(1u, most_frames))
		->capture_default_str();
	verb->add_option("--table-cache", arguments->table_cache,
			 std::string("Folder in which tables are kept for the next time, or none (default: ") +
				 default_table_cache + " for root, else none)");
	verb->add_flag("-v,--verbose", arguments->verbose, "Log details, such as files without unwind information");
	verb->callback([arguments, &exit_code] { exit_code = convert(*arguments); });
}

} // namespace uwind

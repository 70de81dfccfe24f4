// SPDX-License-Identifier: GPL-2.0
// uwind symbolize: names, lines and inlined functions for a report.
#include <cerrno>
#include <iostream>

#include "app/symbolize.h"
#include "base/exit_code.h"
#include "base/text.h"
#include "cli/code_places_options.h"
#include "cli/input_file.h"
#include "cli/output.h"
#include "cli/verbs.h"
#include "export/json.h"
#include "objects/code_archive.h"
#include "objects/code_files.h"

namespace uwind {
namespace {

struct SymbolizeArguments {
	std::string report = "uwind.json";
	std::string output; // "": the report itself
	CodePlacesOptions places;
	bool quiet = false;
};

void say(const SymbolizeCounts& counts)
{
	for (const std::string& missing : counts.missing)
		std::cerr << "uwind: " << printable(missing) << '\n';
	std::cerr << "uwind: of " << counts.frames << " frames in files " << counts.named << " have a name ("
		  << counts.named_before << " before), " << counts.with_line << " a line, and " << counts.inlined
		  << " functions were inlined there\n";
}

int symbolize(Report& report, CodePlaces places, const std::string& output, bool quiet)
{
	ElfCodeFiles files(std::move(places));
	const SymbolizeCounts counts = symbolize(report, files);
	if (!quiet)
		say(counts);
	const auto written = write_to(output, [&](std::ostream& out) { write_json(report, out); });
	return written ? int(exit_ok) : complain(written.error());
}

// "a/b.tar.zst" → "a/b.json"
std::string report_of_archive(std::string path)
{
	for (const std::string ending : {".zst", ".tar"})
		if (path.ends_with(ending))
			path.resize(path.size() - ending.size());
	return path + ".json";
}

int symbolize_archive(const SymbolizeArguments& arguments)
{
	if (arguments.places.any_folder())
		return complain({EINVAL, arguments.report +
						 " has its files with it: --sysroot and --debug-dir are for reports"});
	const auto online = arguments.places.named_servers();
	if (!online)
		return complain(online.error());
	const auto archive = CodeArchive::unpack(arguments.report);
	if (!archive)
		return complain(archive.error());
	auto report = report_from(arguments.report, archive->report());
	if (!report)
		return complain(report.error());
	CodePlaces places = archive->places();
	places.online = *online;
	return symbolize(*report, std::move(places),
			 arguments.output.empty() ? report_of_archive(arguments.report) : arguments.output,
			 arguments.quiet);
}

int symbolize(const SymbolizeArguments& arguments)
{
	if (is_archive(arguments.report))
		return symbolize_archive(arguments);
	auto report = report_in(arguments.report);
	if (!report)
		return complain(report.error());
	auto places = arguments.places.places(arguments.quiet);
	if (!places)
		return complain(places.error());
	return symbolize(*report, std::move(*places), arguments.output.empty() ? arguments.report : arguments.output,
			 arguments.quiet);
}

} // namespace

void add_symbolize_command(CLI::App& app, int& exit_code)
{
	auto* verb = app.add_subcommand(
		"symbolize", "Add functions, lines of source and inlined functions to a JSON report, on any machine.");
	const auto arguments = std::make_shared<SymbolizeArguments>();
	verb->add_option("report", arguments->report, "The JSON report, or an archive of `uwind archive`")
		->capture_default_str();
	verb->add_option("-o,--output", arguments->output,
			 "Output file; without it the report is replaced, or FILE.tar.zst becomes FILE.json");
	arguments->places.add_to(*verb);
	verb->add_flag("-q,--quiet", arguments->quiet, "Do not say what was found and what is missing");
	verb->callback([arguments, &exit_code] { exit_code = symbolize(*arguments); });
}

} // namespace uwind

// SPDX-License-Identifier: GPL-2.0
// uwind archive: a report and the files that its names come from, in one file for another machine.
#include <cerrno>
#include <iostream>

#include "app/symbolize.h"
#include "base/exit_code.h"
#include "base/text.h"
#include "cli/code_places_options.h"
#include "cli/input_file.h"
#include "cli/output.h"
#include "cli/verbs.h"
#include "objects/code_archive.h"

namespace uwind {
namespace {

struct ArchiveArguments {
	std::string report = "uwind.json";
	std::string output; // "": the report's name, and ".tar.zst"
	CodePlacesOptions places;
	bool quiet = false;
};

std::string output_of(const ArchiveArguments& arguments)
{
	if (!arguments.output.empty())
		return arguments.output;
	std::string name = arguments.report;
	for (const std::string ending : {".zst", ".json"})
		if (name.ends_with(ending))
			name.resize(name.size() - ending.size());
	return name + ".tar.zst";
}

void say(const ArchivedCode& archived, const std::string& output)
{
	for (const std::string& missing : archived.missing)
		std::cerr << "uwind: " << printable(missing) << '\n';
	std::cerr << "uwind: " << output << " has the report and " << archived.files << " files, "
		  << (archived.bytes >> 20) << " MiB before compression\n";
}

int archive(const ArchiveArguments& arguments)
{
	if (arguments.report == "-" && arguments.output.empty())
		return complain({EINVAL, "a report from standard input has no name for the archive: give -o"});
	const auto text = contents_of(arguments.report);
	if (!text)
		return complain(text.error());
	const auto report = report_from(arguments.report, *text);
	if (!report)
		return complain(report.error());
	auto places = arguments.places.places(arguments.quiet);
	if (!places)
		return complain(places.error());
	CodeSearch search(std::move(*places));
	const std::string output = output_of(arguments);
	ArchivedCode archived;
	const Status written = write_unless_failed(output, [&](std::ostream& out) -> Status {
		auto made = write_code_archive(*text, code_names(*report), search, out);
		if (!made)
			return made.error();
		archived = std::move(*made);
		return Nothing{};
	});
	if (!written)
		return complain(written.error());
	if (!arguments.quiet)
		say(archived, output);
	return exit_ok;
}

} // namespace

void add_archive_command(CLI::App& app, int& exit_code)
{
	auto* verb =
		app.add_subcommand("archive", "Pack a JSON report with the programs, libraries and debug files that "
					      "`uwind symbolize` needs, for another machine.");
	const auto arguments = std::make_shared<ArchiveArguments>();
	verb->add_option("report", arguments->report, "The JSON report")->capture_default_str();
	verb->add_option("-o,--output", arguments->output, "The archive; without it FILE.json becomes FILE.tar.zst");
	arguments->places.add_to(*verb);
	verb->add_flag("-q,--quiet", arguments->quiet, "Do not say what was packed and what is missing");
	verb->callback([arguments, &exit_code] { exit_code = archive(*arguments); });
}

} // namespace uwind

// SPDX-License-Identifier: GPL-2.0
// uwind report: a JSON report in another form.
#include <fstream>
#include <iostream>
#include <sstream>

#include "base/exit_code.h"
#include "cli/verbs.h"
#include "export/folded.h"
#include "export/json.h"
#include "export/summary.h"
#include "io/output_file.h"

namespace uwind {
namespace {

struct ReportArguments {
	std::string input = "uwind.json";
	std::string format = "summary";
	std::string output = "-";
};

using Writer = void (*)(const Report&, std::ostream&);

struct Format {
	const char* name;
	Writer write;
};

constexpr Format formats[] = {
	{"summary", write_summary},
	{"folded", write_folded},
	{"cookies", write_cookies},
	{"json", write_json},
};

Result<std::string> contents_of(const std::string& path)
{
	std::ostringstream text;
	errno = 0;
	std::ifstream file;
	if (path != "-") {
		file.open(path, std::ios::binary);
		if (!file)
			return errno_error(errno, path);
	}
	text << (path == "-" ? std::cin.rdbuf() : file.rdbuf());
	if (file.bad() || (path != "-" && !text))
		return errno_error(errno ? errno : EINVAL, path);
	return std::move(text).str();
}

Result<Report> report_in(const std::string& path)
{
	const auto text = contents_of(path);
	if (!text)
		return text.error();
	auto report = read_json(*text);
	if (!report)
		return report.error(path);
	return report;
}

Status write_to(const std::string& path, const Report& report, Writer writer)
{
	if (path == "-") {
		writer(report, std::cout);
		std::cout.flush();
		return std::cout ? Status(Nothing{}) : Status(errno_error(EIO, "standard output"));
	}
	auto output = OutputFile::create(path, 0600, OutputFile::Older::replace);
	if (!output)
		return output.error();
	auto written = output->write([&](std::ostream& out) { writer(report, out); });
	return written ? output->commit() : written;
}

int report(const ReportArguments& arguments)
{
	const auto read = report_in(arguments.input);
	if (!read)
		return complain(read.error());
	for (const Format& format : formats)
		if (arguments.format == format.name)
			if (const auto written = write_to(arguments.output, *read, format.write); !written)
				return complain(written.error());
	return exit_ok;
}

} // namespace

void add_report_command(CLI::App& app, int& exit_code)
{
	auto* verb = app.add_subcommand("report", "Show a JSON report in another form.");
	const auto arguments = std::make_shared<ReportArguments>();
	std::vector<std::string> names;
	for (const Format& format : formats)
		names.emplace_back(format.name);
	verb->add_option("-i,--input", arguments->input, "The JSON report; - is standard input")->capture_default_str();
	verb->add_option("--format", arguments->format,
			 "summary, folded (for flame graphs), cookies (a line per sample) or json")
		->check(CLI::IsMember(names))
		->capture_default_str();
	verb->add_option("-o,--output", arguments->output, "Output file; - is standard output")->capture_default_str();
	verb->callback([arguments, &exit_code] { exit_code = report(*arguments); });
}

} // namespace uwind

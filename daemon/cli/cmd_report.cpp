// SPDX-License-Identifier: GPL-2.0
// uwind report: a JSON report in another form.
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <sstream>

#include "base/exit_code.h"
#include "cli/verbs.h"
#include "export/folded.h"
#include "export/json.h"
#include "export/perf_script.h"
#include "export/selection.h"
#include "export/summary.h"
#include "io/output_file.h"

namespace uwind {
namespace {

struct ReportArguments {
	std::string input = "uwind.json";
	std::string format = "summary";
	std::string output = "-";
	bool inverted = false;
	Selection selection;
};

using Writer = void (*)(const Report&, std::ostream&);

struct Format {
	const char* name;
	Writer write;
	Status (*check)(const Report&); // whether it can be written
};

constexpr Format formats[] = {
	{"summary", write_summary, nullptr}, {"folded", write_folded, nullptr},
	{"cookies", write_cookies, nullptr}, {"perf-script", write_perf_script, check_perf_script},
	{"json", write_json, nullptr},
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

Format format_of(const ReportArguments& arguments)
{
	if (arguments.inverted)
		return {"folded", write_folded_inverted, nullptr};
	for (const Format& format : formats)
		if (arguments.format == format.name)
			return format;
	return formats[0];
}

Status write(const ReportArguments& arguments, const Report& report)
{
	const Format format = format_of(arguments);
	const auto checked = format.check ? format.check(report) : Nothing{};
	return checked ? write_to(arguments.output, report, format.write) : checked;
}

bool set_seconds(const std::string& text, std::optional<double>& seconds)
{
	if (text.empty())
		return true;
	char* end = nullptr;
	seconds = std::strtod(text.c_str(), &end);
	return *end == '\0' && *seconds >= 0;
}

// Sums over several events mean nothing: without a choice they are those of the first one.
void choose_event(const ReportArguments& arguments, const Report& report, Selection& selection)
{
	const auto& events = report.session.events;
	if (events.size() < 2 || !selection.events.empty() || arguments.format == "json" ||
	    arguments.format == "cookies")
		return;
	selection.events = {events.front().name};
	std::cerr << "uwind: only event " << events.front().name << " of " << events.size()
		  << " is shown: --event NAME shows another, or several\n";
}

Status select(const ReportArguments& arguments, Report& report)
{
	Selection selection = arguments.selection;
	choose_event(arguments, report, selection);
	return select_samples(report, selection);
}

// Seconds since the first sample: "10,20", and either may be left out. False: it is none, or ends before it begins.
bool set_time(const std::string& text, Selection& selection)
{
	const std::size_t comma = text.find(',');
	if (comma == std::string::npos)
		return false;
	if (!set_seconds(text.substr(0, comma), selection.from_s) ||
	    !set_seconds(text.substr(comma + 1), selection.to_s))
		return false;
	return !selection.from_s || !selection.to_s || *selection.from_s < *selection.to_s;
}

int report(const ReportArguments& arguments)
{
	if (arguments.inverted && arguments.format != "folded")
		return complain(Error{EINVAL, "--inverted is for --format folded"});
	auto read = report_in(arguments.input);
	if (!read)
		return complain(read.error());
	if (const auto selected = select(arguments, *read); !selected)
		return complain(selected.error());
	const auto written = write(arguments, *read);
	return written ? int(exit_ok) : complain(written.error());
}

// One word for each time that it is given: CLI11 would take the brackets off "[kernel.kallsyms]", and more words.
template <typename T>
CLI::Option* add_list(CLI::App& verb, const char* names, std::vector<T>& list, const char* help)
{
	return verb.add_option(names, list, help)->allow_extra_args(false);
}

void add_selection(CLI::App& verb, Selection& selection)
{
	add_list(verb, "-e,--event", selection.events, "Only samples of this event; may be given more than once");
	add_list(verb, "--comm", selection.comms, "Only of programs with these names, or patterns (*, ?, [a-z])")
		->delimiter(',');
	add_list(verb, "-p,--pid", selection.pids, "Only of these processes")
		->delimiter(',')
		->check(CLI::NonNegativeNumber);
	verb.add_option_function<std::string>(
		    "--time",
		    [&selection](const std::string& text) {
			    if (!set_time(text, selection))
				    throw CLI::ValidationError("--time",
							       "'" + text +
								       "' is no time: give seconds since the first "
								       "sample, for example 10,20 or 10, or ,20");
		    },
		    "Only from FROM seconds after the first sample on, and before TO")
		->type_name("FROM,TO");
	add_list(verb, "--module", selection.modules, "Only with a frame in these files, by path or its last part")
		->delimiter(',');
	add_list(verb, "--symbol", selection.symbols, "Only with a frame in these functions");
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
			 "summary, folded (for flame graphs), cookies (a line per sample), "
			 "perf-script (for what reads perf's) or json")
		->check(CLI::IsMember(names))
		->capture_default_str();
	verb->add_option("-o,--output", arguments->output, "Output file; - is standard output")->capture_default_str();
	verb->add_flag("--inverted", arguments->inverted, "With folded: the innermost frame first");
	add_selection(*verb, arguments->selection);
	verb->callback([arguments, &exit_code] { exit_code = report(*arguments); });
}

} // namespace uwind

// SPDX-License-Identifier: GPL-2.0
// uwind report: a JSON report in another form.
#include <cstdlib>
#include <iostream>

#include "base/exit_code.h"
#include "cli/input_file.h"
#include "cli/output.h"
#include "cli/verbs.h"
#include "export/chrome_trace.h"
#include "export/firefox.h"
#include "export/folded.h"
#include "export/inlined.h"
#include "export/json.h"
#include "export/otlp.h"
#include "export/perf_data.h"
#include "export/perf_script.h"
#include "export/pprof.h"
#include "export/selection.h"
#include "export/speedscope.h"
#include "export/stack_depth.h"
#include "export/summary.h"
#include "export/text_log.h"
#include "export/text_summary.h"
#include "export/validity.h"

namespace uwind {
namespace {

struct ReportArguments {
	std::string input = "uwind.json";
	std::string format = "summary";
	std::string output = "-";
	bool inverted = false;
	bool changes = false;
	bool check = false;
	bool no_inline = false;
	Selection selection;
};

// How functions that were inlined are shown, unless --no-inline leaves them out.
enum class Inlined {
	frames, // of their own
	lines,  // of the frame that they are in
	all,    // the report's own: --no-inline makes no difference
};

struct Format {
	const char* name;
	void (*write)(const Report&, std::ostream&);
	Status (*check)(const Report&); // whether it can be written
	Inlined inlined = Inlined::frames;
	bool sums = true; // over samples: those of several events mean nothing
};

constexpr Format formats[] = {
	{"summary", write_summary, nullptr},
	{"folded", write_folded, nullptr},
	{"cookies", write_cookies, nullptr, Inlined::frames, false},
	{"perf-script", write_perf_script, check_perf_script},
	{"perf-data", write_perf_data, nullptr, Inlined::all, false},
	{"stack-depth", write_stack_depth, nullptr, Inlined::all, false},
	{"json", write_json, nullptr, Inlined::all, false},
	{"speedscope", write_speedscope, nullptr},
	{"chrome-trace", write_chrome_trace, nullptr},
	{"firefox", write_firefox, nullptr},
	{"pprof", write_pprof, nullptr, Inlined::lines, false},
	{"otlp", write_otlp, check_otlp, Inlined::lines, false},
	{"otlp-json", write_otlp_json, check_otlp, Inlined::lines, false},
};

Format format_of(const ReportArguments& arguments)
{
	if (arguments.inverted)
		return {"folded", write_folded_inverted, nullptr};
	for (const Format& format : formats)
		if (arguments.format == format.name)
			return format;
	return formats[0];
}

void show_inlined(Report& report, Inlined how, bool left_out)
{
	if (how == Inlined::frames && !left_out)
		expand_inlined(report);
	if (how == Inlined::lines && left_out)
		forget_inlined(report);
}

Status write(const ReportArguments& arguments, Report& report)
{
	const Format format = format_of(arguments);
	show_inlined(report, format.inlined, arguments.no_inline);
	auto checked = format.check ? format.check(report) : Nothing{};
	if (!checked)
		return checked;
	return write_to(arguments.output, [&](std::ostream& out) { format.write(report, out); });
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
	if (events.size() < 2 || !selection.events.empty() || !format_of(arguments).sums)
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

bool is_everything(const Selection& selection)
{
	return selection.events.empty() && selection.comms.empty() && selection.pids.empty() && !selection.from_s &&
	       !selection.to_s && selection.modules.empty() && selection.symbols.empty();
}

Status check(const std::string& path, const TextLog& log)
{
	if (log.cut_short)
		return Error{EINVAL, path + ": is cut short: the log has no end"};
	std::cout << path << " is valid: " << log.entries.size() << " entries\n";
	return Nothing{};
}

// Of a log of the kernel's text: what is not of samples.
Status write_log(const ReportArguments& arguments, InputFile& file)
{
	const auto log = file.text_log();
	if (!log)
		return log.error();
	if (arguments.check)
		return check(arguments.input, *log);
	if (arguments.format != "summary" && arguments.format != "json")
		return Error{EINVAL, arguments.input + ": is a log of kernel text, which has no stacks: --format " +
					     arguments.format +
					     " is for reports of samples; use summary, --changes or json"};
	if (!is_everything(arguments.selection))
		return Error{EINVAL, arguments.input + ": is a log of kernel text: options that choose samples are for "
						       "reports of samples"};
	return write_to(arguments.output, [&](std::ostream& out) {
		if (arguments.format == "json")
			write_text_json(*log, UWIND_VERSION, out);
		else
			(arguments.changes ? write_text_changes : write_text_summary)(*log, out);
	});
}

// Nothing is wrong, or each thing that is.
Status check(const std::string& path, const Report& report)
{
	const auto flaws = flaws_of(report);
	if (flaws.empty()) {
		std::cout << path << " is valid: " << report.samples.size() << " samples, " << report.stacks.size()
			  << " stacks of " << report.frames.size() << " frames\n";
		return Nothing{};
	}
	std::string text;
	for (const std::string& flaw : flaws)
		text += (text.empty() ? "" : "\nuwind: ") + path + ": " + flaw;
	return Error{EINVAL, text};
}

int report(const ReportArguments& arguments)
{
	if (arguments.inverted && arguments.format != "folded")
		return complain(Error{EINVAL, "--inverted is for --format folded"});
	if (arguments.check &&
	    (!is_everything(arguments.selection) || arguments.changes || arguments.format != "summary"))
		return complain(Error{
			EINVAL, "--check looks at all of a report, and writes none: leave out --format, --changes "
				"and options that choose samples"});
	auto file = InputFile::open(arguments.input);
	if (!file)
		return complain(file.error());
	if (file->first_byte() == first_of_text_log) {
		const auto written = write_log(arguments, *file);
		return written ? int(exit_ok) : complain(written.error());
	}
	if (arguments.changes)
		return complain(Error{EINVAL, arguments.input + ": --changes is for logs of uwind text-log"});
	auto read = file->report();
	if (!read)
		return complain(read.error());
	if (arguments.check) {
		const auto checked = check(arguments.input, *read);
		return checked ? int(exit_ok) : complain(checked.error());
	}
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
	auto* verb = app.add_subcommand("report", "Show a JSON report, or a log of kernel text, in another form.");
	const auto arguments = std::make_shared<ReportArguments>();
	std::vector<std::string> names;
	for (const Format& format : formats)
		names.emplace_back(format.name);
	verb->add_option("-i,--input", arguments->input,
			 "The JSON report, or the log of uwind text-log; - is standard input")
		->capture_default_str();
	verb->add_option("--format", arguments->format,
			 "summary, folded (for flame graphs), cookies (a line per sample), "
			 "perf-script (for what reads perf's), stack-depth (bytes), json, "
			 "speedscope, firefox (for the Firefox Profiler), chrome-trace (a timeline for Perfetto), "
			 "perf-data (a perf.data for perf and hotspot), pprof (for go tool pprof), or otlp and "
			 "otlp-json (for OpenTelemetry)")
		->check(CLI::IsMember(names))
		->capture_default_str();
	verb->add_option("-o,--output", arguments->output, "Output file; - is standard output")->capture_default_str();
	verb->add_flag("--inverted", arguments->inverted, "With folded: the innermost frame first");
	verb->add_flag("--no-inline", arguments->no_inline, "Do not show inlined functions as frames");
	verb->add_flag("--changes", arguments->changes, "Of a log of kernel text: each change");
	verb->add_flag("--check", arguments->check, "Only say whether the report is valid, and what is wrong with it");
	add_selection(*verb, arguments->selection);
	verb->callback([arguments, &exit_code] { exit_code = report(*arguments); });
}

} // namespace uwind

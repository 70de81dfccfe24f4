// SPDX-License-Identifier: GPL-2.0
// Samples as `perf script` prints them, read back as the programs read them that this is for.
#include <catch2/catch.hpp>

#include <algorithm>
#include <map>
#include <random>
#include <sstream>

// GCC 12 takes members of an optional function of <regex> for uninitialized.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <regex>

#include "export/folded.h"
#include "export/perf_script.h"
#include "unit/export/sample_report.h"

using namespace uwind;

namespace {

using Totals = std::map<std::string, std::uint64_t>;

struct Read {
	Totals records; // what a program finds that counts records
	Totals periods; // and one that adds up periods
	std::vector<double> times;
};

// Names as flame graph programs shorten them: no arguments, but Go's receivers stay.
std::string tidied(const std::string& function)
{
	static const std::regex go(R"(\.\(.*\)\.)"), arguments(R"(\((?!anonymous namespace\)).*)");
	std::string name = std::regex_search(function, go) ? function : std::regex_replace(function, arguments, "");
	std::replace(name.begin(), name.end(), ';', ':');
	return name;
}

std::string joined(const std::string& comm, const std::vector<std::string>& innermost_first)
{
	std::string text = comm;
	for (auto frame = innermost_first.rbegin(); frame != innermost_first.rend(); ++frame)
		text += ";" + *frame;
	return text;
}

// A line of a frame: an address, a name with its offset, and the file in parentheses, without blanks. Names that begin
// with a parenthesis are left out; what has none is called by its file; files in brackets are the kernel's.
void read_frame(const std::string& line, std::vector<std::string>& frames)
{
	static const std::regex form(R"(^\s*(\w+)\s*(.+) \((\S*)\)$)"), offset(R"(\+0x[\da-f]+$)");
	std::smatch parts;
	INFO(line);
	REQUIRE(std::regex_match(line, parts, form));
	std::string name = std::regex_replace(parts[2].str(), offset, "");
	const std::string file = parts[3];
	if (name.starts_with('('))
		return;
	if (name == "[unknown]")
		name = "[" + (file == "[unknown]" ? "unknown" : file.substr(file.rfind('/') + 1)) + "]";
	frames.push_back(tidied(name) + (file.starts_with('[') && file != "[unknown]" ? "_[k]" : ""));
}

struct Head {
	std::string comm, event;
	std::uint64_t period = 1;
	double time = 0;
};

// The first line: a name up to a blank and a number, that of the process, then more numbers, and in the end the period,
// if there is one, and the event.
Head head_in(const std::string& line)
{
	static const std::regex begin(R"(^(\S.+?)\s+(\d+)/(\d+)\s+\[\d+\]\s+(\d+\.\d{6}):\s.*)"),
		loose(R"(^(\S.+?)\s+(\d+)/*(\d+)*\s+.*)"), end(R"(.*:\s*(\d+)*\s+(\S+):\s*$)");
	std::smatch strict, first, last;
	INFO(line);
	REQUIRE(std::regex_match(line, strict, begin));
	REQUIRE(std::regex_match(line, first, loose));
	REQUIRE(first.str(1) == strict.str(1));
	REQUIRE(std::regex_match(line, last, end));
	Head head{strict[1], last[2], last[1].length() ? std::stoull(last[1]) : 0, std::stod(strict[4])};
	head.comm.erase(head.comm.find_last_not_of(' ') + 1);
	head.period = head.period ? head.period : 1;
	return head;
}

Read read_back(const std::string& text)
{
	Read read;
	std::istringstream lines(text);
	std::string line;
	while (std::getline(lines, line)) {
		REQUIRE_FALSE(line.starts_with('#')); // a comment
		const Head head = head_in(line);
		std::vector<std::string> frames;
		while (std::getline(lines, line) && !line.empty())
			read_frame(line, frames);
		read.records[joined(head.comm, frames)]++;
		read.periods[joined(head.comm, frames)] += head.period;
		read.times.push_back(head.time);
	}
	return read;
}

std::string script_of(const Report& report)
{
	std::ostringstream out;
	write_perf_script(report, out);
	return out.str();
}

// What write_folded() says, with names as the programs show them.
Totals folded_totals(const Report& report)
{
	static const std::regex line_form(R"((.*) (\d+))"), place(R"(\[(.*)\+0x[\da-f]+\])"), address(R"(\[0x.*\])");
	std::ostringstream out;
	write_folded(report, out);
	std::istringstream lines(out.str());
	Totals totals;
	for (std::string line; std::getline(lines, line);) {
		std::smatch parts;
		REQUIRE(std::regex_match(line, parts, line_form));
		std::istringstream frames(parts[1]);
		std::string text, frame;
		std::getline(frames, text, ';');
		std::replace(text.begin(), text.end(), ' ', '_');
		while (std::getline(frames, frame, ';')) {
			const bool kernel = frame.ends_with("_[k]");
			frame = frame.substr(0, frame.size() - (kernel ? 4 : 0));
			frame = std::regex_replace(std::regex_replace(frame, place, "[$1]"), address, "[unknown]");
			if (frame.starts_with('['))
				std::replace(frame.begin(), frame.end(), ' ', '_');
			text += ";" + tidied(frame) + (kernel ? "_[k]" : "");
		}
		totals[text] += std::stoull(parts[2]);
	}
	return totals;
}

const std::vector<std::string> comms = {"prog", "V8 WorkerThread",      "a 7 b", "kworker/0:1",
					"x",    "swapper/0 77/88 [001]"};
const std::vector<std::string> functions = {"main",
					    "operator new(unsigned long)",
					    "ns::(anonymous namespace)::f(int)",
					    "net/http.(*Client).Do",
					    "std::map<int, std::less<int> >::at",
					    "_start"};

std::uint32_t any(std::mt19937& random, std::size_t count)
{
	return random() % count;
}

// A report of stacks of kernel and user frames, of every combination, with weights and periods.
Report any_report(std::mt19937& random)
{
	Report report;
	report.session.events = {{"cpu-clock", true, 99}};
	for (const auto& comm : comms)
		report.processes.push_back({10, comm, "", 0, 64});
	report.modules = {
		{"/usr/lib/lib a.so", "", {}, 0, 0}, {"/bin/prog", "", {}, 0, 0}, {"[kernel.kallsyms]", "", {}, 0, 0}};
	for (std::uint32_t i = 0; i < 24; i++) {
		const bool kernel = i >= 16;
		ReportFrame frame{(kernel ? 0xffffffff81000000 : 0x401000) + 0x1000 * i,
				  kernel ? 2 : i % 2,
				  0x10 * i,
				  functions[any(random, functions.size())],
				  i,
				  kernel};
		if (any(random, 4) == 0 && !kernel)
			frame.symbol.reset();
		if (any(random, 8) == 0 && !kernel && !frame.symbol)
			frame.module.reset();
		report.frames.push_back(frame);
	}
	for (std::uint32_t i = 0; i < 12; i++) {
		ReportStack stack;
		for (std::uint32_t depth = 1 + any(random, 5); depth; depth--)
			stack.frames.push_back(i < 8 ? any(random, 16) : 16 + any(random, 8));
		report.stacks.push_back(stack);
	}
	for (std::uint32_t i = 0; i < 40; i++) {
		ReportSample sample =
			sample_of(any(random, comms.size()), any(random, 1u << 31), any(random, 8), 1 + any(random, 5));
		sample.event = 0;
		sample.period = sample.weight * 1000u + any(random, 1000);
		if (any(random, 2))
			sample.kernel_stack = 8 + any(random, 4);
		if (any(random, 4) == 0)
			sample.user_stack.reset();
		report.samples.push_back(sample);
	}
	return report;
}

} // namespace

TEST_CASE("a sample is a record of perf script for each of its weight, with the period divided")
{
	Report report = sample_report();
	report.session.events = {{"cycles:u", true, 99}};
	report.samples = {sample_of(0, 1'234'567'890, 0, 2), sample_of(1, 1'000'000'999, 1, 1), sample_of(0, 5, {}, 3)};
	report.samples[0].event = 0;
	report.samples[0].period = 20'203;
	report.samples[0].tid = 4'194'304;
	report.samples[0].cpu = 127;
	CHECK(script_of(report) == "we;ird?       11/11      [001]     1.000000: requests: \n"
				   "\t    7f0000000010 [unknown] (/tmp/\"q\")\n"
				   "\t            dead [unknown] ([unknown])\n"
				   "\n"
				   "prog       10/4194304 [127]     1.234567:      10102 cycles:u: \n"
				   "\t          401010 leaf+0x10 (/bin/prog)\n"
				   "\t          401120 main+0x20 (/bin/prog)\n"
				   "\t          401200 [unknown] (/bin/prog)\n"
				   "\n"
				   "prog       10/4194304 [127]     1.234567:      10101 cycles:u: \n"
				   "\t          401010 leaf+0x10 (/bin/prog)\n"
				   "\t          401120 main+0x20 (/bin/prog)\n"
				   "\t          401200 [unknown] (/bin/prog)\n"
				   "\n");
}

TEST_CASE("programs that read perf script find the totals of folded, and the sums of periods")
{
	std::mt19937 random(1);
	for (int i = 0; i < 25; i++) {
		const Report report = any_report(random);
		const Read read = read_back(script_of(report));
		CHECK(read.records == folded_totals(report));
		std::uint64_t expected = 0, found = 0;
		for (const ReportSample& sample : report.samples)
			expected += sample.has_stack() ? *sample.period : 0;
		for (const auto& [stack, period] : read.periods)
			found += period;
		CHECK(found == expected);
		CHECK(read.times.size() == perf_script_records(report));
		CHECK(std::is_sorted(read.times.begin(), read.times.end()));
	}
}

TEST_CASE("a kernel thread's record has kernel frames only, and those of others come before the thread's own")
{
	Report report = sample_report();
	report.modules.push_back({"[kernel.kallsyms]", "", {}, 0, 0});
	report.modules.push_back({"[ext4]", "", {}, 0, 0});
	report.frames.push_back({0xffffffff81000010, 2, 0, "schedule", 0x10, true});
	report.frames.push_back({0xffffffffc0000020, 3, 0, "ext4_read", 0x20, true});
	report.stacks.push_back({{5, 6}, {Method::PC, Method::KERNEL}, {{}, {}}, Stop::OUTERMOST});
	report.processes[0].comm = "kworker/0:1 x";
	report.samples = {sample_of(0, 1000, {}, 1), sample_of(1, 2000, 2, 1)};
	report.samples[0].kernel_stack = report.samples[1].kernel_stack = 3;
	const std::string kernel = "\tffffffff81000010 schedule+0x10 ([kernel.kallsyms])\n"
				   "\tffffffffc0000020 ext4_read+0x20 ([ext4])\n";
	CHECK(script_of(report) == "kworker/0:1_x       10/10      [001]     0.000001: cpu-clock: \n" + kernel +
					   "\n"
					   "we;ird?       11/11      [001]     0.000002: cpu-clock: \n" +
					   kernel +
					   "\t          401120 main+0x20 (/bin/prog)\n"
					   "\t          401200 [unknown] (/bin/prog)\n"
					   "\n");
}

TEST_CASE("no name ends a line or a field, begins a comment, or is taken for no function")
{
	Report report = sample_report();
	report.session.event = "a b\n";
	report.processes[0].comm = "# 5 x\n";
	report.processes[1].comm = "";
	report.modules[0].path = "/tmp/a (deleted)\n";
	report.frames[0].symbol = "(anonymous namespace)::f(int)\n";
	report.frames[1].symbol = "(";
	report.samples = {sample_of(0, 0, 0, 1), sample_of(1, 0, 2, 1)};
	CHECK(script_of(report) == "__5_x?       10/10      [001]     0.000000: a_b?: \n"
				   "\t          401010 {anonymous namespace}::f(int)?+0x10 (/tmp/a_(deleted)?)\n"
				   "\t          401120 {+0x20 (/tmp/a_(deleted)?)\n"
				   "\t          401200 [unknown] (/tmp/a_(deleted)?)\n"
				   "\n"
				   ":11       11/11      [001]     0.000000: a_b?: \n"
				   "\t          401120 {+0x20 (/tmp/a_(deleted)?)\n"
				   "\t          401200 [unknown] (/tmp/a_(deleted)?)\n"
				   "\n");
	CHECK(read_back(script_of(report)).records.size() == 2);
}

TEST_CASE("more records than one text may have are refused, with their number and what to do")
{
	Report report = sample_report();
	report.samples = {sample_of(0, 1, 0, perf_script_max_records), sample_of(0, 1, {}, 7)};
	CHECK(check_perf_script(report));
	report.samples.push_back(sample_of(0, 1, 1, 1));
	const auto refused = check_perf_script(report);
	REQUIRE_FALSE(refused);
	CHECK(refused.error().code == EINVAL);
	CHECK_THAT(refused.error().message, Catch::StartsWith("perf-script would be 16777217 records, of at most "
							      "16777216: select fewer samples"));
}

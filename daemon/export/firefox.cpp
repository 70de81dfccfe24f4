// SPDX-License-Identifier: GPL-2.0
// Samples as a profile for the Firefox Profiler.
#include "export/firefox.h"

#include <algorithm>
#include <cstdio>
#include <ostream>
#include <string>

#include "base/text.h"
#include "export/firefox_thread.h"
#include "export/json_text.h"

namespace uwind {
namespace {

constexpr int gecko_version = 30, processed_version = 48;
constexpr int library_resource = 1; // resourceTable.type

std::string milliseconds(std::uint64_t ns)
{
	constexpr std::uint64_t ns_of_ms = 1'000'000;
	char text[40];
	std::snprintf(text, sizeof(text), "%llu.%06llu", static_cast<unsigned long long>(ns / ns_of_ms),
		      static_cast<unsigned long long>(ns % ns_of_ms));
	return text;
}

// A table: its columns are said one after another, then how many rows they have.
template <typename Rows>
class Columns {
public:
	Columns(const char* name, const Rows& rows, std::ostream& out) : rows_(rows), out_(out)
	{
		out_ << ",\n   \"" << name << "\": {";
	}

	template <typename Text>
	Columns& add(const char* column, Text text)
	{
		out_ << '"' << column << "\": [";
		write_separated(rows_, out_, ",", [&](const auto& row) { out_ << text(row); });
		out_ << "], ";
		return *this;
	}

	// The same for all rows.
	Columns& all(const char* column, const char* value)
	{
		return add(column, [value](const auto&) { return value; });
	}

	void end(const char* more = "") { out_ << more << "\"length\": " << rows_.size() << '}'; }

private:
	const Rows& rows_;
	std::ostream& out_;
};

// As breakpad makes it of a build-id: its first 16 bytes as a GUID, whose first three numbers are little-endian, and an
// age of 0.
std::string breakpad_id(const std::string& build_id)
{
	std::string digits = (build_id + std::string(32, '0')).substr(0, 32);
	const auto reversed = [&](std::size_t at, std::size_t bytes) {
		std::string text;
		for (std::size_t i = bytes; i-- > 0;)
			text += digits.substr(at + 2 * i, 2);
		return text;
	};
	digits = reversed(0, 4) + reversed(8, 2) + reversed(12, 2) + digits.substr(16);
	for (char& digit : digits)
		digit = digit >= 'a' ? static_cast<char>(digit - 'a' + 'A') : digit;
	return digits + "0";
}

void write_library(const Report& report, const ReportModule& module, std::ostream& out)
{
	const std::string name = quoted(std::string(basename_of(module.path))), path = quoted(module.path);
	out << "{\"arch\": " << quoted(report.host.arch) << ", \"name\": " << name << ", \"path\": " << path
	    << ", \"debugName\": " << name << ", \"debugPath\": " << path << ", \"breakpadId\": \""
	    << (module.build_id.empty() ? "" : breakpad_id(module.build_id))
	    << "\", \"codeId\": " << or_null(module.build_id) << '}';
}

void write_meta(const Report& report, std::ostream& out)
{
	constexpr double ms_of_s = 1000;
	const ReportSession& session = report.session;
	const double interval = session.is_frequency && session.rate ? ms_of_s / static_cast<double>(session.rate) : 1;
	out << "{\"meta\": {\"version\": " << gecko_version << ", \"preprocessedProfileVersion\": " << processed_version
	    << ",\n  \"product\": " << quoted(session.target)
	    << ", \"importedFrom\": " << quoted("uwind " + report.host.uwind)
	    << ", \"oscpu\": " << quoted("Linux " + report.host.kernel) << ",\n  \"interval\": " << interval
	    << ", \"startTime\": 0, \"processType\": 0, \"stackwalk\": 1"
	    << ", \"symbolicated\": true, \"sourceCodeIsNotOnSearchfox\": true, \"usesOnlyOneStackType\": true"
	    << ", \"doesNotUseFrameImplementation\": true, \"markerSchema\": [],\n  \"categories\": ["
	    << R"({"name": "User", "color": "yellow", "subcategories": ["Other"]}, )"
	    << R"({"name": "Kernel", "color": "orange", "subcategories": ["Other"]}]},)"
	    << "\n \"libs\": [\n  ";
	write_separated(report.modules, out, ",\n  ",
			[&](const ReportModule& module) { write_library(report, module, out); });
	out << "],\n \"pages\": [],\n \"threads\": [\n  ";
}

void write_frames(const FirefoxThread& tables, std::ostream& out)
{
	using Frame = FirefoxThread::Frame;
	Columns("frameTable", tables.frames(), out)
		.add("address",
		     [](const Frame& frame) { return frame.address ? std::to_string(*frame.address) : "-1"; })
		.add("inlineDepth", [](const Frame& frame) { return frame.inline_depth; })
		.add("category", [](const Frame& frame) { return unsigned(frame.category); })
		.all("subcategory", "0")
		.add("func", [](const Frame& frame) { return frame.function; })
		.add("nativeSymbol", [](const Frame& frame) { return or_null(frame.symbol); })
		.all("innerWindowID", "null")
		.all("implementation", "null")
		.add("line", [](const Frame& frame) { return or_null(frame.line); })
		.all("column", "null")
		.end();
}

void write_functions(const FirefoxThread& tables, std::ostream& out)
{
	using Function = FirefoxThread::Function;
	using Symbol = FirefoxThread::Symbol;
	using Resource = FirefoxThread::Resource;
	Columns("funcTable", tables.functions(), out)
		.add("name", [](const Function& function) { return function.name; })
		.all("isJS", "false")
		.all("relevantForJS", "false")
		.add("resource",
		     [](const Function& function) {
			     return function.resource ? std::to_string(*function.resource) : "-1";
		     })
		.add("fileName", [](const Function& function) { return or_null(function.file); })
		.all("lineNumber", "null")
		.all("columnNumber", "null")
		.end();
	Columns("nativeSymbols", tables.symbols(), out)
		.add("libIndex", [](const Symbol& symbol) { return symbol.library; })
		.add("address", [](const Symbol& symbol) { return symbol.address; })
		.add("name", [](const Symbol& symbol) { return symbol.name; })
		.all("functionSize", "null")
		.end();
	Columns("resourceTable", tables.resources(), out)
		.add("lib", [](const Resource& resource) { return resource.library; })
		.add("name", [](const Resource& resource) { return resource.name; })
		.all("host", "null")
		.add("type", [](const Resource&) { return library_resource; })
		.end();
}

void write_stacks(const FirefoxThread& tables, std::ostream& out)
{
	using Stack = FirefoxThread::Stack;
	Columns("stackTable", tables.stacks(), out)
		.add("frame", [](const Stack& stack) { return stack.frame; })
		.add("prefix", [](const Stack& stack) { return or_null(stack.prefix); })
		.add("category", [&](const Stack& stack) { return unsigned(tables.frames()[stack.frame].category); })
		.all("subcategory", "0")
		.end();
}

// Times are since the report's first sample.
struct Scale {
	std::uint64_t first_ns = ~0ull;
	SampleUnit unit = SampleUnit::samples;
};

void write_samples(const ThreadSamples& thread, FirefoxThread& tables, const Scale& scale, std::ostream& out)
{
	const bool time = scale.unit == SampleUnit::ns;
	Columns("samples", thread.samples, out)
		.add("stack", [&](const ReportSample& sample) { return or_null(tables.add_stack(sample)); })
		.add("time", [&](const ReportSample& sample) { return milliseconds(sample.time_ns - scale.first_ns); })
		.add("weight",
		     [&](const ReportSample& sample) {
			     const std::uint64_t value = value_of(sample, scale.unit);
			     return time ? milliseconds(value) : std::to_string(value);
		     })
		.end(time ? "\"weightType\": \"tracing-ms\", " : "\"weightType\": \"samples\", ");
}

void write_thread(const Report& report, const ThreadSamples& thread, const Scale& scale, std::ostream& out)
{
	FirefoxThread tables(report);
	const std::string comm = quoted(report.processes[thread.process].comm);
	out << "{\"processType\": \"default\", \"processName\": " << comm << ", \"name\": " << comm
	    << ", \"isMainThread\": " << (thread.pid == thread.tid ? "true" : "false") << ", \"pid\": \"" << thread.pid
	    << "\", \"tid\": " << thread.tid << ",\n   \"processStartupTime\": 0, \"processShutdownTime\": null"
	    << ", \"registerTime\": 0, \"unregisterTime\": null, \"pausedRanges\": []";
	write_samples(thread, tables, scale, out);
	Columns("markers", std::vector<int>(), out)
		.all("data", "")
		.all("name", "")
		.all("startTime", "")
		.all("endTime", "")
		.all("phase", "")
		.all("category", "")
		.end();
	write_stacks(tables, out);
	write_frames(tables, out);
	write_functions(tables, out);
	out << ",\n   \"stringArray\": [";
	write_separated(tables.strings(), out, ",", [&](const std::string& text) { out << quoted(text); });
	out << "]}";
}

} // namespace

void write_firefox(const Report& report, std::ostream& out)
{
	Scale scale;
	scale.unit = unit_of(report);
	for (const ReportSample& sample : report.samples)
		scale.first_ns = std::min(scale.first_ns, sample.time_ns);
	write_meta(report, out);
	write_separated(threads_of(report), out, ",\n  ",
			[&](const ThreadSamples& thread) { write_thread(report, thread, scale, out); });
	out << "]}\n";
}

} // namespace uwind

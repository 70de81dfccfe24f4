// SPDX-License-Identifier: GPL-2.0
// The Firefox Profiler's format, read back by its documentation: all columns are there and as long as their tables,
// rows refer to rows, and stacks are those of the report.
#include "export/firefox.h"

#include <catch2/catch.hpp>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "export/folded.h"
#include "unit/export/any_report.h"

using namespace uwind;
using Json = nlohmann::json;
using Names = std::vector<std::string>;

namespace {

// Of version 48: each table of a thread, its columns, and the table that a column refers to.
struct Column {
	const char* name;
	const char* table; // "": numbers; "false": always false; "-": always null
};
const std::map<std::string, std::vector<Column>> tables = {
	{"samples", {{"stack", "stackTable"}, {"time", ""}, {"weight", ""}}},
	{"markers", {{"data", ""}, {"name", ""}, {"startTime", ""}, {"endTime", ""}, {"phase", ""}, {"category", ""}}},
	{"stackTable", {{"frame", "frameTable"}, {"prefix", "stackTable"}, {"category", ""}, {"subcategory", ""}}},
	{"frameTable",
	 {{"address", ""},
	  {"inlineDepth", ""},
	  {"category", ""},
	  {"subcategory", ""},
	  {"func", "funcTable"},
	  {"nativeSymbol", "nativeSymbols"},
	  {"innerWindowID", "-"},
	  {"implementation", "-"},
	  {"line", "-"},
	  {"column", "-"}}},
	{"funcTable",
	 {{"name", "stringArray"},
	  {"isJS", "false"},
	  {"relevantForJS", "false"},
	  {"resource", "resourceTable"},
	  {"fileName", "-"},
	  {"lineNumber", "-"},
	  {"columnNumber", "-"}}},
	{"nativeSymbols", {{"libIndex", "libs"}, {"address", ""}, {"name", "stringArray"}, {"functionSize", "-"}}},
	{"resourceTable", {{"lib", "libs"}, {"name", "stringArray"}, {"host", "-"}, {"type", ""}}},
};

Json written(const Report& report)
{
	std::ostringstream out;
	write_firefox(report, out);
	return Json::parse(out.str());
}

std::size_t length_of(const Json& file, const Json& thread, const std::string& table)
{
	if (table == "libs")
		return file.at("libs").size();
	return table == "stringArray" ? thread.at(table).size() : thread.at(table).at("length").get<std::size_t>();
}

void check_value(const Json& file, const Json& thread, const Column& column, const Json& value)
{
	const std::string table = column.table;
	if (table == "-")
		CHECK(value.is_null());
	else if (table == "false")
		CHECK(value == false);
	else if (table.empty())
		CHECK(value.is_number());
	else if (!value.is_null() && value != -1)
		CHECK(value.get<std::size_t>() < length_of(file, thread, table));
}

void check_tables(const Json& file, const Json& thread)
{
	for (const auto& [name, columns] : tables) {
		const Json& table = thread.at(name);
		for (const Column& column : columns) {
			INFO(name << "." << column.name);
			const Json& values = table.at(column.name);
			CHECK(values.size() == table.at("length").get<std::size_t>());
			for (const Json& value : values)
				check_value(file, thread, column, value);
		}
		CHECK(table.size() == columns.size() + 1 + (name == "samples"));
	}
}

// From the innermost function outwards.
Names names_of(const Json& thread, Json stack)
{
	Names names;
	while (!stack.is_null()) {
		const auto row = stack.get<std::size_t>();
		const auto frame = thread.at("stackTable").at("frame").at(row).get<std::size_t>();
		const auto function = thread.at("frameTable").at("func").at(frame).get<std::size_t>();
		const auto string = thread.at("funcTable").at("name").at(function).get<std::size_t>();
		names.push_back(thread.at("stringArray").at(string));
		stack = thread.at("stackTable").at("prefix").at(row);
		CHECK((stack.is_null() || stack.get<std::size_t>() < row));
	}
	return names;
}

Names names_of(const Report& report, const ReportSample& sample)
{
	Names names;
	for (const auto& stack : {sample.kernel_stack, sample.user_stack})
		if (stack)
			for (const Index frame : report.stacks[*stack].frames)
				names.push_back(frame_text(report, frame));
	return names;
}

using Samples = std::multimap<std::string, std::pair<Names, double>>; // thread; stack, weight

Samples samples_in(const Json& file)
{
	Samples samples;
	for (const Json& thread : file.at("threads")) {
		const Json& table = thread.at("samples");
		const std::string name = thread.at("name").get<std::string>() + thread.at("pid").get<std::string>() +
					 "/" + std::to_string(thread.at("tid").get<unsigned>());
		for (std::size_t i = 0; i < table.at("length"); i++)
			samples.emplace(name, std::pair(names_of(thread, table.at("stack").at(i)),
							table.at("weight").at(i).get<double>()));
	}
	return samples;
}

} // namespace

TEST_CASE("a profile for Firefox has the tables that its version says, and the report's stacks")
{
	std::mt19937 random(4);
	for (int i = 0; i < 50; i++) {
		Report report = any_report(random);
		std::vector<ReportSample> sorted(report.samples.begin(), report.samples.end());
		std::ranges::stable_sort(sorted, {}, &ReportSample::time_ns);
		std::ranges::copy(sorted, report.samples.begin());
		const Json file = written(report);
		for (const Json& thread : file.at("threads")) {
			check_tables(file, thread);
			CHECK(thread.at("samples").at("weightType") == "tracing-ms");
			const auto times = thread.at("samples").at("time").get<std::vector<double>>();
			CHECK(std::ranges::is_sorted(times));
		}
		Samples expected;
		for (const ReportSample& sample : report.samples)
			if (sample.has_stack())
				expected.emplace(
					report.processes[sample.process].comm + std::to_string(sample.pid) + "/" +
						std::to_string(sample.tid),
					std::pair(names_of(report, sample), static_cast<double>(*sample.period) / 1e6));
		CHECK(samples_in(file) == expected);
	}
}

TEST_CASE("Firefox learns what a file is, and where in it a call was")
{
	Report report = sample_report();
	report.modules[0].build_id = "000102030405060708090a0b0c0d0e0f10111213";
	report.samples = {sample_of(0, 10, 0, 3)};
	const Json file = written(report);
	CHECK(file.at("meta").at("preprocessedProfileVersion") == 48);
	const Json& library = file.at("libs").at(0);
	CHECK(library.at("name") == "prog");
	CHECK(library.at("path") == "/bin/prog");
	CHECK(library.at("codeId") == "000102030405060708090a0b0c0d0e0f10111213");
	CHECK(library.at("breakpadId") == "03020100050407060809"
					  "0A0B0C0D0E0F"
					  "0");
	const Json& thread = file.at("threads").at(0);
	CHECK(thread.at("samples").at("weight") == Json::parse("[3]"));
	CHECK(thread.at("samples").at("weightType") == "samples");
	// Outermost first: two callers, and where it was interrupted.
	CHECK(thread.at("frameTable").at("address") == Json::parse("[4607,4383,4112]"));
	CHECK(thread.at("nativeSymbols").at("address") == Json::parse("[4352,4096]"));
	CHECK(thread.at("resourceTable").at("length") == 1);
}

TEST_CASE("an address that is no number to JavaScript is left out for Firefox")
{
	Report report = sample_report();
	report.frames[0].offset = 0xffffffff81000000;
	report.frames[0].kernel = true;
	report.samples = {sample_of(0, 10, 0, 3)};
	const Json thread = written(report).at("threads").at(0);
	CHECK(thread.at("frameTable").at("address").at(2) == -1);
	CHECK(thread.at("frameTable").at("nativeSymbol").at(2).is_null());
	CHECK(thread.at("frameTable").at("category") == Json::parse("[0,0,1]"));
}

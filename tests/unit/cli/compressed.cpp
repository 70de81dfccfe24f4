// SPDX-License-Identifier: GPL-2.0
// Reports whose names end in .zst, and what uwind convert does with reports.
#include <catch2/catch.hpp>

#include <cstdlib>
#include <sstream>

#include "unit/cli/programs.h"
#include "unit/export/sample_report.h"
#include "unit/temporary_folder.h"

using namespace uwind;
using namespace programs;

namespace {

std::string json_of(const Report& report)
{
	std::ostringstream out;
	write_json(report, out);
	return out.str();
}

std::string contents(const std::string& path)
{
	std::ifstream file(path, std::ios::binary);
	return {std::istreambuf_iterator<char>(file), {}};
}

// A report in a folder, as JSON.
struct Folder : TemporaryFolder {
	const std::string json = json_of(sample_report());

	Folder() { std::ofstream(at("report.json")) << json; }

	Outcome uwind(const std::string& arguments) const
	{
		return run("uwind", arguments, "cd " + path.string() + " && ");
	}
};

} // namespace

TEST_CASE("a report is compressed by its name, and read as any other")
{
	if (!programs_are_built())
		return;
	const Folder folder;
	CHECK(folder.uwind("convert report.json -o report.json.zst").status == 0);
	CHECK(std::system(("cd " + folder.path.string() + " && zstd -q -d -c report.json.zst | cmp - report.json")
				  .c_str()) == 0);
	const Outcome summary = folder.uwind("report -i report.json");
	CHECK(folder.uwind("report -i report.json.zst").output == summary.output);
	CHECK(folder.uwind("report -i - <report.json.zst").output == summary.output);
	CHECK(folder.uwind("report -i report.json.zst --format json").output == folder.json);
	CHECK(folder.uwind("report -i report.json --format folded -o x.folded.zst").status == 0);
	CHECK(std::system(("cd " + folder.path.string() + " && zstd -q -t x.folded.zst").c_str()) == 0);
	CHECK(folder.uwind("symbolize -q report.json.zst").status == 0);
	CHECK(folder.uwind("report -i report.json.zst").output == summary.output);
	CHECK(folder.uwind("archive -q report.json.zst").status == 0);
	CHECK(folder.uwind("symbolize -q -o again.json report.tar.zst").status == 0);
	CHECK(folder.uwind("report -i again.json").output == summary.output);
}

TEST_CASE("uwind convert makes any other form of a report")
{
	if (!programs_are_built())
		return;
	const Folder folder;
	for (const auto& [name, format] : {std::pair("x.perf.data", "perf-data"), std::pair("x.otlp", "otlp"),
					   std::pair("x.otlp.json", "otlp-json"), std::pair("x.json", "json")}) {
		CHECK(folder.uwind(std::string("convert report.json -o ") + name).status == 0);
		CHECK(folder.uwind(std::string("report -i report.json -o expected --format ") + format).status == 0);
		CHECK(contents(folder.at(name)) == contents(folder.at("expected")));
	}
}

TEST_CASE("a compressed report that is damaged, or that cannot be written, is named")
{
	if (!programs_are_built())
		return;
	const Folder folder;
	REQUIRE(folder.uwind("convert report.json -o report.json.zst").status == 0);
	const std::string whole = contents(folder.at("report.json.zst"));
	std::ofstream(folder.at("cut.json.zst"), std::ios::binary) << whole.substr(0, whole.size() / 2);
	for (const char* arguments : {"report -i cut.json.zst", "symbolize cut.json.zst", "archive cut.json.zst"}) {
		const Outcome outcome = folder.uwind(arguments);
		INFO(arguments);
		CHECK(outcome.status == 64);
		CHECK(outcome.output ==
		      "uwind: cut.json.zst is damaged, or not compressed by zstd: it ends too early\n");
	}
	const Outcome full = folder.uwind("report -i report.json --format json -o /dev/full");
	CHECK(full.status != 0);
	CHECK_THAT(full.output, Catch::Contains("No space left on device"));
	CHECK_THAT(folder.uwind("report -i " + folder.path.string()).output, Catch::EndsWith("Is a directory\n"));
	CHECK_THAT(folder.uwind("report -i nowhere.json").output, Catch::EndsWith("No such file or directory\n"));
}

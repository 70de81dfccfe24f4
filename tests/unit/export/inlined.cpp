// SPDX-License-Identifier: GPL-2.0
// Inlined functions: in JSON, and as frames of the other forms.
#include "export/inlined.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <sstream>

#include "export/firefox.h"
#include "export/folded.h"
#include "export/json.h"
#include "export/perf_script.h"
#include "export/selection.h"
#include "export/speedscope.h"
#include "unit/export/sample_report.h"

using namespace uwind;
using Json = nlohmann::json;

namespace {

// leaf has b, which has a, inlined where it was.
Report report_with_inlined()
{
	Report report = sample_report();
	report.frames[0].source = ReportSource{"/src/leaf.c", 5};
	report.frames[0].inlined = {{"a", {"/src/a.h", 3}}, {"", {"", 0}}, {"b", {"/src/b.h", 4}}};
	report.frames[1].source = ReportSource{"/src/main.c", 20};
	return report;
}

template <typename Write>
std::string written(const Report &report, Write write)
{
	std::ostringstream out;
	write(report, out);
	return out.str();
}

std::string expanded(void (*write)(const Report &, std::ostream &))
{
	Report report = report_with_inlined();
	expand_inlined(report);
	return written(report, write);
}

} // namespace

TEST_CASE("JSON keeps inlined functions in their frame, and they can be read back")
{
	const Report report = report_with_inlined();
	const std::string text = written(report, write_json);
	const Json frame = Json::parse(text).at("frames").at(0);
	CHECK(frame.at("source") == Json{{"file", "/src/leaf.c"}, {"line", 5}});
	CHECK(frame.at("inlined").at(0) == Json{{"symbol", "a"}, {"source", {{"file", "/src/a.h"}, {"line", 3}}}});
	CHECK(frame.at("inlined").at(1) ==
	      Json{{"symbol", nullptr}, {"source", {{"file", nullptr}, {"line", nullptr}}}});
	CHECK(!Json::parse(text).at("frames").at(2).contains("source"));
	const auto read = read_json(text);
	REQUIRE(read);
	CHECK(read->frames[0].source == report.frames[0].source);
	CHECK(read->frames[0].inlined == report.frames[0].inlined);
	CHECK(written(*read, write_json) == text);
}

TEST_CASE("a source that is no object is refused with its place")
{
	Json file = Json::parse(written(report_with_inlined(), write_json));
	file["frames"][0]["inlined"][1]["source"] = 3;
	const auto read = read_json(file.dump());
	REQUIRE(!read);
	CHECK(read.error().message.find("frames[0].inlined[1].source") != std::string::npos);
}

TEST_CASE("each inlined function becomes a frame of every stack, inside the one that has its code")
{
	Report report = report_with_inlined();
	expand_inlined(report);
	REQUIRE(report.stacks[0].frames.size() == 6);
	std::vector<std::string> names;
	for (const Index frame : report.stacks[0].frames)
		names.push_back(frame_text(report, frame));
	CHECK(names == std::vector<std::string>{"a", "??", "b", "leaf", "main", "[prog+0x1200]"});
	CHECK(report.stacks[0].methods.size() == 6);
	CHECK(report.stacks[0].stack_bytes == std::vector<std::optional<std::uint32_t>>{0, 0, 0, 16, 32, {}});
	CHECK(bytes_of(report.stacks[0]) == bytes_of(sample_report().stacks[0]));
	CHECK(report.stacks[1] == sample_report().stacks[1]);
	CHECK(report.frames[report.stacks[0].frames[0]].inlining->depth == 3);
	CHECK(report.frames[report.stacks[0].frames[2]].inlining->depth == 1);
	CHECK(report.frames[0].inlined.empty());
}

TEST_CASE("forms mark inlined frames as their readers expect it")
{
	CHECK(expanded(write_folded).find("prog;[prog+0x1200];main;leaf;b_[i];??_[i];a_[i] 2\n") != std::string::npos);
	CHECK(expanded(write_perf_script)
		      .find("\t          401010 a (inlined)\n\t          401010 ?? (inlined)\n"
			    "\t          401010 b (inlined)\n\t          401010 leaf+0x10 (/bin/prog)\n") !=
	      std::string::npos);
	Report report = report_with_inlined();
	expand_inlined(report);
	CHECK(place_text(report, report.stacks[0].frames[0]) == "a (inlined)  a.h:3");
	CHECK(place_text(report, 0) == "leaf+0x10  prog  leaf.c:5");
}

TEST_CASE("speedscope's frames have the line of their source, or the file of their code")
{
	const Json frames = Json::parse(expanded(write_speedscope)).at("shared").at("frames");
	CHECK(frames.at(0) == Json{{"name", "leaf"}, {"file", "/src/leaf.c"}, {"line", 5}});
	CHECK(frames.at(2) == Json{{"name", "[prog+0x1200]"}, {"file", "/bin/prog"}});
	CHECK(frames.at(5) == Json{{"name", "a"}, {"file", "/src/a.h"}, {"line", 3}});
}

TEST_CASE("the Firefox Profiler has an inlined frame's depth, line, file, and the symbol of its code")
{
	const Json file = Json::parse(expanded(write_firefox));
	const Json &thread = file.at("threads").at(0), &frames = thread.at("frameTable"),
		   &strings = thread.at("stringArray");
	const Json &functions = thread.at("funcTable"), &symbols = thread.at("nativeSymbols");
	std::size_t found = 0;
	for (std::size_t i = 0; i < frames.at("length"); i++) {
		const std::size_t function = frames.at("func").at(i);
		if (strings.at(functions.at("name").at(function).get<std::size_t>()) != "a")
			continue;
		found++;
		CHECK(frames.at("inlineDepth").at(i) == 3);
		CHECK(frames.at("line").at(i) == 3);
		CHECK(strings.at(functions.at("fileName").at(function).get<std::size_t>()) == "/src/a.h");
		const std::size_t symbol = frames.at("nativeSymbol").at(i);
		CHECK(strings.at(symbols.at("name").at(symbol).get<std::size_t>()) == "leaf");
	}
	CHECK(found > 0);
}

TEST_CASE("samples are chosen by inlined functions, too")
{
	Report report = report_with_inlined();
	Selection selection;
	selection.symbols = {"b"};
	REQUIRE(select_samples(report, selection));
	CHECK(report.samples.size() == 1);
}

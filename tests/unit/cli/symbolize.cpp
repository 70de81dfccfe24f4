// SPDX-License-Identifier: GPL-2.0
// uwind symbolize, as a shell runs it. 2 s.
#include <catch2/catch.hpp>

#include <filesystem>

#include "base/text.h"
#include "unit/cli/programs.h"
#include "unit/temporary_folder.h"

using namespace uwind;
using namespace programs;

namespace {

constexpr char build_id[] = "0123456789abcdef0123";

// A program whose main has a function inlined, and a report of one stack in it.
struct Recorded {
	TemporaryFolder folder;
	std::string program = folder.at("program"), report = folder.at("report.json");

	Recorded()
	{
		std::ofstream(folder.at("source.c")) << R"(
static inline __attribute__((always_inline)) int inlined(int x) { return x * 3 + 1; }
int main(int argc, char** argv) { return inlined(argc); }
)";
		const std::string command = "gcc -O2 -g -Wl,--build-id=0x" + std::string(build_id) + " " +
					    folder.at("source.c") + " -o " + program;
		REQUIRE(std::system(command.c_str()) == 0);
		write(program, address_of_main());
	}

	std::uint64_t address_of_main() const
	{
		const std::string list = "nm " + program + " | awk '$3 == \"main\" {print $1}' >" + folder.at("main");
		REQUIRE(std::system(list.c_str()) == 0);
		std::uint64_t address = 0;
		std::ifstream(folder.at("main")) >> std::hex >> address;
		return address;
	}

	void write(const std::string& path, std::uint64_t address) const
	{
		Report result;
		result.processes = {{1, "program", "", 0, 64}};
		result.modules = {{path, build_id, {}, 0, 0}};
		result.frames = {{address, 0, address, {}, 0, false}};
		result.stacks = {{{0}, {Method::PC}, {{}}, Stop::OUTERMOST}};
		ReportSample sample;
		sample.weight = 7;
		sample.user_stack = 0;
		result.samples = {sample};
		std::ofstream out(report);
		write_json(result, out);
	}
};

} // namespace

TEST_CASE("uwind symbolize replaces the report by one with names, lines and inlined functions")
{
	if (!programs_are_built())
		return;
	const Recorded recorded;
	const Outcome outcome = run("uwind", "symbolize " + recorded.report);
	CHECK(outcome.output == "uwind: of 1 frames in files 1 have a name (0 before), 1 a line, and 1 functions were "
				"inlined there\n");
	CHECK(outcome.status == 0);
	CHECK(run("uwind", "report --format folded -i " + recorded.report).output == "program;main;inlined_[i] 7\n");
	CHECK(run("uwind", "report --format folded --no-inline -i " + recorded.report).output == "program;main 7\n");
	CHECK(run("uwind", "report -i " + recorded.report).output.find("inlined (inlined)  source.c:2") !=
	      std::string::npos);
}

TEST_CASE("the files of another machine are below its folder")
{
	if (!programs_are_built())
		return;
	const Recorded recorded;
	recorded.write("/nowhere/program", recorded.address_of_main());
	const std::string root = recorded.folder.at("root");
	std::filesystem::create_directories(root + "/nowhere");
	std::filesystem::copy_file(recorded.program, root + "/nowhere/program");
	const std::string other = recorded.folder.at("other.json");
	const std::string options = "symbolize " + recorded.report + " -o " + other;
	CHECK(run("uwind", options)
		      .output.find("uwind: /nowhere/program: there is no such file, and no debug file of "
				   "its build-id is there\n") == 0);
	CHECK(run("uwind", options + " -q --sysroot " + root).output == "");
	CHECK(run("uwind", "report --format folded -i " + other).output == "program;main;inlined_[i] 7\n");
	CHECK(run("uwind", "report --format folded -i " + recorded.report).output ==
	      "program;[program+" + hex(recorded.address_of_main()) + "] 7\n");
}

TEST_CASE("wrong uses of uwind symbolize have messages")
{
	if (!programs_are_built())
		return;
	const Recorded recorded;
	CHECK(run("uwind", "symbolize /nowhere.json").output == "uwind: /nowhere.json: No such file or directory\n");
	std::ofstream(recorded.folder.at("text")) << "no report\n";
	const Outcome no_report = run("uwind", "symbolize " + recorded.folder.at("text"));
	CHECK(no_report.status == 64);
	CHECK(no_report.output.find(recorded.folder.at("text") + ": ") != std::string::npos);
	CHECK(run("uwind", "symbolize --sysroot /nowhere " + recorded.report).output.find("/nowhere") !=
	      std::string::npos);
	const Outcome full = run("uwind", "symbolize -q -o /dev/full " + recorded.report);
	CHECK(full.status == 78);
	CHECK(full.output == "uwind: /dev/full: No space left on device\n");
}

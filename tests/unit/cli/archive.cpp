// SPDX-License-Identifier: GPL-2.0
// uwind archive, and uwind symbolize of what it wrote, with the files gone. 10 s.
#include <catch2/catch.hpp>

#include <filesystem>
#include <sstream>

#include "base/text.h"
#include "unit/cli/programs.h"
#include "unit/temporary_folder.h"

using namespace uwind;
using namespace programs;
namespace fs = std::filesystem;

namespace {

constexpr char build_id[] = "0123456789abcdef0123456789abcdef01234567";

void shell(const std::string& command)
{
	INFO(command);
	REQUIRE(std::system(command.c_str()) == 0);
}

// A program whose main has a function inlined, and a report of one stack in it.
struct Recorded {
	TemporaryFolder folder;
	std::string root = folder.path, program = root + "/program", report = root + "/report.json",
		    archive = root + "/report.tar.zst";

	explicit Recorded(const std::string& options = "-g")
	{
		std::ofstream(root + "/source.c") << R"(
static inline __attribute__((always_inline)) int inlined(int x) { return x * 3 + 1; }
int main(int argc, char** argv) { return inlined(argc); }
)";
		shell("cd " + root + " && mkdir -p sub/obj && gcc -O2 " + options +
		      " -c source.c -o sub/obj/source.o && gcc -Wl,--build-id=0x" + std::string(build_id) +
		      " sub/obj/source.o -o program && nm program | awk '$3 == \"main\" {print $1}' >main");
		std::uint64_t address = 0;
		std::ifstream(root + "/main") >> std::hex >> address;
		write(address, {{program, build_id, {}, 0, 0}});
	}

	void write(std::uint64_t address, std::vector<ReportModule> modules) const
	{
		Report result;
		result.processes = {{1, "program", "", 0, 64}};
		result.modules = std::move(modules);
		for (Index i = 0; i < result.modules.size(); i++)
			result.frames.push_back({address, i, address, {}, 0, false});
		result.stacks = {{{0}, {Method::PC}, {{}}, Stop::OUTERMOST}};
		ReportSample sample;
		sample.weight = 7;
		sample.user_stack = 0;
		result.samples = {sample};
		std::ofstream out(report);
		write_json(result, out);
	}

	// Nothing but the archive is left.
	void lose_all() const
	{
		for (const auto& entry : fs::directory_iterator(root))
			if (entry.path() != archive)
				fs::remove_all(entry.path());
	}
	std::string listed() const
	{
		shell("cd " + root + " && tar --zstd -tf report.tar.zst >listed");
		std::ostringstream text;
		text << std::ifstream(root + "/listed").rdbuf();
		return text.str();
	}
	std::string folded() const { return run("uwind", "report --format folded -i " + report).output; }
};

constexpr char named[] = "program;main;inlined_[i] 7\n";
constexpr char plain_members[] = "report.json\n.build-id/01/23456789abcdef0123456789abcdef01234567\n";

} // namespace

TEST_CASE("a report is named by its archive alone")
{
	if (!programs_are_built())
		return;
	const Recorded recorded;
	const Outcome made = run("uwind", "archive " + recorded.report);
	CHECK(made.output == "uwind: " + recorded.archive + " has the report and 1 files, 0 MiB before compression\n");
	CHECK(made.status == 0);
	CHECK(recorded.listed() == plain_members);
	shell("cd " + recorded.root +
	      " && mkdir there && tar --zstd -xf report.tar.zst -C there && cmp there/report.json report.json && "
	      "cmp there/.build-id/01/23456789abcdef0123456789abcdef01234567 program");
	recorded.lose_all();
	const Outcome outcome = run("uwind", "symbolize " + recorded.archive);
	CHECK(outcome.output == "uwind: of 1 frames in files 1 have a name (0 before), 1 a line, and 1 functions were "
				"inlined there\n");
	CHECK(recorded.folded() == named);
}

TEST_CASE("the debug file of a stripped program is in the archive")
{
	if (!programs_are_built())
		return;
	const Recorded recorded;
	shell("cd " + recorded.root +
	      " && mkdir -p debug/.build-id/01 && objcopy --only-keep-debug program "
	      "debug/.build-id/01/23456789abcdef0123456789abcdef01234567.debug && strip program");
	CHECK(run("uwind", "archive -q --debug-dir " + recorded.root + "/debug " + recorded.report).output == "");
	CHECK(recorded.listed() ==
	      plain_members + std::string(".build-id/01/23456789abcdef0123456789abcdef01234567.debug\n"));
	// Unpacked, it is a folder of debug files, also for other programs.
	shell("cd " + recorded.root +
	      " && mkdir there && tar --zstd -xf report.tar.zst -C there && "
	      "cmp there/.build-id/01/23456789abcdef0123456789abcdef01234567.debug "
	      "debug/.build-id/01/23456789abcdef0123456789abcdef01234567.debug");
	fs::remove(recorded.program);
	CHECK(run("uwind", "symbolize -q --debug-dir " + recorded.root + "/there " + recorded.report + " -o " +
				   recorded.root + "/other")
		      .output == "");
	recorded.lose_all();
	CHECK(run("uwind", "symbolize -q " + recorded.archive).output == "");
	CHECK(recorded.folded() == named);
}

TEST_CASE("debug information that was split off is in the archive, wherever it was")
{
	if (!programs_are_built())
		return;
	for (const std::string options : {"-g -gsplit-dwarf", "-gdwarf-4 -gsplit-dwarf"}) {
		const Recorded recorded(options);
		CHECK(run("uwind", "archive -q " + recorded.report).output == "");
		CHECK(recorded.listed().find(plain_members +
					     std::string(".build-id/01/23456789abcdef0123456789abcdef01234567.dwo/")) ==
		      0);
		recorded.lose_all();
		CHECK(run("uwind", "symbolize -q " + recorded.archive).output == "");
		CHECK(recorded.folded() == named);
	}
}

TEST_CASE("debug information that was split off and is gone is said to be missing")
{
	if (!programs_are_built())
		return;
	const Recorded recorded("-g -gsplit-dwarf");
	fs::remove_all(recorded.root + "/sub");
	const std::string missing =
		"uwind: " + recorded.program +
		": of 1 units the debug information was split off, and is not there (sub/obj/source.dwo)\n";
	CHECK(run("uwind", "archive " + recorded.report).output.find(missing) == 0);
	CHECK(run("uwind", "symbolize " + recorded.report).output.find(missing) == 0);
}

TEST_CASE("what an archive lacks is said, and the rest is packed")
{
	if (!programs_are_built())
		return;
	const Recorded recorded;
	recorded.write(0x1000, {{"/nowhere/a", "ffff00", {}, 0, 0},
				{"/nowhere/b", "", {}, 0, 0},
				{recorded.program, build_id, {}, 0, 0}});
	const std::string said = run("uwind", "archive " + recorded.report).output;
	CHECK(said.find("uwind: /nowhere/a: there is no such file, and no debug file of its build-id is there\n") == 0);
	CHECK(said.find("uwind: /nowhere/b: it has no build-id, by which it would be found in the archive\n") !=
	      said.npos);
	CHECK(recorded.listed() == plain_members);
}

TEST_CASE("an archive that somebody else has made writes no file outside its own folder")
{
	if (!programs_are_built())
		return;
	const Recorded recorded;
	const std::string in = "cd " + recorded.root + " && ", path = recorded.archive;
	const auto said = [&](const std::string& made) {
		shell(in + "rm -rf scratch && mkdir scratch && " + made);
		const Outcome outcome = run("uwind", "symbolize " + path, "TMPDIR=" + recorded.root + "/scratch ");
		CHECK(outcome.status == 64);
		CHECK(fs::is_empty(recorded.root + "/scratch"));
		return outcome.output;
	};
	const std::string tar = "tar --zstd -Pcf report.tar.zst report.json ";
	shell(in + "mkdir -p .build-id/01 && cp program .build-id/01/2345 && cp program .build-id/01/23g5 && cp "
		   "program ../uwind-test-outside");
	for (const std::string name : {"../uwind-test-outside", "program", ".build-id/01/23g5", "./.build-id/01/2345"})
		CHECK(said(tar + name) == "uwind: " + path + ": " + name + " is no file of such an archive\n");
	shell("rm " + recorded.root + "/../uwind-test-outside");
	shell(in + "rm .build-id/01/2345 && ln -s /etc/passwd .build-id/01/2345");
	CHECK(said(tar + ".build-id/01/2345") == "uwind: " + path + ": .build-id/01/2345 is no regular file\n");
	shell(in + "rm .build-id/01/2345 && cp program .build-id/01/2345");
	CHECK(said(tar + "--hard-dereference .build-id/01/2345 .build-id/01/2345") ==
	      "uwind: " + path + ": .build-id/01/2345: is there twice\n");
	CHECK(said("tar --zstd -cf report.tar.zst program") ==
	      "uwind: " + path + " has no report: `uwind archive` makes archives that do\n");
	CHECK(said("tar -cf - report.json program | zstd | head -c 300 >report.tar.zst")
		      .find("uwind: " + path + " is damaged") == 0);
}

TEST_CASE("wrong uses of uwind archive have messages")
{
	if (!programs_are_built())
		return;
	const Recorded recorded;
	CHECK(run("uwind", "archive /nowhere.json").output == "uwind: /nowhere.json: No such file or directory\n");
	CHECK(run("uwind", "archive - </dev/null").output ==
	      "uwind: a report from standard input has no name for the archive: give -o\n");
	const Outcome full = run("uwind", "archive -q -o /dev/full " + recorded.report);
	CHECK(full.status == 78);
	CHECK(full.output == "uwind: /dev/full: No space left on device\n");
	REQUIRE(run("uwind", "archive -q " + recorded.report).status == 0);
	const Outcome both = run("uwind", "symbolize --debug-dir / " + recorded.archive);
	CHECK(both.status == 64);
	CHECK(both.output ==
	      "uwind: " + recorded.archive + " has its files with it: --sysroot and --debug-dir are for reports\n");
}

// SPDX-License-Identifier: GPL-2.0
// Lines and inlined functions of kernel code, whose files are linked and loaded as no program's are, beside addr2line.
#include <catch2/catch.hpp>
#include <fstream>
#include <map>

#include "app/symbolize.h"
#include "base/text.h"
#include "objects/code_files.h"
#include "unit/temporary_folder.h"

using namespace uwind;

namespace {

// Several sections with code, two of them at the same offsets; a name that two functions have.
constexpr char code[] = R"(
static inline __attribute__((always_inline)) int inlined(int x)
{
	return x * 3 + 1;
}
__attribute__((noinline, section(".text"))) int work(int x) { return inlined(x) + inlined(x + 5) / 7; }
__attribute__((noinline, section(".noinstr.text"))) int quiet(int x)
{
	return inlined(x) ^ 3;
}
__attribute__((section(".text"))) int start(int x)
{
	return work(x) + quiet(x) * 2;
}
__attribute__((section(".init.text"))) int later(int x) { return inlined(x) - 9; }
)";

constexpr char release[] = "6.1.0-1-amd64", build_id[] = "0123456789abcdef0123456789abcdef01234567";

void run(const std::string& command)
{
	INFO(command);
	REQUIRE(std::system(command.c_str()) == 0);
}

std::string output_of(const std::string& command)
{
	std::string text;
	FILE* const pipe = ::popen(command.c_str(), "r");
	char part[4096];
	while (const std::size_t length = std::fread(part, 1, sizeof(part), pipe))
		text.append(part, length);
	REQUIRE(::pclose(pipe) == 0);
	return text;
}

struct Loaded {
	std::string symbol, section;
	std::uint64_t in_section = 0, bytes = 0; // in the file
	std::uint64_t start = 0;                 // in the report
};

struct Machine {
	TemporaryFolder folder;
	std::string root = folder.path, modules = root + "/lib/modules/" + release;
	Machine()
	{
		run("mkdir -p " + modules + "/kernel/net " + root + "/boot");
		std::ofstream(root + "/code.c") << code;
	}
	void compile(const std::string& options, const std::string& output) const
	{
		run("gcc -O2 -g -fno-pic -fno-stack-protector " + options + " -Wl,--build-id=0x" + build_id +
		    " -nostdlib -x c " + root + "/code.c -o " + output);
	}
	CodePlaces places() const { return {{root}, {}}; }
};

// Innermost first: "inlined code.c:4\nwork code.c:6\n".
std::string ours(const ReportFrame& frame)
{
	std::string text;
	for (const ReportInlined& inlined : frame.inlined)
		text += inlined.symbol + ' ' + std::string(basename_of(inlined.source.file)) + ':' +
			std::to_string(inlined.source.line) + '\n';
	if (frame.source)
		text += *frame.symbol + ' ' + std::string(basename_of(frame.source->file)) + ':' +
			std::to_string(frame.source->line) + '\n';
	return text;
}

// address: in that section, or "" for one of the whole file.
std::string theirs(const std::string& file, const std::string& section, std::uint64_t address)
{
	const std::string of = section.empty() ? "" : "-j " + section + " ";
	const std::string command = "addr2line -f -i -s " + of + "-e " + file + " " + hex(address);
	// A function, and its place in a line of its own.
	return output_of(command + " | paste -d ' ' - - | sed 's/ (discriminator.*//'");
}

// A frame in each byte of the functions, interrupted there.
Report report_of(const std::string& path, const std::vector<Loaded>& functions)
{
	Report report;
	report.host.kernel = release;
	report.modules = {{path, build_id, {}, 0, 0}};
	for (const Loaded& function : functions)
		for (std::uint64_t at = 0; at < function.bytes; at++) {
			ReportFrame frame;
			frame.offset = frame.address = function.start + at;
			frame.module = 0;
			frame.kernel = true;
			frame.symbol = function.symbol;
			frame.symbol_offset = at;
			report.stacks.push_back(
				{{static_cast<Index>(report.frames.size())}, {Method::PC}, {{}}, Stop::NONE});
			report.frames.push_back(std::move(frame));
		}
	return report;
}

void compare(const std::string& file, const std::string& path, const std::vector<Loaded>& functions,
	     const Machine& machine)
{
	Report report = report_of(path, functions);
	ElfCodeFiles files(machine.places());
	const SymbolizeCounts counts = symbolize(report, files);
	CHECK(counts.missing == std::vector<std::string>{});
	CHECK(counts.with_line == report.frames.size());
	CHECK(counts.inlined >= 8);
	std::size_t next = 0;
	for (const Loaded& function : functions)
		for (std::uint64_t at = 0; at < function.bytes; at++) {
			INFO(function.symbol << "+" << at);
			REQUIRE(ours(report.frames[next++]) ==
				theirs(file, function.section, function.in_section + at));
		}
}

// By nm and readelf: sections are loaded in another order than the file's, and far apart.
std::vector<Loaded> functions_of(const std::string& file, bool by_section)
{
	std::map<std::string, std::uint64_t> bases;
	std::istringstream lines(output_of("nm -f sysv " + file + " | tr -d ' ' | grep '|FUNC|'"));
	std::vector<Loaded> functions;
	for (std::string line; std::getline(lines, line);) {
		std::string_view left = line;
		std::vector<std::string> fields;
		while (!left.empty())
			fields.emplace_back(next_part(left, '|'));
		Loaded function{fields[0], by_section ? fields[6] : "", *parse_number(fields[1], 16),
				*parse_number(fields[4], 16), 0};
		const auto [base, is_new] = bases.try_emplace(function.section, 0x9000 - 0x1000 * bases.size());
		function.start = function.in_section + (by_section ? base->second : 0x12000000);
		functions.push_back(function);
	}
	REQUIRE(functions.size() == 4);
	return functions;
}

} // namespace

TEST_CASE("frames in a module that is still to be linked have the lines that addr2line says of its sections")
{
	const Machine machine;
	const std::string file = machine.modules + "/kernel/net/nf-test.ko";
	machine.compile("-r", file);
	compare(file, "[nf_test]", functions_of(file, true), machine);
}

TEST_CASE("a module's debug file is found by its build-id, and below the folder of debug files")
{
	const Machine machine;
	const std::string file = machine.root + "/module.ko";
	machine.compile("-r", file);
	const auto functions = functions_of(file, true);
	for (const std::string place : {"/.build-id/01/23456789abcdef0123456789abcdef01234567.debug",
					"/lib/modules/6.1.0-1-amd64/nf_test.ko.debug"}) {
		const TemporaryFolder debug;
		Report report = report_of("[nf_test]", functions);
		run("mkdir -p $(dirname " + debug.path.string() + place + ") && cp " + file + " " +
		    debug.path.string() + place);
		ElfCodeFiles files({{machine.root}, {debug.path}});
		CHECK(symbolize(report, files).with_line == report.frames.size());
	}
}

TEST_CASE("frames in a kernel that was moved have the lines that addr2line says of its file")
{
	const Machine machine;
	const std::string file = machine.root + "/boot/vmlinux-" + release;
	machine.compile("-static -no-pie -Wl,-e,start -Wl,-Ttext=0xffffffff81000000", file);
	compare(file, "[kernel.kallsyms]", functions_of(file, false), machine);
}

TEST_CASE("what a kernel's frames lack is said")
{
	const Machine machine;
	const std::string file = machine.root + "/boot/vmlinux-" + release;
	const std::vector<Loaded> functions = {{"work", "", 0, 4, 0x1000}, {"quiet", "", 0, 4, 0x99000}};
	const auto missing = [&](const std::string& id) {
		Report report = report_of("[kernel.kallsyms]", functions);
		report.modules[0].build_id = id;
		ElfCodeFiles files(machine.places());
		const auto counts = symbolize(report, files);
		CHECK(counts.with_line == 0);
		return counts.missing.empty() ? "" : counts.missing[0];
	};
	CHECK(missing(build_id) == "[kernel.kallsyms]: no debug file of its build-id is there");
	machine.compile("-static -no-pie -Wl,-e,start -Wl,-Ttext=0xffffffff81000000", file);
	CHECK(missing("ff23456789") == "[kernel.kallsyms]: no debug file of its build-id is there");
	CHECK(missing(build_id) == "[kernel.kallsyms]: none of its functions is where its debug file has them");
	run("strip -g " + file);
	CHECK(missing(build_id) == "[kernel.kallsyms]: it has no debug information, and no debug file is there");
	CHECK(missing("") == "");
}

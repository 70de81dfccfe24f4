// SPDX-License-Identifier: GPL-2.0
// uwind text-at and text-log as a shell sees them: what needs no module, of a log that is written here.
#include <catch2/catch.hpp>

#include <fstream>
#include <nlohmann/json.hpp>

#include "export/text_log.h"
#include "unit/cli/programs.h"
#include "unit/temporary_folder.h"

using namespace uwind;
using namespace programs;

namespace {

constexpr std::uint64_t text = 0xffffffff81000000;
constexpr std::uint64_t begin_ns = 5'000'000'000;
constexpr std::uint64_t changed_ns = 6'500'000'000;
constexpr std::uint64_t end_ns = 8'000'000'000;

// Two functions of x86-64: nop; ret; and, from 6.5 s on, int3 instead of the first one's nop.
std::string log_bytes()
{
	TextArea area;
	area.at_begin = true;
	area.place = TextPlace::image;
	area.time_ns = begin_ns;
	area.address = text;
	area.name = "kernel";
	area.bytes = {0x90, 0xc3, 0x90, 0xc3};
	area.length = area.bytes.size();
	TextEdit edit;
	edit.from_ns = edit.until_ns = changed_ns;
	edit.address = text;
	edit.before = {0x90};
	edit.after = {0xcc};
	edit.kind = TextKind::kprobe;
	edit.what = "one";
	std::string bytes = text_log_head({Arch::x86_64, begin_ns, 1'800'000'000, "an-id", "6.1.0"});
	for (const TextEntry& entry : std::vector<TextEntry>{
		     TextSymbols{begin_ns, {{text, "one", ""}, {text + 2, "two", ""}}}, area, edit, TextEnd{end_ns, 0}})
		bytes += text_log_entry(entry);
	return bytes;
}

struct LogFile {
	TemporaryFolder folder;
	std::string path = folder.at("some.text");

	LogFile() { std::ofstream(path, std::ios::binary) << log_bytes(); }

	Outcome text_at(const std::string& arguments) const
	{
		return run("uwind", "text-at -i " + path + " " + arguments);
	}
	std::string bytes_at(const std::string& arguments) const
	{
		const auto outcome = text_at(arguments + " --format json");
		INFO(outcome.output);
		REQUIRE(outcome.status == 0);
		return nlohmann::json::parse(outcome.output)["possible"][0]["bytes"];
	}
};

} // namespace

TEST_CASE("text is shown as it was at a time, by each form of a time and of an address")
{
	if (!programs_are_built())
		return;
	const LogFile log;
	for (const char* before :
	     {"begin one 2", "5 ffffffff81000000 2", "+1.4 0xffffffff81000000 2", "6.499999999 one+0 2"})
		CHECK(log.bytes_at(before) == "90c3");
	for (const char* after : {"end one 2", "7.5 one 2", "+1.500000001 one 2"})
		CHECK(log.bytes_at(after) == "ccc3");
	CHECK(log.bytes_at("end one+1 3") == "c390c3");
	CHECK(log.bytes_at("end two 2") == "90c3");
}

TEST_CASE("text is disassembled, an instruction and its function per line")
{
	if (!programs_are_built())
		return;
	const LogFile log;
	const auto before = log.text_at("begin one 4");
	CHECK(before.status == 0);
	CHECK(before.output.find("at 5.000000000 s (+0.000000000 s), kernel kernel\n") == 0);
	CHECK(before.output.find("two+0x1") != std::string::npos);
	CHECK(before.output.find("nop") != std::string::npos);
	CHECK(log.text_at("end one 1").output.find("int3") != std::string::npos);
}

TEST_CASE("text that ends before the length that was asked for is shown, and a line says so")
{
	if (!programs_are_built())
		return;
	const LogFile log;
	const auto outcome = log.text_at("end two 16");
	CHECK(outcome.status == 0);
	CHECK(outcome.output.find("uwind: only 2 bytes: 'kernel' ends there\n") != std::string::npos);
}

TEST_CASE("a time, address or length that is none is refused, with what one looks like")
{
	if (!programs_are_built())
		return;
	const LogFile log;
	struct Wrong {
		const char *arguments, *message;
	};
	for (const Wrong& wrong :
	     {Wrong{"later one 4", "'later' is no time: give seconds"}, Wrong{"+1.1234567890 one 4", "is no time"},
	      Wrong{"4.9 one 4", "covers 5.000000000 to 8.000000000 s, not 4.900000000"},
	      Wrong{"+9 one 4", "not 14.000000000"},
	      Wrong{"end three 4", "'three' is no address: give hexadecimal digits"},
	      Wrong{"end 0x1000 4", "is no text of the kernel that the log covers"}, Wrong{"end one 0", "LENGTH"},
	      Wrong{"end one 1048577", "LENGTH"}, Wrong{"end one", "LENGTH is required"}}) {
		const auto outcome = log.text_at(wrong.arguments);
		INFO(wrong.arguments << ": " << outcome.output);
		CHECK(outcome.status == 64);
		CHECK(outcome.output.find(wrong.message) != std::string::npos);
	}
}

TEST_CASE("what is no log of kernel text is named, and a log that is cut short is said to be so")
{
	if (!programs_are_built())
		return;
	const LogFile log;
	const auto other = run("uwind", "text-at -i /etc/passwd end one 4");
	CHECK(other.status == 78);
	CHECK(other.output.find("/etc/passwd: this is no log of kernel text") != std::string::npos);
	CHECK(run("uwind", "text-at -i /nonexistent end one 4").output.find("/nonexistent") != std::string::npos);
	std::ofstream(log.path, std::ios::binary | std::ios::app) << std::string("\3\0\0\0\xff", 5);
	const auto cut = log.text_at("end one 1");
	CHECK(cut.status == 0);
	CHECK(cut.output.find("cut short: changes after its end are not known") != std::string::npos);
}

TEST_CASE("a wrong command line of text-log is a usage error")
{
	if (!programs_are_built())
		return;
	for (const char* arguments :
	     {"--duration 0", "--duration -1", "--interval 0", "--interval 86401", "--no-such"}) {
		INFO(arguments);
		CHECK(run("uwind", std::string("text-log ") + arguments).status == 64);
	}
}

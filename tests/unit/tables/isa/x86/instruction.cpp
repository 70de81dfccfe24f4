// SPDX-License-Identifier: GPL-2.0
// Where x86 instructions end, as binutils' objdump says it.
#include <catch2/catch.hpp>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <memory>
#include <unistd.h>

#include "base/handle.h"
#include "elf/file.h"
#include "tables/isa/x86/instruction.h"
#include "unit/source_folder.h"

namespace {

struct CloseCommand {
	void operator()(FILE* pipe) const { pclose(pipe); }
};

struct Compared {
	std::uint64_t equal = 0, different = 0;
	std::string first;
};

// "   27dc0:\t48 83 ec 08 \tsub ..."; false: another line, or bytes that are no instruction.
bool parse(const std::string& line, std::uint64_t& address, std::vector<std::uint8_t>& bytes)
{
	char* end = nullptr;
	address = std::strtoull(line.c_str(), &end, 16);
	if (end == line.c_str() || end[0] != ':' || end[1] != '\t')
		return false;
	const std::string rest(end + 2);
	const auto tab = rest.find('\t');
	if (tab == std::string::npos || rest.find("(bad)") != std::string::npos ||
	    rest.find(".byte") != std::string::npos)
		return false;
	bytes.clear();
	for (std::size_t at = 0; at + 2 <= tab && rest[at] != ' '; at += 3)
		bytes.push_back(static_cast<std::uint8_t>(std::strtoul(rest.substr(at, 2).c_str(), nullptr, 16)));
	const bool waits = bytes.size() > 1 && bytes[0] == 0x9b; // an instruction of its own, shown with the next one
	return !bytes.empty() && !waits;
}

Compared compare(const std::string& objdump, bool is_64)
{
	const std::unique_ptr<FILE, CloseCommand> pipe(popen(objdump.c_str(), "r"));
	Compared result;
	char line[4096];
	std::uint64_t address = 0;
	std::vector<std::uint8_t> bytes;
	while (pipe && std::fgets(line, sizeof(line), pipe.get())) {
		if (!parse(line, address, bytes))
			continue;
		const std::size_t length = bytes.size();
		bytes.resize(16); // as if others followed
		const bool equal = uwind::decode_x86(bytes, is_64).bytes == length;
		result.equal += equal;
		if (!equal && !result.different++)
			result.first = line;
	}
	return result;
}

constexpr char disassemble[] = "objdump -d --insn-width=16 -j .text ";

} // namespace

TEST_CASE("each instruction of stock amd64 libraries is as long as objdump says")
{
	for (const char* name : {"libc.so.6", "libm.so.6", "libstdc++.so.6"}) {
		const std::string path = std::string("/usr/lib/x86_64-linux-gnu/") + name;
		if (access(path.c_str(), R_OK) != 0) {
			WARN(path << " is absent: not compared");
			continue;
		}
		const Compared compared = compare(disassemble + path, true);
		CAPTURE(name, compared.first);
		CHECK(compared.equal > 50000);
		CHECK(compared.different == 0);
	}
}

// All forms of operands and immediates, of both word sizes.
TEST_CASE("each instruction of a list is as long as objdump says")
{
	const std::string source = in_sources("tests/unit/x86_instructions.s");
	for (const bool is_64 : {true, false}) {
		const std::string object = "/tmp/uwind-x86-" + std::to_string(getpid()) + ".o";
		const std::string assemble = std::string("x86_64-linux-gnu-as ") +
					     (is_64 ? "--64 --defsym BITS=64" : "--32 --defsym BITS=32") + " -o " +
					     object + " " + source;
		INFO(assemble);
		REQUIRE(std::system(assemble.c_str()) == 0);
		const Compared compared = compare(std::string("x86_64-linux-gnu-") + disassemble + object, is_64);
		unlink(object.c_str());
		CAPTURE(compared.first);
		CHECK(compared.equal > 150);
		CHECK(compared.different == 0);
	}
}

TEST_CASE("what no processor takes for an instruction is none")
{
	using Code = std::vector<std::uint8_t>;
	const auto bytes = [](Code code, bool is_64) {
		code.resize(16);
		return uwind::decode_x86(code, is_64).bytes;
	};
	for (const Code& code :
	     {Code{0xff, 0xff}, Code{0xff, 0x38}, Code{0xff, 0xd8}, Code{0xff, 0xe8}, Code{0xfe, 0xd0},
	      Code{0xc6, 0x08}, Code{0xc7, 0xf9}, Code{0x8d, 0xc0}, Code{0x8e, 0xc8}, Code{0x8c, 0xf0},
	      Code{0x0f, 0x04}, Code{0x0f, 0xba, 0xc0}, Code{0x0f, 0x24, 0xc0}, Code{0x0f, 0xc7, 0xc0}})
		for (const bool is_64 : {true, false}) {
			CAPTURE(code[0], code[1], is_64);
			CHECK(bytes(code, is_64) == 0);
		}
	for (const std::uint8_t code : {0x06, 0x1f, 0x27, 0x60, 0x82, 0x9a, 0xce, 0xd4, 0xd6, 0xea}) {
		CAPTURE(code);
		CHECK(bytes({code}, true) == 0);
		CHECK(bytes({code}, false) != 0);
	}
	// div %dh; call *(%rax); far jmp *(%rax); xabort $0; bt $0,%eax; ud2
	for (const Code& code : {Code{0xf6, 0xf6}, Code{0xff, 0x10}, Code{0xff, 0x28}, Code{0xc6, 0xf8, 0},
				 Code{0x0f, 0xba, 0xe0, 0}, Code{0x0f, 0x0b}})
		CHECK(bytes(code, true) == code.size());
}

TEST_CASE("no bytes make the decoder read behind them")
{
	std::uint32_t random = 1;
	for (int i = 0; i < 300'000; i++) {
		std::uint8_t bytes[16];
		for (std::uint8_t& byte : bytes)
			byte = static_cast<std::uint8_t>((random = random * 1664525 + 1013904223) >> 24);
		const std::size_t length = i % 16;
		const std::vector<std::uint8_t> code(bytes, bytes + length);
		CHECK(uwind::decode_x86(code, i & 1).bytes <= length);
	}
}

// SPDX-License-Identifier: GPL-2.0
// How long instructions of 32-bit Arm are, and which registers they write, as binutils'
// objdump says it.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <unistd.h>

#include "tables/isa/arm/instruction.h"
#include "unit/source_folder.h"

using uwind::ArmAction;
using uwind::ArmFlow;
using uwind::ArmInstruction;

namespace {

struct CloseCommand {
	void operator()(FILE* pipe) const { pclose(pipe); }
};

struct Line {
	std::uint32_t address = 0;
	std::vector<std::uint8_t> bytes;
	bool thumb = false;
	std::string mnemonic, operands;
};

// "   1e040:\tb508      \tpush\t{r3, lr}"; false: another line, or no instruction.
bool parse(const std::string& text, Line& line)
{
	char* end = nullptr;
	line.address = static_cast<std::uint32_t>(std::strtoul(text.c_str(), &end, 16));
	if (end == text.c_str() || end[0] != ':' || end[1] != '\t')
		return false;
	const std::string rest(end + 2);
	const auto tab = rest.find('\t');
	if (tab == std::string::npos)
		return false;
	const std::string what = rest.substr(tab + 1, rest.find_last_not_of('\n') - tab);
	for (const char* bad : {"UNDEFINED", "undefined", "UNPREDICTABLE", "illegal", "<und>", "??"})
		if (what.find(bad) != std::string::npos)
			return false;
	unsigned first = 0, second = 0;
	const int words = std::sscanf(rest.substr(0, tab).c_str(), "%x %x", &first, &second);
	line.thumb = rest.substr(0, tab).find_last_not_of(' ') < 4 || words == 2;
	line.bytes.clear();
	for (unsigned shift = 0; shift < (line.thumb ? 16 : 32); shift += 8)
		line.bytes.push_back(static_cast<std::uint8_t>(first >> shift));
	for (unsigned shift = 0; words == 2 && shift < 16; shift += 8)
		line.bytes.push_back(static_cast<std::uint8_t>(second >> shift));
	const auto split = what.find('\t');
	line.mnemonic = what.substr(0, split);
	line.operands = split == std::string::npos ? "" : what.substr(split + 1);
	return what[0] != '.';
}

bool starts_with_one_of(const std::string& text, std::initializer_list<const char*> beginnings)
{
	return std::any_of(beginnings.begin(), beginnings.end(), [&](const char* at) { return text.starts_with(at); });
}

// In a list in braces, or the first operand.
bool names(const std::string& operands, const std::string& name)
{
	const auto open = operands.find('{'), close = operands.find('}');
	const std::string list = open == std::string::npos ? operands.substr(0, operands.find(','))
							   : operands.substr(open + 1, close - open - 1) + ",";
	const auto at = list.find(name);
	return at != std::string::npos &&
	       (at + name.size() == list.size() || list[at + name.size()] == ',' || list[at + name.size()] == '!');
}

// Whether the text says that a register is written; of instructions with one result only.
bool writes(const Line& line, const std::string& name)
{
	const std::string& what = line.mnemonic;
	if (starts_with_one_of(what, {"push", "pop", "vpush", "vpop"}))
		return name == "sp" || (what.starts_with("pop") && names(line.operands, name));
	const std::string base = line.operands.substr(0, line.operands.find_first_of(",!"));
	const bool back = line.operands.find('!') != std::string::npos;
	if (starts_with_one_of(what, {"ldm", "stm"}))
		return (back && base == name) || (what[0] == 'l' && names(line.operands, name));
	const bool behind = line.operands.find("],") != std::string::npos;
	const bool address = line.operands.find("[" + name) != std::string::npos;
	if (starts_with_one_of(what, {"ldr", "str"}) && (back || behind) && address && !what.starts_with("strex"))
		return true;
	if (starts_with_one_of(what,
			       {"str", "cmp", "cmn", "tst", "teq", "b", "cb", "msr", "pl", "v", "it", "tb", "mcr"}) &&
	    !starts_with_one_of(what, {"bic", "bf", "strex"}))
		return false;
	return names(line.operands, name);
}

// Instructions with several results, or whose text names them otherwise.
bool is_compared(const Line& line)
{
	return !starts_with_one_of(line.mnemonic,
				   {"ldrd", "strd", "ldrexd", "umull", "smull", "umlal", "smlal", "umaal", "mrrc",
				    "mcrr", "mrc", "ldc", "stc", "cdp", "v", "f", "smlsl", "nop"}) &&
	       line.operands.find("pc") == std::string::npos;
}

std::uint16_t written(const ArmInstruction& instruction)
{
	std::uint16_t result = instruction.writes;
	if (instruction.action == ArmAction::add)
		result |= 1u << instruction.to;
	if (instruction.action == ArmAction::load)
		result |= instruction.registers;
	if (instruction.moved)
		result |= 1u << instruction.base;
	return result;
}

struct Compared {
	std::uint64_t lengths = 0, results = 0, different = 0;
	std::string first;
};

void compare(const Line& line, Compared& compared)
{
	static const std::pair<const char*, unsigned> followed[] = {{"sp", 13}, {"lr", 14}, {"r7", 7}, {"fp", 11}};
	const std::size_t length = line.bytes.size();
	std::vector<std::uint8_t> bytes = line.bytes;
	bytes.resize(8); // as if others followed
	const ArmInstruction instruction = uwind::decode_arm(bytes, line.address, line.thumb);
	bool equal = instruction.bytes == length;
	compared.lengths++;
	if (is_compared(line) && equal) {
		compared.results++;
		for (const auto& [name, number] : followed)
			equal &= writes(line, name) == bool(written(instruction) >> number & 1);
	}
	if (!equal && !compared.different++)
		compared.first = line.mnemonic + " " + line.operands;
}

Compared compare(const std::string& objdump)
{
	const std::unique_ptr<FILE, CloseCommand> pipe(popen(objdump.c_str(), "r"));
	Compared compared;
	char text[4096];
	Line line;
	while (pipe && std::fgets(text, sizeof(text), pipe.get()))
		if (parse(text, line))
			compare(line, compared);
	return compared;
}

constexpr char disassemble[] = "arm-linux-gnueabihf-objdump -d -w -j .text ";

} // namespace

TEST_CASE("each Arm instruction of compiled functions is as long as objdump says, and writes the same registers")
{
	const std::string object = "/tmp/uwind-arm-" + std::to_string(getpid()) + ".o";
	const std::string source = in_sources("tests/unit/arm_frames.c");
	for (const char* mode : {"-mthumb", "-marm"}) {
		const std::string compile = std::string("clang-14 --target=arm-linux-gnueabihf -O2 -c ") + mode +
					    " -o " + object + " " + source;
		INFO(compile);
		REQUIRE(std::system(compile.c_str()) == 0);
		const Compared compared = compare(disassemble + object);
		unlink(object.c_str());
		CAPTURE(compared.first);
		CHECK(compared.lengths > 300);
		CHECK(compared.results > 200);
		CHECK(compared.different == 0);
	}
}

// All forms of operands, of both instruction sets.
TEST_CASE("each Arm instruction of a list is as long as objdump says, and writes the same registers")
{
	const std::string source = in_sources("tests/unit/arm_instructions.s");
	for (const char* mode : {"-Wa,-mthumb", ""}) {
		const std::string object = "/tmp/uwind-arm-" + std::to_string(getpid()) + ".o";
		const std::string assemble = std::string("clang-14 --target=arm-linux-gnueabihf -c ") + mode + " -o " +
					     object + " " + source;
		INFO(assemble);
		REQUIRE(std::system(assemble.c_str()) == 0);
		const Compared compared = compare(disassemble + object);
		unlink(object.c_str());
		CAPTURE(compared.first);
		CHECK(compared.lengths > 100);
		CHECK(compared.different == 0);
	}
}

TEST_CASE("each Thumb instruction of a stock armhf library is as long as objdump says, and writes the same registers")
{
	const std::string path = "/usr/arm-linux-gnueabihf/lib/libm.so.6";
	if (access(path.c_str(), R_OK) != 0) {
		WARN(path << " is absent: not compared");
		return;
	}
	const Compared compared = compare(std::string(disassemble) + "-M force-thumb " + path);
	CAPTURE(compared.first);
	CHECK(compared.results > 10000);
	// Literals are shown as instructions that are none.
	CHECK(compared.different * 1000 < compared.lengths);
}

TEST_CASE("Arm branches lead where the manual says")
{
	const auto target = [](std::vector<std::uint8_t> bytes, bool thumb) {
		const ArmInstruction instruction = uwind::decode_arm(bytes, 0x1000, thumb);
		return instruction.has_target ? instruction.target : 0;
	};
	CHECK(target({0xfe, 0xe7}, true) == 0x1000);              // b .
	CHECK(target({0x00, 0xd0}, true) == 0x1004);              // beq
	CHECK(target({0x08, 0xb1}, true) == 0x1006);              // cbz
	CHECK(target({0x00, 0xf0, 0x02, 0xf8}, true) == 0x1008);  // bl
	CHECK(target({0xff, 0xf7, 0xfe, 0xef}, true) == 0x1000);  // blx, to A32
	CHECK(target({0xfe, 0xff, 0xff, 0xea}, false) == 0x1000); // b .
	CHECK(target({0x00, 0x00, 0x00, 0xfb}, false) == 0x100a); // blx, to T32
}

TEST_CASE("no bytes make the decoder of Arm instructions read behind them")
{
	std::uint32_t random = 1;
	for (int i = 0; i < 300'000; i++) {
		std::vector<std::uint8_t> bytes(static_cast<std::size_t>(i) % 6);
		for (std::uint8_t& byte : bytes)
			byte = static_cast<std::uint8_t>((random = random * 1664525 + 1013904223) >> 24);
		REQUIRE(uwind::decode_arm(bytes, random & ~3u, i % 7 != 0).bytes <= bytes.size());
	}
}

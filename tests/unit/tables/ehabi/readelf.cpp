// SPDX-License-Identifier: GPL-2.0
// Rules from Arm's unwind opcodes against binutils' reading of the same bytes. Both are
// carried out on made-up registers and memory: CFA, return address, r11 and r7 must be equal.
#include <algorithm>
#include <catch2/catch.hpp>
#include <fcntl.h>
#include <fstream>
#include <iostream>
#include <random>
#include <unistd.h>

#include "base/handle.h"
#include "elf/sections.h"
#include "tables/ehabi/exidx.h"
#include "tables/ehabi/opcodes.h"
#include "tables/rule_text.h"
#include "unit/source_folder.h"
#include "unit/tables/arm_image.h"
#include "unit/tables/ehabi/readelf.h"

extern "C" {
#include "types.h"
}

using arm_image::ArmImage;
using uwind::CfiReason;
using uwind::ExidxEntry;
using uwind::ExidxKind;
using uwind::LoweredRule;
using uwind::Rule;
using uwind::readelf::Machine;
using uwind::readelf::UnwindEntry;
using uwind::readelf::Unwound;

namespace {

// The value that a rule gives.
std::uint32_t at_place(std::uint8_t place, std::uint8_t reg, std::int32_t offset, std::uint32_t cfa, std::uint32_t same)
{
	const auto bytes = static_cast<std::uint32_t>(offset);
	switch (place) {
	case UW_PLACE_CFA_MEM:
		return Machine::memory(cfa + bytes);
	case UW_PLACE_REG_MEM:
		return Machine::memory(Machine::reg(reg) + bytes);
	default:
		REQUIRE(place == UW_PLACE_SAME);
		return same;
	}
}

std::uint32_t cfa_of(const Rule& rule)
{
	const std::uint32_t value = Machine::reg(rule.cfa_reg) + static_cast<std::uint32_t>(rule.cfa_off);
	return rule.cfa_kind ? Machine::memory(value) + static_cast<std::uint32_t>(rule.cfa_add) : value;
}

// Rules reach memory by a register, or by the CFA.
bool has_place(const Unwound& truth, const Unwound::Popped& popped)
{
	return !popped.from.loads || popped.from.name == truth.cfa.name;
}

std::uint32_t value(const Unwound& truth, unsigned reg)
{
	const auto popped = truth.popped.find(reg);
	return popped == truth.popped.end() ? Machine::reg(reg) : Machine::memory(popped->second.address);
}

bool same_ra(const Unwound& truth, const Rule& rule, std::uint32_t cfa)
{
	const unsigned reg = truth.popped.contains(15) ? 15 : 14;
	return at_place(rule.ra_place, rule.ra_reg, rule.ra_off, cfa, Machine::reg(14)) == value(truth, reg);
}

bool same_fp(const Unwound& truth, const Rule& rule, std::uint32_t cfa)
{
	const auto popped = truth.popped.find(11);
	if (popped != truth.popped.end() && !has_place(truth, popped->second))
		return rule.fp_place == UW_PLACE_LOST;
	return at_place(rule.fp_place, rule.fp_reg, rule.fp_off, cfa, Machine::reg(11)) == value(truth, 11);
}

bool same_base(const Unwound& truth, const Rule& rule, std::uint32_t cfa)
{
	const auto popped = truth.popped.find(7);
	if (popped == truth.popped.end())
		return rule.base_slot == 0;
	const std::uint32_t below = cfa - popped->second.address;
	const bool sayable = popped->second.from.name == truth.cfa.name && below && below / 4 < UW_BASE_LOST;
	return sayable ? rule.base_slot * 4u == below : rule.base_slot == UW_BASE_LOST;
}

// What readelf's words lead to has no rule.
bool has_no_rule(const Unwound& truth)
{
	const auto popped = truth.popped.find(truth.popped.contains(15) ? 15 : 14);
	return truth.refused || truth.below_sp || truth.chained ||
	       (popped != truth.popped.end() && !has_place(truth, popped->second));
}

bool agrees(const Unwound& truth, const LoweredRule& lowered)
{
	if (has_no_rule(truth))
		return lowered.rule.kind == UW_RULE_NONE && lowered.reason != CfiReason::none;
	if (truth.far && lowered.reason == CfiReason::offset)
		return lowered.rule.kind == UW_RULE_NONE;
	const std::uint32_t cfa = cfa_of(lowered.rule);
	return lowered.rule.kind == UW_RULE_FRAME && cfa == truth.cfa.value && same_ra(truth, lowered.rule, cfa) &&
	       same_fp(truth, lowered.rule, cfa) && same_base(truth, lowered.rule, cfa);
}

using Counts = std::map<std::string, std::uint64_t>;

struct Verdict {
	std::uint64_t equal = 0, rules = 0, cannot_unwind = 0, generic = 0;
	std::uint64_t without_words = 0; // of readelf's
	Counts left_out;
	std::vector<std::string> different;

	void add(const Verdict& other);
};

void Verdict::add(const Verdict& other)
{
	equal += other.equal;
	rules += other.rules;
	cannot_unwind += other.cannot_unwind;
	generic += other.generic;
	without_words += other.without_words;
	for (const auto& [reason, count] : other.left_out)
		left_out[reason] += count;
	different.insert(different.end(), other.different.begin(), other.different.end());
}

void note_difference(const UnwindEntry& theirs, const LoweredRule& lowered, Verdict& verdict)
{
	std::string text = std::to_string(theirs.start) + ":";
	for (const auto& line : theirs.lines)
		text += " " + line.text + ";";
	verdict.different.push_back(text + " ours: " + uwind::rule_text(lowered.rule, uwind::Arch::arm) + " " +
				    uwind::cfi_reason_text[static_cast<std::size_t>(lowered.reason)]);
}

void compare(const UnwindEntry& theirs, const ExidxEntry& ours, Verdict& verdict)
{
	REQUIRE(ours.start == theirs.start);
	REQUIRE((ours.kind == ExidxKind::cannot_unwind) == theirs.cannot_unwind);
	if (theirs.cannot_unwind) {
		verdict.cannot_unwind++;
		return;
	}
	REQUIRE(ours.kind == ExidxKind::opcodes);
	const LoweredRule lowered = uwind::lower_ehabi(uwind::opcodes_of(ours));
	if (lowered.reason != CfiReason::none)
		verdict.left_out[uwind::cfi_reason_text[static_cast<std::size_t>(lowered.reason)]]++;
	verdict.rules += lowered.rule.kind == UW_RULE_FRAME;
	verdict.generic += theirs.generic;
	if (theirs.generic && theirs.lines.empty())
		verdict.without_words++;
	else if (agrees(uwind::readelf::UnwindMachine().run(theirs), lowered))
		verdict.equal++;
	else
		note_difference(theirs, lowered, verdict);
}

Verdict compare_file(const std::string& path)
{
	const uwind::UniqueFd fd(open(path.c_str(), O_RDONLY));
	const auto file = uwind::ElfFile::open(fd.get());
	REQUIRE(file);
	const auto entries = uwind::read_exidx(*file);
	REQUIRE(entries);
	std::vector<UnwindEntry> theirs = uwind::readelf::ask_readelf_for_unwind(path);
	// The linker's last entry is for what is behind all code.
	if (theirs.size() == entries->size() + 1 && theirs.back().cannot_unwind)
		theirs.pop_back();
	REQUIRE(theirs.size() == entries->size());
	Verdict verdict;
	for (std::size_t i = 0; i < theirs.size(); i++)
		compare(theirs[i], (*entries)[i], verdict);
	return verdict;
}

void check_differences(const Verdict& verdict)
{
	constexpr std::size_t most = 10;
	INFO(verdict.different.size() << " entries differ");
	for (std::size_t i = 0; i < verdict.different.size() && i < most; i++)
		UNSCOPED_INFO(verdict.different[i]);
	CHECK(verdict.different.empty());
}

// A folder that goes away with the test.
class Folder {
public:
	Folder() : path_("/tmp/uwind-ehabi-" + std::to_string(getpid()))
	{
		REQUIRE(std::system(("mkdir -p " + path_).c_str()) == 0);
	}
	~Folder() { (void)!std::system(("rm -r " + path_).c_str()); }
	Folder(const Folder&) = delete;

	std::string file(const std::string& name) const { return path_ + "/" + name; }

private:
	std::string path_;
};

Verdict compare_image(const ArmImage& image)
{
	const Folder folder;
	const std::string path = folder.file("image");
	const auto bytes = image.build();
	std::ofstream(path, std::ios::binary)
		.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
	return compare_file(path);
}

} // namespace

TEST_CASE("any two unwind opcodes lead where readelf's words do")
{
	constexpr unsigned pairs = 1 << 16;
	ArmImage image(2 * pairs);
	for (unsigned pair = 0; pair < pairs; pair++)
		image.entry(2 * pair, 0x800000b0u | pair << 8);
	const Verdict verdict = compare_image(image);
	check_differences(verdict);
	CHECK(verdict.equal == pairs);
	CHECK(verdict.rules == 28006);
	CHECK(verdict.left_out == Counts{{"unknown instruction", 23106},
					 {"registers saved below the stack pointer", 14113},
					 {"instructions end in the middle of one", 310},
					 {"opcodes that refuse to unwind", 1}});
}

namespace {

// Opcodes that are not spare, and that lead upwards, more often than others.
std::uint8_t likely_opcode(std::mt19937& random)
{
	static constexpr std::uint8_t heads[] = {0x80, 0x84, 0x88, 0x82, 0x97, 0x9b, 0x9c, 0xa3, 0xab, 0xaf, 0xb1,
						 0xb2, 0xb3, 0xb4, 0xb5, 0xb9, 0xc1, 0xc6, 0xc7, 0xc8, 0xc9, 0xd1};
	const auto byte = static_cast<std::uint8_t>(random());
	const unsigned choice = random() % 8;
	return choice < 4 ? heads[byte % sizeof(heads)] : choice < 7 ? byte & 0x3f : byte;
}

std::vector<std::uint32_t> random_table(std::mt19937& random, unsigned personality, unsigned more)
{
	std::vector<std::uint32_t> words = {0x80000000u | personality << 24 | more << 16};
	for (unsigned i = 0; i < 2 + 4 * more; i++) {
		if (i >= 2 && i % 4 == 2)
			words.push_back(0);
		words.back() |= std::uint32_t{likely_opcode(random)} << 8 * (3 - (i + 2) % 4);
	}
	words.push_back(0); // no descriptors
	return words;
}

} // namespace

TEST_CASE("long unwind tables lead where readelf's words do")
{
	constexpr unsigned tables = 20000;
	std::mt19937 random(1);
	ArmImage image(2 * tables);
	for (unsigned i = 0; i < tables; i++)
		image.entry_with_table(2 * i, random_table(random, 1 + i % 2, i % 4));
	const Verdict verdict = compare_image(image);
	check_differences(verdict);
	CHECK(verdict.equal == tables);
	CHECK(verdict.rules == 8590);
	CHECK(verdict.left_out.size() == 7); // every reason that opcodes can have
}

TEST_CASE("unwind tables that compilers made lead where readelf's words do")
{
	const Folder folder;
	const std::string source = in_sources("tests/unit/arm_functions.c");
	const std::string gcc = "arm-linux-gnueabihf-gcc ", clang = "clang-14 --target=arm-linux-gnueabihf ";
	std::vector<std::string> commands;
	for (const char* flags :
	     {"-O2 -mthumb -funwind-tables", "-O0 -mthumb -funwind-tables", "-Os -mthumb -fexceptions",
	      "-O2 -mthumb -fexceptions -fno-omit-frame-pointer", "-O2 -marm -fexceptions", "-O0 -marm -fexceptions",
	      "-O2 -marm -funwind-tables -fno-omit-frame-pointer"}) {
		commands.push_back(gcc + flags);
		commands.push_back(clang + flags);
	}
	for (const char* flags : {"-O0 -mthumb", "-O2 -mthumb", "-O2 -marm", "-O2 -marm -fno-omit-frame-pointer"})
		commands.push_back(clang + "-x c++ -fexceptions " + flags);
	for (const std::string& start : commands) {
		const std::string command =
			start + " -g0 -fPIC -shared -nostdlib -o " + folder.file("a.so") + " " + source;
		INFO(command);
		REQUIRE(std::system(command.c_str()) == 0);
		const Verdict verdict = compare_file(folder.file("a.so"));
		check_differences(verdict);
		CHECK(verdict.equal >= 10); // linkers merge neighbours that are equal
		CHECK(verdict.equal == verdict.rules);
		if (command.find("-fexceptions") != std::string::npos)
			CHECK(verdict.generic >= 2);
		CHECK(verdict.cannot_unwind > 0);
		CHECK(verdict.without_words == 0);
	}
}

TEST_CASE("every unwind table of every file in the list UWIND_FILES is what readelf says", "[.ehabi]")
{
	const char* list = std::getenv("UWIND_FILES");
	REQUIRE(list);
	std::ifstream paths(list);
	Verdict all;
	std::uint64_t files = 0;
	for (std::string path; std::getline(paths, path);) {
		const uwind::UniqueFd fd(open(path.c_str(), O_RDONLY));
		const auto file = uwind::ElfFile::open(fd.get());
		if (!file || !*uwind::exidx_section(*file))
			continue;
		INFO(path);
		const Verdict one = compare_file(path);
		check_differences(one);
		files++;
		all.add(one);
	}
	std::cout << files << " files: " << all.rules << " rules, " << all.cannot_unwind << " cannot unwind, "
		  << all.generic << " generic; " << all.equal << " equal, " << all.different.size() << " different, "
		  << all.without_words << " in no words of readelf's\n";
	for (const auto& [reason, count] : all.left_out)
		std::cout << "left out " << count << ": " << reason << '\n';
	CHECK(files > 0);
}

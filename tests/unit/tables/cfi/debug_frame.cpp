// SPDX-License-Identifier: GPL-2.0
// Rows from .debug_frame: its records, and those of 32-bit Arm against binutils' reading.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cerrno>
#include <fcntl.h>
#include <fstream>
#include <iostream>
#include <unistd.h>

#include "base/handle.h"
#include "tables/cfi/eh_frame.h"
#include "tables/table_builder.h"
#include "unit/source_folder.h"
#include "unit/tables/assembled.h"
#include "unit/tables/lower.h"
#include "unit/tables/readelf_frames.h"

extern "C" {
#include "types.h"
}

using uwind::Rule;
using uwind::TableRows;
using uwind::readelf::OracleRow;
using namespace image;

namespace {

std::string signed_text(std::int64_t value)
{
	return (value < 0 ? "" : "+") + std::to_string(value);
}

// In readelf's words.
std::string place_text(std::uint8_t place, std::uint8_t reg, std::int32_t offset)
{
	if (place == UW_PLACE_SAME)
		return "u";
	if (place == UW_PLACE_REG_VAL && !offset)
		return "r" + std::to_string(reg);
	return place == UW_PLACE_CFA_MEM ? "c" + signed_text(offset) : "?";
}

bool same_place(const std::string& theirs, const std::string& ours)
{
	return theirs.empty() || theirs == "s" ? ours == "u" : theirs == ours;
}

bool same_row(const OracleRow& theirs, const Rule& ours)
{
	const std::string cfa = "r" + std::to_string(ours.cfa_reg) + signed_text(ours.cfa_off);
	const std::string base = ours.base_slot ? "c-" + std::to_string(4 * ours.base_slot) : "u";
	const bool base_lost = ours.base_slot == UW_BASE_LOST && !theirs.base.starts_with("c-");
	return ours.kind == UW_RULE_FRAME && theirs.cfa == cfa &&
	       same_place(theirs.ra, place_text(ours.ra_place, ours.ra_reg, ours.ra_off)) &&
	       same_place(theirs.fp, place_text(ours.fp_place, ours.fp_reg, ours.fp_off)) &&
	       (base_lost || same_place(theirs.base, base));
}

Rule find(const TableRows& table, std::uint64_t offset)
{
	auto row = std::upper_bound(table.rows.begin(), table.rows.end(), offset,
				    [](std::uint64_t at, const uwind::Row& row) { return at < row.start; });
	return row == table.rows.begin() ? Rule{} : table.rules[row[-1].rule];
}

struct Verdict {
	std::uint64_t rows = 0, equal = 0, outermost = 0, without_rule = 0;
	std::map<std::string, std::uint64_t> left_out;
	std::vector<std::string> different;
};

void compare(const OracleRow& row, const TableRows& table, Verdict& verdict)
{
	const Rule ours = find(table, row.start);
	verdict.rows++;
	if (same_row(row, ours))
		verdict.equal++;
	else if (ours.kind == UW_RULE_NONE)
		verdict.without_rule++;
	else if (ours.kind == UW_RULE_OUTERMOST && row.ra == "u")
		verdict.outermost++;
	else
		verdict.different.push_back(std::to_string(row.start) + ": " + row.cfa + " ra " + row.ra + " r11 " +
					    row.fp + " r7 " + row.base +
					    "; ours: " + uwind::rule_text(ours, uwind::Arch::arm));
}

// The file's addresses are taken for file offsets.
void compare_file(const std::string& path, Verdict& verdict)
{
	const uwind::UniqueFd fd(open(path.c_str(), O_RDONLY));
	const auto file = uwind::ElfFile::open(fd.get());
	INFO(path);
	REQUIRE(file);
	const auto rows = uwind::lower_debug_frame(*file, {{0, 0xfffff000, 0}});
	REQUIRE(rows);
	const TableRows* const table = &rows->accepted;
	REQUIRE(uwind::check_rows(*table, uwind::Arch::arm));
	CHECK(table->method == UW_METHOD_DEBUG_FRAME);
	for (const auto& [reason, count] : table->inexpressible)
		verdict.left_out[reason] += count;
	const auto functions = uwind::readelf::ask_readelf("readelf", path, uwind::Arch::arm);
	for (const auto& function : uwind::readelf::without_overlap(functions))
		for (const OracleRow& row : function.rows)
			if (function.start && row.start < row.end)
				compare(row, *table, verdict);
}

void check_differences(const Verdict& verdict)
{
	constexpr std::size_t most = 10;
	INFO(verdict.different.size() << " rows differ");
	for (std::size_t i = 0; i < verdict.different.size() && i < most; i++)
		UNSCOPED_INFO(verdict.different[i]);
	CHECK(verdict.different.empty());
}

std::string lowered(const ByteVector& section)
{
	const auto file = uwind::ElfFile::from_bytes(Image().section(".debug_frame", section).build());
	REQUIRE(file);
	const auto table = uwind::lower_debug_frame(*file, file->segments());
	return table ? text_of(table->accepted, uwind::Arch::x86_64) : table.error().message;
}

// A record, with its length in front: 32-bit DWARF, or 64-bit.
ByteVector record(const ByteVector& body)
{
	return fixed(body.size(), 4) + body;
}

ByteVector wide_record(const ByteVector& body)
{
	return fixed(0xffffffff, 4) + fixed(body.size(), 8) + body;
}

// Version, no augmentation, factors, and rip at CFA - 8, CFA = rsp + 8.
const ByteVector common = {1, 0, 1, 0x78, 16, 0x0c, 7, 8, 0x90, 1};

ByteVector range(std::uint64_t start, std::uint64_t bytes)
{
	return fixed(start, 8) + fixed(bytes, 8);
}

const std::string plain_rows = "0 cfa=rsp+8 ra=[cfa-8] rbp=same; 16 none";

} // namespace

TEST_CASE("in .debug_frame a CIE has the id -1, and an FDE its CIE's offset")
{
	const ByteVector cie = record(fixed(0xffffffff, 4) + common);
	CHECK(lowered(cie + record(fixed(0, 4) + range(text_address, 16))) == plain_rows);
	CHECK(lowered(cie + cie + record(fixed(cie.size(), 4) + range(text_address, 16))) == plain_rows);
	CHECK(lowered(cie + record(fixed(4, 4) + range(text_address, 16))) ==
	      ".debug_frame+0x4: an FDE names this record as its CIE, but it is none");
}

TEST_CASE("records of 64-bit DWARF have ids of eight bytes in .debug_frame")
{
	const ByteVector cie = wide_record(fixed(~0ull, 8) + common);
	CHECK(lowered(cie + wide_record(fixed(0, 8) + range(text_address, 16))) == plain_rows);
	CHECK(lowered(cie + wide_record(fixed(0, 8))) == ".debug_frame+0x1e: the FDE is shorter than its header");
}

TEST_CASE("functions that the linker left out of the program have no rows from .debug_frame")
{
	const ByteVector cie = record(fixed(0xffffffff, 4) + common);
	const auto file = uwind::ElfFile::from_bytes(
		Image().section(".debug_frame", cie + record(fixed(0, 4) + range(0, 64))).build());
	REQUIRE(file);
	const auto table = uwind::lower_debug_frame(*file, {{0, 0x1000, 0}});
	REQUIRE(!table);
	CHECK(table.error().code == ENODATA);
}

// The instructions are those of a function without a frame.
TEST_CASE("code that .eh_frame leaves out has the rows of .debug_frame, before it is read")
{
	Image file;
	file.code(0, ByteVector(0x100, 0xc3), ".text");
	CfiText cfi(file.next_address());
	cfi.fde(cfi.cie(CieText{}), text_address, 16, {0x0e, 32});
	file.section(".eh_frame", cfi.bytes());
	const ByteVector cie = record(fixed(0xffffffff, 4) + common);
	const ByteVector deeper = {0x0e, 64, 0, 0};
	file.section(".debug_frame", cie + record(fixed(0, 4) + range(text_address + 8, 8) + deeper) +
					     record(fixed(0, 4) + range(text_address + 32, 16) + deeper));
	const auto row = [](int bytes) { return "cfa=rsp+" + std::to_string(bytes) + " ra=[cfa-8] rbp=same"; };
	const std::string text = text_of(lower(file), uwind::Arch::x86_64);
	INFO(text);
	CHECK(text.starts_with("0 " + row(32) + "; 16 " + row(8)));
	CHECK(text.find("; 32 " + row(64) + "; 48 ") != std::string::npos);
}

TEST_CASE("where .eh_frame says what no row can say, .debug_frame may have a row")
{
	Image file;
	file.code(0, ByteVector(0x100, 0xc3), ".text");
	CfiText cfi(file.next_address());
	const auto sum = cfi.cie(CieText{});
	cfi.fde(sum, text_address, 16, {0x0f, 2, 0x96, 0x96}); // CFA: nop, nop
	cfi.fde(sum, text_address + 16, 16, {});
	file.section(".eh_frame", cfi.bytes());
	const ByteVector cie = record(fixed(0xffffffff, 4) + common);
	const ByteVector deeper = {0x0e, 64, 0, 0};
	file.section(".debug_frame", cie + record(fixed(0, 4) + range(text_address + 4, 8) + deeper));
	const std::string text = text_of(lower(file), uwind::Arch::x86_64);
	INFO(text);
	CHECK(text.starts_with("0 unknown; 4 cfa=rsp+64 ra=[cfa-8] rbp=same; 12 unknown; 16 cfa=rsp+8 "));
}

// As Go's is.
TEST_CASE("where .debug_frame forgets the frame pointer, the instructions say where it is, or nobody does")
{
	const ByteVector saves = {0x55, 0x48, 0x89, 0xe5,
				  0x31, 0xc0, 0x5d, 0xc3};             // push %rbp; mov %rsp, %rbp; …; pop; ret
	const ByteVector hides = {0x55, 0x48, 0x89, 0xe5, 0xff, 0xe0}; // … jmp *%rax
	Image file;
	file.code(0, saves, ".text").code(16, hides, ".text2");
	const ByteVector cie = record(fixed(0xffffffff, 4) + common);
	const ByteVector pushed = {0x41, 0x0e, 16, 0};
	file.section(
		".debug_frame",
		cie + record(fixed(0, 4) + range(text_address, 8) + ByteVector{0x41, 0x0e, 16, 0x46, 0x0e, 8, 0, 0}) +
			record(fixed(0, 4) + range(text_address + 16, 6) + pushed));
	const std::string ra = " ra=[cfa-8] ";
	const std::string text = text_of(lower(file), uwind::Arch::x86_64);
	INFO(text);
	CHECK(text.starts_with("0 cfa=rsp+8" + ra + "rbp=same; 1 cfa=rsp+16" + ra + "rbp=[cfa-16]; "));
	CHECK(text.find("; 7 cfa=rsp+8" + ra + "rbp=same") != std::string::npos);
}

TEST_CASE("a program with nothing but .debug_frame has its rows and its name")
{
	Image file;
	file.code(0, ByteVector(32, 0xc3), ".text");
	const ByteVector cie = record(fixed(0xffffffff, 4) + common);
	file.section(".debug_frame", cie + record(fixed(0, 4) + range(text_address, 32) + ByteVector{0x0e, 64, 0, 0}));
	const TableRows table = lower(file);
	CHECK(text_of(table, uwind::Arch::x86_64) == "0 cfa=rsp+64 ra=[cfa-8] rbp=same; 32 none");
	CHECK(table.method == UW_METHOD_DEBUG_FRAME);
}

TEST_CASE("every row of .debug_frame that compilers of 32-bit Arm made is what readelf says")
{
	const std::string path = "/tmp/uwind-debug-frame-" + std::to_string(getpid()) + ".so";
	const std::string always =
		std::string(" -fPIC -shared -nostdlib -o ") + path + " " + in_sources("tests/unit/arm_functions.c");
	const std::string gcc = "arm-linux-gnueabihf-gcc ", clang = "clang-14 --target=arm-linux-gnueabihf ";
	for (const std::string& start :
	     {gcc + "-O2 -mthumb -g", gcc + "-O0 -mthumb -g", gcc + "-O2 -marm -g -gz", gcc + "-Os -mthumb -gdwarf-2",
	      gcc + "-O2 -mthumb -g -fno-omit-frame-pointer", clang + "-O2 -mthumb -g", clang + "-O0 -marm -gdwarf-3",
	      clang + "-O2 -marm -g -gz", clang + "-O2 -mthumb -g -fno-omit-frame-pointer"}) {
		INFO(start + always);
		REQUIRE(std::system((start + always).c_str()) == 0);
		Verdict verdict;
		compare_file(path, verdict);
		check_differences(verdict);
		CHECK(verdict.equal >= 40);
		CHECK(verdict.equal == verdict.rows);
	}
	CHECK(unlink(path.c_str()) == 0);
}

namespace {

// One function of 32-bit Arm, with this said of its frame behind the first instruction.
std::string arm_rows(const std::string& said)
{
	return assembled::stretches_of("arm-linux-gnueabihf",
				       ".cfi_sections .debug_frame\n.syntax unified\n.thumb\n.globl f\n"
				       ".type f, %function\n.thumb_func\nf: .fnstart\n.cfi_startproc\npush {r4, lr}\n" +
					       said + "\nblx r1\npop {r4, pc}\n.cfi_endproc\n.fnend\n.size f, .-f",
				       &assembled::text_rows);
}

} // namespace

TEST_CASE(
	"32-bit Arm: instructions do not say who is the caller where CFI says that nobody is, or what no rule can say")
{
	const std::string first = "0-2 cfa=sp ra=lr r11=same; ";
	const std::string pushed = ".cfi_def_cfa_offset 8\n.cfi_offset lr, -4\n.cfi_offset r4, -8\n";
	CHECK(arm_rows(pushed + ".save {r4, lr}") == first + "2-6 cfa=sp+8 ra=[cfa-4] r11=same");
	CHECK(arm_rows(pushed + ".save {r4, lr}\n.cfi_undefined lr") == first + "2-6 outermost");
	// DW_OP_breg13 0; DW_OP_deref; DW_OP_deref.
	CHECK(arm_rows(pushed + ".save {r4, lr}\n.cfi_escape 0x0f, 4, 0x7d, 0, 6, 6") == first + "2-6 unknown");
	CHECK(arm_rows(".unwind_raw 8, 0x82, 0, 0x82, 0") == "0-6 unknown");
	CHECK(arm_rows(".unwind_raw 8, 0x80, 0") == "0-6 unknown"); // refuses
}

TEST_CASE("a stripped program's debug file describes the code that nothing else does, if it has the same build-id")
{
	// SP comes from elsewhere: the instructions do not say where the frame is.
	const std::string path = "/tmp/uwind-debug-file-" + std::to_string(getpid());
	const std::string build = "arm-linux-gnueabihf-gcc -O2 -mthumb -g -fPIC -shared -nostdlib -Wl,--build-id -o " +
				  path + " -x assembler - && arm-linux-gnueabihf-objcopy --only-keep-debug " + path +
				  " " + path + ".debug && arm-linux-gnueabihf-strip -g " + path;
	const std::string source = "printf '.thumb\\n.syntax unified\\n.cfi_sections .debug_frame\\n.globl f\\n"
				   ".type f, %%function\\nf: .cfi_startproc\\n.cfi_def_cfa_offset 8\\n"
				   ".cfi_offset lr, -4\\nmov sp, r0\\nbx r1\\n.cfi_endproc\\n.size f, .-f\\n'";
	REQUIRE(std::system((source + " | " + build).c_str()) == 0);
	const uwind::UniqueFd program(open(path.c_str(), O_RDONLY));
	const auto rows_with = [&](const uwind::DebugFiles& files) -> std::string {
		const auto table =
			uwind::build_file_table(*uwind::ElfFile::open(program.get()), uwind::Arch::arm64, files);
		const auto rows = table ? uwind::rows_of_table(*table) : uwind::Result<uwind::TableRows>(table.error());
		return rows ? std::to_string(uwind::covered_bytes(*rows)) : rows.error().message;
	};
	std::string asked;
	const auto right = [&](const std::string& build_id) {
		asked = build_id;
		return uwind::UniqueFd(open((path + ".debug").c_str(), O_RDONLY));
	};
	const auto wrong = [](const std::string&) { return uwind::UniqueFd(open("/proc/self/exe", O_RDONLY)); };
	CHECK(rows_with({}) == rows_with(wrong));
	CHECK(rows_with({}) != rows_with(right));
	CHECK(asked == uwind::ElfFile::open(program.get())->build_id());
	CHECK(unlink(path.c_str()) == 0);
	CHECK(unlink((path + ".debug").c_str()) == 0);
}

TEST_CASE("every row of .debug_frame of every file in the list UWIND_FILES is what readelf says", "[.debug_frame]")
{
	const char* list = std::getenv("UWIND_FILES");
	REQUIRE(list);
	std::ifstream paths(list);
	Verdict verdict;
	std::uint64_t files = 0;
	for (std::string path; std::getline(paths, path); files++)
		compare_file(path, verdict);
	std::cout << files << " files, " << verdict.rows << " rows: " << verdict.equal << " equal, "
		  << verdict.outermost << " outermost, " << verdict.without_rule << " without a rule\n";
	for (const auto& [reason, count] : verdict.left_out)
		std::cout << "left out " << count << ": " << reason << '\n';
	check_differences(verdict);
	CHECK(files > 0);
}

// SPDX-License-Identifier: GPL-2.0
// Code whose CFI says that its caller is a constant away: rows against those of the function that it belongs to.
#include <algorithm>
#include <fcntl.h>
#include <unistd.h>

#include "base/handle.h"
#include "elf/segments.h"
#include "tables/code/functions.h"
#include "unit/source_folder.h"
#include "unit/tables/lower.h"

extern "C" {
#include "types.h"
}

using namespace image;
using uwind::Arch;
using uwind::ElfFile;
using uwind::Rule;

namespace {

struct Library {
	uwind::UniqueFd fd;
	ElfFile file;
	uwind::TableRows table;

	std::uint64_t address(const std::string& name) const
	{
		const auto found = uwind::functions_named(file, name);
		INFO(name);
		REQUIRE(found.size() == 1);
		return found[0];
	}

	Rule rule_at(std::uint64_t address) const
	{
		const auto range = uwind::offsets_of(file.segments(), address, 1);
		REQUIRE(range);
		auto row = std::upper_bound(table.rows.begin(), table.rows.end(), range->start,
					    [](std::uint32_t at, const uwind::Row& row) { return at < row.start; });
		return row == table.rows.begin() ? Rule{} : table.rules[row[-1].rule];
	}
};

Library library(bool is_64, const std::string& path)
{
	const std::string command = std::string("x86_64-linux-gnu-gcc -nostdlib -shared ") + (is_64 ? "-m64" : "-m32") +
				    " -Wa,--defsym,SP_IS_64=" + (is_64 ? "1" : "0") + " -o " + path + " " +
				    in_sources("tests/unit/asm/lock_blocks_x86.s");
	REQUIRE(std::system(command.c_str()) == 0);
	uwind::UniqueFd fd(open(path.c_str(), O_RDONLY));
	auto file = ElfFile::open(fd.get());
	REQUIRE(file);
	auto table = uwind::rows_of_file(*file);
	REQUIRE(table);
	REQUIRE(uwind::check_rows(*table, file->arch()));
	return {std::move(fd), std::move(*file), std::move(*table)};
}

// What the function's row is, seen from an SP that lies lower by some bytes.
std::string expected(const Library& at, Rule rule, int lower)
{
	if (rule.cfa_reg == uw_abis[static_cast<unsigned>(at.file.arch())].sp)
		rule.cfa_off += lower;
	return uwind::rule_text(rule, at.file.arch());
}

void check_block(const Library& at, const std::string& function)
{
	const Rule back = at.rule_at(at.address(function + "_back"));
	REQUIRE(back.kind == UW_RULE_FRAME);
	const int lower = at.file.arch() == Arch::x86_64 ? 128 : 0;
	const auto said = [&](const char* place, int into = 0) {
		return uwind::rule_text(at.rule_at(at.address(function + place) + static_cast<std::uint64_t>(into)),
					at.file.arch());
	};
	INFO(function);
	CHECK(said("_lea") == expected(at, back, 0));
	CHECK(said("_sub") == expected(at, back, 0));
	CHECK(said("_call") == expected(at, back, lower));
	CHECK(said("_behind", -1) == expected(at, back, lower)); // where the call's return address is looked up
	CHECK(said("_behind") == expected(at, back, lower));
	CHECK(said("_jump") == expected(at, back, 0));
}

} // namespace

TEST_CASE("a block that waits for a lock, as glibc's were, has the rows of the function that it belongs to")
{
	const bool is_64 = GENERATE(true, false);
	const std::string path = "/tmp/uwind-lock-blocks-" + std::to_string(getpid()) + ".so";
	const Library at = library(is_64, path);
	for (const std::string function : {"bare", "pushed", "framed"})
		check_block(at, function);
	CHECK(at.table.inexpressible.empty());
	CHECK(unlink(path.c_str()) == 0);
}

namespace {

// DW_CFA_val_expression of rip: breg16 + distance.
ByteVector caller_at(std::int64_t distance)
{
	return ByteVector{0x16, 16} + block(ByteVector{0x80} + sleb(distance));
}

// A function with a frame of 64 bytes at 0x100, and nops at 0 that say who called them.
std::string rows_with_caller(const ByteVector& instructions, const ByteVector& code = ByteVector(16, 0x90))
{
	Image file;
	file.code(0, code, ".text");
	CfiText cfi(file.next_address());
	const auto common = cfi.cie(CieText{});
	cfi.fde(common, text_address, 2, instructions);
	cfi.fde(common, text_address + 0x100, 64, {0x0e, 64});
	file.section(".eh_frame", cfi.bytes());
	const std::string text = text_of(lower(file), Arch::x86_64);
	return text.substr(0, text.find("; 2 "));
}

const std::string at_calls_frame = "cfa=rsp+72 ra=[cfa-8] rbp=same";

} // namespace

TEST_CASE("each instruction has the row of its own caller")
{
	CHECK(rows_with_caller(caller_at(0x110)) == "0 " + at_calls_frame);
	CHECK(rows_with_caller(caller_at(0x110) + ByteVector{0x0c, 6, 8}) == "0 cfa=rbp+72 ra=[cfa-8] rbp=same");
	CHECK(rows_with_caller(caller_at(0x140)) == "0 " + at_calls_frame + "; 1 unknown");
}

TEST_CASE("a caller that is nowhere, calls itself or has another frame pointer gives no row, and nobody guesses")
{
	for (const ByteVector& instructions :
	     {caller_at(0x1000000), caller_at(1), caller_at(0x200), caller_at(0x110) + ByteVector{0x86, 2},
	      ByteVector{0x16, 16} + block({0x80, 0, 0x06})})
		CHECK(rows_with_caller(instructions, {0x90, 0xc3}) == "0 unknown");
}

TEST_CASE("code whose CFI no rule can say is never read")
{
	Image file;
	file.code(0, {0x90, 0x90, 0xc3}, ".text"); // a function, to whoever reads it
	CfiText cfi(file.next_address());
	const auto common = cfi.cie(CieText{});
	cfi.fde(common, text_address, 1, {});
	cfi.fde(common, text_address + 1, 2, ByteVector{0x0f} + block({0x77, 8, 0x94, 4})); // a CFA by deref_size
	file.section(".eh_frame", cfi.bytes());
	CHECK(text_of(lower(file), Arch::x86_64).starts_with("0 cfa=rsp+8 ra=[cfa-8] rbp=same; 1 unknown"));
}

TEST_CASE("functions of a CIE that is not understood are not read if it says where they are")
{
	Image file;
	file.code(0, {0xc3}, ".text");
	CfiText cfi(file.next_address());
	CieText strange;
	strange.augmentation = "zRX";
	cfi.fde(cfi.cie(strange), text_address, 1, {});
	const auto common = cfi.cie(CieText{});
	cfi.fde(common, text_address + 0x100, 16, {});
	file.section(".eh_frame", cfi.bytes());
	CHECK(text_of(lower(file), Arch::x86_64).starts_with("0 unknown"));
}

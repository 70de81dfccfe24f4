// SPDX-License-Identifier: GPL-2.0
// Which of a file's sections becomes its table.
#include <cerrno>
#include <cstdio>

#include "tables/known/entry.h"
#include "tables/table_builder.h"
#include "unit/tables/lower.h"

using namespace image;
using uwind::Arch;
using uwind::FileTable;
using uwind::Row;
using uwind::SframeSection;
using uwind::SframeUse;
using uwind::TableRows;

namespace {

// SFrame version 2, one function: CFA = rsp + 8.
ByteVector sframe(std::uint64_t address, std::uint64_t start, std::uint32_t bytes)
{
	const ByteVector header = {0xe2, 0xde, 2, 1, 3, 0, 0xf8, 0};
	const ByteVector counts = fixed(1, 4) + fixed(1, 4) + fixed(3, 4) + fixed(0, 4) + fixed(20, 4);
	const ByteVector function =
		fixed(start - address, 4) + fixed(bytes, 4) + fixed(0, 4) + fixed(1, 4) + ByteVector{0, 0, 0, 0};
	return header + counts + function + ByteVector{0, 0x03, 8};
}

Image with_sframe(std::uint32_t bytes = 16)
{
	Image file;
	file.section(".sframe", sframe(file.next_address(), text_address, bytes), 0x6ffffff4);
	return file;
}

Image& add_eh_frame(Image& file, std::uint64_t bytes)
{
	CfiText cfi(file.next_address());
	cfi.fde(cfi.cie(CieText{}), text_address, bytes, {0x0e, 64});
	return file.section(".eh_frame", cfi.bytes());
}

FileTable build(const Image& file, SframeUse use = SframeUse::completed)
{
	const auto elf = uwind::ElfFile::from_bytes(file.build());
	REQUIRE(elf);
	auto table = uwind::build_table(*elf, use);
	INFO((table ? "" : table.error().message));
	REQUIRE(table);
	return std::move(*table);
}

std::string rows(const FileTable& table)
{
	const auto made = uwind::rows_of_table(table);
	REQUIRE(made);
	return text_of(*made, table.arch);
}

const std::string row = " ra=[cfa-8] rbp=same";
const std::string sframe_row = row + " rbx=lost"; // of RBX an .sframe says nothing

} // namespace

TEST_CASE("an .sframe that covers what .eh_frame does is handed over as it is")
{
	Image file = with_sframe();
	const FileTable table = build(add_eh_frame(file, 16));
	const auto* section = std::get_if<SframeSection>(&table.content);
	REQUIRE(section);
	CHECK(section->address == base + data_offset);
	REQUIRE(section->segments.size() == 1);
	CHECK(section->segments[0].offset == text_offset);
	CHECK(table.note.empty());
	CHECK(table.method == 3); // sframe-v2
	CHECK(rows(table) == "0 cfa=rsp+8" + sframe_row + "; 16 none");
}

TEST_CASE("an .sframe alone needs no .eh_frame")
{
	CHECK(std::holds_alternative<SframeSection>(build(with_sframe()).content));
}

TEST_CASE("what an .sframe leaves out is completed from .eh_frame")
{
	Image file = with_sframe();
	const FileTable table = build(add_eh_frame(file, 32));
	REQUIRE(std::holds_alternative<TableRows>(table.content));
	CHECK(table.method == 3);
	CHECK(std::get<TableRows>(table.content).method == 3);
	CHECK(table.note == ".sframe says nothing about 16 bytes of code; their rows are from elsewhere");
	CHECK(rows(table) == "0 cfa=rsp+8" + sframe_row + "; 16 cfa=rsp+64" + row + "; 32 none");
}

// Linkers up to 2.47 give .plt.got rows that are wrong.
TEST_CASE("what .eh_frame or the instructions say of a PLT counts, not what .sframe says")
{
	const ByteVector header = {0xff, 0x35, 1, 2, 3, 4, 0xff, 0x25, 1, 2, 3, 4, 0x0f, 0x1f, 0x40, 0};
	Image file = with_sframe(32).code(0, header, ".plt");
	const FileTable table = build(file);
	REQUIRE(std::holds_alternative<TableRows>(table.content));
	CHECK(std::get<TableRows>(table.content).method == 3);
	CHECK(table.note == ".sframe has wrong rows for a PLT; they are from elsewhere");
	CHECK(rows(table) ==
	      "0 cfa=rsp+16" + row + "; 6 cfa=rsp+24" + row + "; 16 cfa=rsp+8" + sframe_row + "; 32 none");
	CHECK(rows(build(add_eh_frame(file, 32))) ==
	      "0 cfa=rsp+64" + row + "; 16 cfa=rsp+8" + sframe_row + "; 32 none");
}

TEST_CASE("an .sframe with the right rows of a PLT is handed over as it is")
{
	Image file = with_sframe().code(0, {0xff, 0x25, 1, 2, 3, 4, 0x66, 0x90}, ".plt.got");
	CHECK(std::holds_alternative<SframeSection>(build(file).content));
}

TEST_CASE("the entry point of a program with .sframe is outermost")
{
	Image file = with_sframe().entry(text_address + 0x100);
	CHECK(rows(build(file)) == "0 cfa=rsp+8" + sframe_row + "; 16 none; 256 outermost; 384 none");
}

TEST_CASE("an .sframe can be asked for alone")
{
	Image file = with_sframe();
	CHECK(rows(build(add_eh_frame(file, 32), SframeUse::alone)) == "0 cfa=rsp+8" + sframe_row + "; 16 none");
}

TEST_CASE("a broken .sframe gives way to .eh_frame, and is named")
{
	Image file;
	file.section(".sframe", {1, 2, 3, 4, 5, 6, 7, 8}, 0x6ffffff4);
	const FileTable table = build(add_eh_frame(file, 16));
	CHECK(table.sframe_refused);
	CHECK(table.note.starts_with("not used: .sframe, byte 0: "));
	CHECK(rows(table) == "0 cfa=rsp+64" + row + "; 16 none");
}

TEST_CASE("an .sframe of the other machine is refused")
{
	Image file;
	ByteVector section = sframe(file.next_address(), text_address, 16);
	section[4] = 2;
	file.section(".sframe", section);
	CHECK(build(add_eh_frame(file, 16)).sframe_refused);
}

TEST_CASE("a broken .sframe in a file without rows gives both reasons")
{
	Image file;
	file.section(".sframe", {1, 2, 3, 4, 5, 6, 7, 8});
	const auto elf = uwind::ElfFile::from_bytes(file.build());
	REQUIRE(elf);
	const auto table = uwind::build_table(*elf);
	REQUIRE_FALSE(table);
	CHECK(table.error().code == ENODATA);
	CHECK(table.error().message.starts_with("not used: .sframe, byte 0: "));
}

TEST_CASE("a broken .eh_frame does not spoil a good .sframe")
{
	Image file = with_sframe();
	file.section(".eh_frame", fixed(0x1000, 4));
	CHECK(std::holds_alternative<SframeSection>(build(file).content));
}

TEST_CASE("a file for another machine is refused, unless any will do")
{
	FILE* file = std::tmpfile();
	const ByteVector bytes = Image(Arch::arm64).code(0, fixed(0xd65f03c0, 4), ".plt").build();
	REQUIRE(std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size());
	std::fflush(file);
	const auto refused = uwind::build_file_table(*uwind::ElfFile::open(fileno(file)), Arch::x86_64);
	REQUIRE_FALSE(refused);
	CHECK(refused.error().code == ENOEXEC);
	CHECK(refused.error().message == "it is for arm64, not for this machine");
	CHECK(uwind::build_file_table(*uwind::ElfFile::open(fileno(file)), Arch::none));
	CHECK(uwind::build_file_table(*uwind::ElfFile::open(fileno(file)), Arch::arm64));
	std::fclose(file);
	const auto other = uwind::build_file_table(*uwind::ElfFile::from_bytes(Image().build()), Arch::arm64);
	REQUIRE_FALSE(other);
	CHECK(other.error().message == "it is for amd64, not for this machine");
}

TEST_CASE("the vDSO's table comes from its image")
{
	const ByteVector image =
		Image(Arch::arm64).code(32, fixed(0xd503201f, 4) + fixed(0xd2801168, 4) + fixed(0xd4000001, 4)).build();
	const auto table = uwind::build_file_table(*uwind::ElfFile::from_bytes(image), Arch::arm64);
	REQUIRE(table);
	CHECK(rows(*table) == "35 signal frame; 45 none");
}

TEST_CASE("a signal return's row begins one byte early, as return addresses are looked up, where nothing else is known")
{
	TableRows table;
	table.rules.resize(3);
	table.rules[0].kind = UW_RULE_NONE;
	table.rules[1].kind = UW_RULE_SIGFRAME;
	table.rules[2].kind = UW_RULE_FRAME;
	const auto starts = [&](std::vector<Row> rows) {
		table.rows = std::move(rows);
		uwind::begin_signal_returns(table);
		std::vector<std::uint64_t> result;
		for (const Row& row : table.rows)
			result.push_back(row.start);
		return result;
	};
	using Starts = std::vector<std::uint64_t>;
	CHECK(starts({{8, 0}, {32, 1}, {33, 1}, {42, 0}}) == Starts{8, 31, 33, 42});
	CHECK(starts({{8, 0}, {31, 1}, {42, 0}}) == Starts{8, 31, 42}); // it does already
	CHECK(starts({{8, 2}, {32, 1}, {42, 0}}) == Starts{8, 32, 42});
	CHECK(starts({{31, 0}, {32, 1}, {42, 0}}) == Starts{31, 32, 42});
	CHECK(starts({{32, 1}, {42, 0}}) == Starts{32, 42});
}

TEST_CASE("the running program has a table, and the module would take it")
{
	FILE* file = std::fopen("/proc/self/exe", "r");
	REQUIRE(file);
	const auto table = uwind::build_file_table(*uwind::ElfFile::open(fileno(file)));
	REQUIRE(table);
	const auto made = uwind::rows_of_table(*table);
	REQUIRE(made);
	CHECK(uwind::check_rows(*made, table->arch));
	CHECK(uwind::covered_bytes(*made) > 100000);
	CHECK(uwind::module_bytes(*made) < made->rows.size() * 4 + made->rules.size() * 24 + (1 << 20));
	std::fclose(file);
}

TEST_CASE("rows that the module would refuse are named")
{
	TableRows rows;
	CHECK_FALSE(uwind::check_rows(rows, Arch::x86_64));
	rows.rules = {uwind::Rule{}};
	rows.rows = {{10, 0}, {10, 0}};
	CHECK_FALSE(uwind::check_rows(rows, Arch::x86_64));
	rows.rows = {{10, 1}};
	CHECK_FALSE(uwind::check_rows(rows, Arch::x86_64));
	rows.rows = {{10, 0}};
	CHECK(uwind::check_rows(rows, Arch::x86_64));
	rows.rules[0].kind = 77;
	CHECK(uwind::check_rows(rows, Arch::x86_64).error().message == "no such kind of rule (number 0)");
}

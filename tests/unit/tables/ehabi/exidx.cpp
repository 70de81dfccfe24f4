// SPDX-License-Identifier: GPL-2.0
// The exception index of 32-bit Arm (EHABI32, 5, 6 and 10.2): entries, tables, refusals.
#include <catch2/catch.hpp>
#include <cerrno>

#include "elf/sections.h"
#include "tables/ehabi/exidx.h"
#include "tables/ehabi/rows.h"
#include "tables/module_view.h"
#include "tables/rule_text.h"
#include "unit/tables/arm_image.h"
#include "unit/tables/image.h"

using arm_image::ArmImage;
using arm_image::text_address;
using uwind::ExidxEntry;
using uwind::ExidxKind;

namespace {

constexpr std::uint32_t cannot_unwind = 1, leaf = 0x80b0b0b0;

std::string hex(std::uint64_t value)
{
	char text[24];
	std::snprintf(text, sizeof(text), "%llx", static_cast<unsigned long long>(value));
	return text;
}

std::string text_of(const ExidxEntry& entry)
{
	std::string text = hex(entry.start - text_address) + "-" + hex(entry.end - text_address);
	if (entry.kind == ExidxKind::cannot_unwind)
		return text + " cannot unwind";
	if (entry.kind == ExidxKind::unknown)
		return text + " " + uwind::cfi_reason_text[static_cast<std::size_t>(entry.reason)];
	for (const std::uint8_t opcode : uwind::opcodes_of(entry))
		text += " " + hex(opcode);
	return text;
}

// "0-1000 b0 b0 b0; …", in offsets into the text; or why the index is refused.
std::string read(const ArmImage& image)
{
	const auto file = uwind::ElfFile::from_bytes(image.build());
	REQUIRE(file);
	const auto entries = uwind::read_exidx(*file);
	if (!entries)
		return entries.error().message;
	std::string text;
	for (const ExidxEntry& entry : *entries)
		text += (text.empty() ? "" : "; ") + text_of(entry);
	return text;
}

std::string table(const std::vector<std::uint32_t>& words)
{
	return read(ArmImage().entry_with_table(0, words));
}

const std::string reserved = "0-1000 unwind table with a reserved personality routine";
const std::string too_short = "0-1000 instructions end in the middle of one";
const std::string misplaced = "0-1000 unwind table apart from the index, or not at a word";

} // namespace

TEST_CASE("an index entry ends where the next one starts, the last one with its segment")
{
	CHECK(read(ArmImage().entry(0, leaf)) == "0-1000 b0 b0 b0");
	CHECK(read(ArmImage().entry(0, 0x8002afb0).entry(0x40, cannot_unwind).entry(0x42, 0x80a8b0b0)) ==
	      "0-40 2 af b0; 40-42 cannot unwind; 42-1000 a8 b0 b0");
}

TEST_CASE("the bit that says Thumb is no part of an index entry's address")
{
	CHECK(read(ArmImage().entry(1, leaf).entry(0x21, leaf)) == "0-20 b0 b0 b0; 20-1000 b0 b0 b0");
}

TEST_CASE("an inline table has three opcodes, or two and its number of words")
{
	CHECK(read(ArmImage().entry(0, 0x80123456)) == "0-1000 12 34 56");
	CHECK(read(ArmImage().entry(0, 0x81003456)) == "0-1000 34 56");
	CHECK(read(ArmImage().entry(0, 0x82003456)) == "0-1000 34 56");
	CHECK(read(ArmImage().entry(0, 0x81013456)) == too_short);
}

TEST_CASE("the compact tables give their opcodes, the most significant byte of each word first")
{
	CHECK(table({0x80123456, 0}) == "0-1000 12 34 56");
	CHECK(table({0x81003456, 0}) == "0-1000 34 56");
	CHECK(table({0x81023456, 0x789abcde, 0x01020304, 0}) == "0-1000 34 56 78 9a bc de 1 2 3 4");
	CHECK(table({0x82013456, 0x789abcde, 0}) == "0-1000 34 56 78 9a bc de");
}

TEST_CASE("a generic table gives its opcodes behind the personality routine")
{
	CHECK(table({0x7ffff000, 0x00123456}) == "0-1000 12 34 56");
	CHECK(table({0x7ffff000, 0x02123456, 0x789abcde, 0x01020304}) == "0-1000 12 34 56 78 9a bc de 1 2 3 4");
}

TEST_CASE("the longest table has 1,023 opcodes")
{
	std::vector<std::uint32_t> words(257, 0xb0b0b0b0);
	words[0] = 0x100;
	words[1] = 0xffb0b0b0;
	const auto file = uwind::ElfFile::from_bytes(ArmImage().entry_with_table(0, words).build());
	REQUIRE(file);
	const auto entries = uwind::read_exidx(*file);
	REQUIRE(entries);
	REQUIRE(entries->size() == 1);
	CHECK(uwind::opcodes_of(entries->front()).size() == 1023);
}

TEST_CASE("an index entry's offset may lead up")
{
	// The first entry's table is the second entry: a personality routine, and a word of opcodes.
	ArmImage image;
	image.entry_with_table_at(0, image.table_address() + 8).entry(0x40, 0x00a8b0b0);
	CHECK(read(image) == "0-40 a8 b0 b0; 40-1000 unwind table apart from the index, or not at a word");
}

TEST_CASE("personality routines 3 to 15, and bits that have no meaning yet, are refused")
{
	for (unsigned bits = 3; bits < 128; bits++)
		CHECK(read(ArmImage().entry(0, 0x80b0b0b0 | bits << 24)) == reserved);
	CHECK(table({0x83b0b0b0}) == reserved);
	CHECK(table({0xc0b0b0b0}) == reserved);
}

TEST_CASE("a table outside of the index's segment, or not at a word, is refused")
{
	CHECK(read(ArmImage().entry_with_table_at(0, 0x40000000)) == misplaced);
	CHECK(read(ArmImage().entry_with_table_at(0, 0)) == misplaced);
	CHECK(read(ArmImage().entry_with_table_at(0, text_address)) == misplaced);
	ArmImage image;
	image.entry_with_table_at(0, image.table_address() + 2, {0x80b0b0b0, 0x80b0b0b0});
	CHECK(read(image) == misplaced);
}

TEST_CASE("a table that is nowhere does not spoil the others")
{
	for (const std::uint32_t nowhere : {0u, text_address, 0x30000000u}) {
		ArmImage image;
		image.entry_with_table(0, {0x80a8b0b0, 0}).entry_with_table_at(0x40, nowhere);
		CHECK(read(image) == "0-40 a8 b0 b0; 40-1000 unwind table apart from the index, or not at a word");
	}
}

TEST_CASE("a table that ends behind its segment is refused")
{
	// The index ends the segment: the first entry's table is the second entry, or the last word of it.
	const auto first = [](std::uint32_t into_index, std::uint32_t second) {
		ArmImage image;
		image.entry_with_table_at(0, image.table_address() + into_index).entry(0x40, second);
		const std::string text = read(image);
		return text.substr(0, text.find(';'));
	};
	const std::string cut_short = "0-40 instructions end in the middle of one";
	CHECK(first(12, 0x80b0b0b0) == "0-40 b0 b0 b0");
	CHECK(first(12, 0x8101b0b0) == cut_short);
	CHECK(first(12, 0x82ffb0b0) == cut_short);
	CHECK(first(12, 0x00000100) == cut_short);
	CHECK(first(8, 0x01b0b0b0) == cut_short);
}

TEST_CASE("an index entry outside the executable segments is counted, the linker's last one is not")
{
	const std::string outside = "1000-1000 code outside the executable segments";
	CHECK(read(ArmImage().entry(0, leaf).entry(0x1000, leaf)) == "0-1000 b0 b0 b0; " + outside);
	CHECK(read(ArmImage().entry(0, leaf).entry(0x1000, cannot_unwind)) == "0-1000 b0 b0 b0");
	CHECK(read(ArmImage().entry(0x1000, cannot_unwind)) == "");
}

TEST_CASE("of index entries with the same start the last one has the code")
{
	CHECK(read(ArmImage().entry(0, 0x80a8b0b0).entry(0, leaf).entry(0x10, leaf)) ==
	      "0-10 b0 b0 b0; 10-1000 b0 b0 b0");
	CHECK(read(ArmImage().entry(0, cannot_unwind).entry(1, leaf)) == "0-1000 b0 b0 b0");
}

TEST_CASE("an index that is not sorted is refused")
{
	CHECK(read(ArmImage().entry(0x40, leaf).entry(0x80, leaf).entry(0, leaf)) ==
	      "PT_ARM_EXIDX+0x10: the entry's code lies before that of the entry in front of it");
}

TEST_CASE("an index whose entries are no entries is refused")
{
	CHECK(read(ArmImage().entry(0, leaf).entry(0x40, leaf).spoil_first(0x80000000)) ==
	      "PT_ARM_EXIDX+0x8: the entry does not begin with an offset");
	ArmImage image;
	image.entry(0, leaf).entry(0x40, leaf).index_bytes_missing = 4;
	CHECK(read(image) == "PT_ARM_EXIDX+0xc: the last entry is cut short");
}

TEST_CASE("an index with more entries than a program can have is refused")
{
	ArmImage image;
	for (std::size_t i = 0; i <= uwind::max_exidx_entries; i++)
		image.entry(0, leaf);
	CHECK(read(image) == "PT_ARM_EXIDX has more entries than a program can need");
}

TEST_CASE("an index is found by its program header, and on 32-bit Arm only")
{
	ArmImage image;
	image.entry(0, leaf).with_program = false;
	CHECK(read(image) == "");
	const auto arm64 = uwind::ElfFile::from_bytes(image::Image(uwind::Arch::arm64)
							      .section(".ARM.exidx", image::fixed(1, 8))
							      .program_of_last(PT_ARM_EXIDX)
							      .build());
	REQUIRE(arm64);
	CHECK(!*uwind::exidx_section(*arm64));
}

TEST_CASE("the index becomes rules at file offsets, and code that cannot be unwound is named apart")
{
	ArmImage image;
	image.entry(0, 0x8001a8b0).entry(0x20, cannot_unwind).entry(0x40, 0x80ffb0b0).entry(0x60, leaf);
	const auto file = uwind::ElfFile::from_bytes(image.build());
	REQUIRE(file);
	const auto rows = uwind::lower_exidx(*file);
	REQUIRE(rows);
	REQUIRE(rows->stretches.size() == 2);
	CHECK(rows->stretches[0].start == 0x1000);
	CHECK(rows->stretches[0].end == 0x1020);
	CHECK(uwind::rule_text(rows->stretches[0].rule, uwind::Arch::arm) == "cfa=sp+16 ra=[cfa-4] r11=same");
	CHECK(rows->stretches[1].start == 0x1060);
	CHECK(rows->stretches[1].end == 0x2000);
	REQUIRE(rows->cannot_unwind.size() == 1);
	CHECK(rows->cannot_unwind[0].start == 0x1020);
	CHECK(rows->cannot_unwind[0].end == 0x1040);
	CHECK(rows->inexpressible == std::map<std::string, std::uint64_t>{{"unknown instruction", 1}});
	CHECK(uwind::check_rows(uwind::rows_of(rows->stretches), uwind::Arch::arm));
}

TEST_CASE("a row whose frame pointer is lost is counted, and kept")
{
	ArmImage image;
	image.entry_with_table(0, {0x81018200, 0x808097b0, 0});
	const auto file = uwind::ElfFile::from_bytes(image.build());
	REQUIRE(file);
	const auto rows = uwind::lower_exidx(*file);
	REQUIRE(rows);
	CHECK(rows->stretches.size() == 1);
	CHECK(rows->inexpressible.contains("frame pointer by an expression of an unknown form (row kept)"));
}

TEST_CASE("a file without an index has no rules from one")
{
	ArmImage image;
	image.entry(0, leaf).with_program = false;
	const auto file = uwind::ElfFile::from_bytes(image.build());
	REQUIRE(file);
	const auto rows = uwind::lower_exidx(*file);
	REQUIRE(!rows);
	CHECK(rows.error().code == ENODATA);
}

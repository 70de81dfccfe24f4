// SPDX-License-Identifier: GPL-2.0
// Records, augmentations, pointer encodings, and how overlapping functions are cut.
#include <cerrno>

#include "tables/cfi/entry.h"
#include "unit/tables/lower.h"

using namespace image;

namespace {

const std::string one_row = "0 cfa=rsp+8 ra=[cfa-8] rbp=same; 16 none";

Image with(const CfiText& cfi)
{
	Image file;
	file.section(".eh_frame", cfi.bytes());
	return file;
}

CfiText empty()
{
	return CfiText(Image().next_address());
}

std::string rows_of(const Image& file)
{
	return text_of(lower(file), uwind::Arch::x86_64);
}

// One function whose location is written in some encoding; textrel counts from
// .text, datarel from .got.
std::string rows_with(std::uint8_t encoding, const ByteVector& location)
{
	Image file;
	file.code(0x10, ByteVector(8), ".text").code(0x20, ByteVector(8), ".got");
	CfiText cfi(file.next_address());
	CieText cie;
	cie.augmentation_data = {encoding};
	cfi.fde_with(cfi.cie(cie), location, {});
	return rows_of(file.section(".eh_frame", cfi.bytes()));
}

std::uint64_t field()
{
	CfiText cfi = empty();
	cfi.cie(CieText{});
	return cfi.next_field();
}

// Two functions; the second is never refused.
std::map<std::string, std::uint64_t> left_out(const CieText& cie)
{
	CfiText cfi = empty();
	cfi.fde(cfi.cie(cie), text_address, 16, {});
	cfi.fde(cfi.cie(CieText{}), text_address + 32, 16, {});
	return lower(with(cfi)).inexpressible;
}

} // namespace

TEST_CASE("a function's location is read in every encoding")
{
	const std::uint64_t at = text_address;
	const auto n = [](std::uint64_t value, unsigned size) { return fixed(value, size); };
	CHECK(rows_with(0x00, n(at, 8) + n(16, 8)) == one_row);
	CHECK(rows_with(0x01, uleb(at) + uleb(16)) == one_row);
	CHECK(rows_with(0x03, n(at, 4) + n(16, 4)) == one_row);
	CHECK(rows_with(0x04, n(at, 8) + n(16, 8)) == one_row);
	CHECK(rows_with(0x08, n(at, 8) + n(16, 8)) == one_row);
	CHECK(rows_with(0x09, sleb(static_cast<std::int64_t>(at)) + sleb(16)) == one_row);
	CHECK(rows_with(0x0b, n(at, 4) + n(16, 4)) == one_row);
	CHECK(rows_with(0x0c, n(at, 8) + n(16, 8)) == one_row);
	CHECK(rows_with(0x10, n(at - field(), 8) + n(16, 8)) == one_row);
	CHECK(rows_with(0x1a, n(at - field(), 2) + n(16, 2)) == one_row);
	CHECK(rows_with(0x1b, n(at - field(), 4) + n(16, 4)) == one_row);
	CHECK(rows_with(0x1c, n(at - field(), 8) + n(16, 8)) == one_row);
	CHECK(rows_with(0x2b, n(at - (text_address + 0x10), 4) + n(16, 4)) == one_row);
	CHECK(rows_with(0x3b, n(at - (text_address + 0x20), 4) + n(16, 4)) == one_row);
}

TEST_CASE("an unsigned 2-byte location is not extended")
{
	CHECK(rows_with(0x22, fixed(0x10, 2) + fixed(16, 2)) == "0 unknown; 32 cfa=rsp+8 ra=[cfa-8] rbp=same; 48 none");
}

TEST_CASE("encodings that a file cannot answer are refused and counted")
{
	const std::string why = "pointer encoding without a base";
	for (const int encoding : {0x2b, 0x3b, 0x40, 0x50, 0x9b, 0x05, 0x0d, 0xff}) {
		CieText cie;
		cie.augmentation_data = {static_cast<std::uint8_t>(encoding)};
		CHECK(left_out(cie) == std::map<std::string, std::uint64_t>{{why, 1}});
	}
}

TEST_CASE("augmentations are read over: personality, language data, pauth key B, tagged stack")
{
	for (const char* letters : {"zR", "zRS", "zRB", "zRG", ""}) {
		CieText cie;
		cie.augmentation = letters;
		CfiText cfi = empty();
		const auto common = cfi.cie(cie);
		if (*letters)
			cfi.fde(common, text_address, 16, {});
		else
			cfi.fde_with(common, fixed(text_address, 8) + fixed(16, 8), {});
		CHECK(rows_of(with(cfi)) == one_row);
	}
	for (const int encoding : {0x9b, 0x00, 0xff}) {
		CieText cie;
		cie.augmentation = "zPLR";
		cie.augmentation_data = ByteVector{static_cast<std::uint8_t>(encoding)} +
					ByteVector(encoding == 0x9b ? 4
						   : encoding       ? 0
								    : 8) +
					ByteVector{0x1b, 0x1b};
		CfiText cfi = empty();
		cfi.fde(cfi.cie(cie), text_address, 16, {});
		CHECK(rows_of(with(cfi)) == one_row);
	}
}

TEST_CASE("unknown augmentations and versions are counted, other functions keep their rows")
{
	CieText cie;
	cie.augmentation = "zRX";
	CHECK(left_out(cie) == std::map<std::string, std::uint64_t>{{"CIE with an unknown augmentation", 1}});
	cie.augmentation = "armcc+";
	CHECK(left_out(cie) == std::map<std::string, std::uint64_t>{{"CIE with an unknown augmentation", 1}});
	cie.augmentation = "zR";
	cie.version = 2;
	CHECK(left_out(cie) == std::map<std::string, std::uint64_t>{{"CIE of an unknown version", 1}});
	cie.version = 4;
	cie.version_4_sizes = {4, 0};
	CHECK(left_out(cie) ==
	      std::map<std::string, std::uint64_t>{{"CIE with another address size than the file", 1}});
	cie.version = 1;
	cie.augmentation = "zPR";
	cie.augmentation_data = {0x50, 0x1b};
	CHECK(left_out(cie) == std::map<std::string, std::uint64_t>{{"pointer encoding without a base", 1}});
}

TEST_CASE("CIEs of versions 3 and 4 are read")
{
	for (const int version : {3, 4}) {
		CieText cie;
		cie.version = static_cast<std::uint8_t>(version);
		CfiText cfi = empty();
		cfi.fde(cfi.cie(cie), text_address, 16, {});
		CHECK(rows_of(with(cfi)) == one_row);
	}
}

TEST_CASE("records may have 64-bit lengths")
{
	CfiText cfi = empty();
	const auto common = cfi.cie(CieText{});
	const std::uint64_t start = cfi.bytes().size();
	const std::uint64_t location = Image().next_address() + start + 16;
	cfi.record_64_bit(fixed(start + 12 - common, 4) + fixed(text_address - location, 4) + fixed(16, 4) +
			  ByteVector{0});
	CHECK(rows_of(with(cfi)) == one_row);
}

TEST_CASE("a zero terminator in the middle of the section does not end it")
{
	CfiText cfi = empty();
	const auto common = cfi.cie(CieText{});
	cfi.terminator();
	cfi.fde(common, text_address, 16, {});
	CHECK(rows_of(with(cfi)) == one_row);
}

TEST_CASE("functions may come in any order")
{
	CfiText cfi = empty();
	const auto common = cfi.cie(CieText{});
	cfi.fde(common, text_address + 16, 16, {0x0e, 32});
	cfi.fde(common, text_address, 16, {});
	CHECK(rows_of(with(cfi)) == "0 cfa=rsp+8 ra=[cfa-8] rbp=same; 16 cfa=rsp+32 ra=[cfa-8] rbp=same; 32 none");
}

TEST_CASE("a function that starts inside another cuts it, and nobody guesses behind it")
{
	CfiText cfi = empty();
	const auto common = cfi.cie(CieText{});
	cfi.fde(common, text_address, 32, {0x44, 0x0e, 16, 0x4c, 0x0e, 24});
	cfi.fde(common, text_address + 8, 8, {0x0e, 64});
	CHECK(rows_of(with(cfi)) == "0 cfa=rsp+8 ra=[cfa-8] rbp=same; 4 cfa=rsp+16 ra=[cfa-8] rbp=same; "
				    "8 cfa=rsp+64 ra=[cfa-8] rbp=same; 16 unknown; 32 none");
}

TEST_CASE("no function begins in another one behind a third")
{
	// mov (%rdi),%eax; ret, aligned. A hole in the first function, and another one behind all.
	const ByteVector aligned = {0x8b, 0x07, 0xc3};
	Image file;
	file.code(0, ByteVector(32, 0x90) + aligned + ByteVector(61, 0x90) + aligned, ".text");
	CfiText cfi(file.next_address());
	const auto common = cfi.cie(CieText{});
	cfi.fde(common, text_address, 64, {0x0e, 64});
	cfi.fde(common, text_address + 8, 4, {0x0e, 64});
	cfi.fde(common, text_address + 16, 8, {0x0e, 64});
	file.section(".eh_frame", cfi.bytes());
	const std::string deep = "cfa=rsp+64 ra=[cfa-8] rbp=same";
	const std::string text = rows_of(file);
	INFO(text);
	CHECK(text.starts_with("0 " + deep + "; 12 unknown; 16 " + deep +
			       "; 24 unknown; 64 unknown; 96 cfa=rsp+8 ra=[cfa-8] rbp=same; 99 "));
}

TEST_CASE("of two functions with one start the first counts")
{
	CfiText cfi = empty();
	const auto common = cfi.cie(CieText{});
	cfi.fde(common, text_address, 16, {});
	cfi.fde(common, text_address, 32, {0x0e, 64});
	const auto table = lower(with(cfi));
	CHECK(text_of(table, uwind::Arch::x86_64) == "0 cfa=rsp+8 ra=[cfa-8] rbp=same; 16 unknown; 32 none");
	CHECK(table.inexpressible.at("two entries for the same code") == 1);
}

TEST_CASE("empty functions are skipped, those outside the code are counted")
{
	CfiText cfi = empty();
	const auto common = cfi.cie(CieText{});
	cfi.fde(common, text_address, 0, {0x0e, 64});
	cfi.fde(common, text_address, 16, {});
	cfi.fde(common, 0, 16, {0x0e, 64});
	cfi.fde(common, text_address + text_bytes - 8, 16, {0x0e, 64});
	cfi.fde(common, text_address - 8, 16, {0x0e, 64});
	const auto table = lower(with(cfi));
	CHECK(text_of(table, uwind::Arch::x86_64) == one_row);
	CHECK(table.inexpressible.at("code outside the executable segments") == 3);
}

TEST_CASE("a record that runs past the section's end is refused")
{
	CfiText cfi = empty();
	cfi.fde(cfi.cie(CieText{}), text_address, 16, {});
	cfi.bytes() = cfi.bytes() + fixed(0x1000, 4) + fixed(0, 4);
	CHECK(refusal(with(cfi)) == ".eh_frame+0x2c: the record's length is wrong");
}

TEST_CASE("a record that is too short for its own header is refused")
{
	CfiText cfi = empty();
	cfi.bytes() = fixed(2, 4) + fixed(0, 4);
	CHECK(refusal(with(cfi)) == ".eh_frame+0x0: the record's length is wrong");
	cfi.bytes() = fixed(0xffffffff, 4);
	CHECK(refusal(with(cfi)) == ".eh_frame+0x0: the record's length is wrong");
}

TEST_CASE("more records than a program can need are refused")
{
	CfiText cfi = empty();
	const auto common = cfi.cie(CieText{});
	for (int i = 0; i < 4; i++)
		cfi.fde(common, text_address, 16, {});
	uwind::CfiSection section;
	section.bytes = cfi.bytes();
	section.max_fdes = 3;
	CHECK(uwind::read_cfi_section(section));
	section.fdes.clear();
	section.cies.clear();
	section.max_fdes = 2;
	CHECK(uwind::read_cfi_section(section).error().message == ".eh_frame has more records than a program can need");
	section.fdes.clear();
	section.cies.clear();
	section.max_cies = 0;
	CHECK(uwind::read_cfi_section(section).error().code == E2BIG);
}

TEST_CASE("an FDE whose CIE is none is refused")
{
	CfiText cfi = empty();
	const auto common = cfi.cie(CieText{});
	cfi.record(fixed(8, 4) + fixed(0, 12));
	CHECK(common == 0);
	CHECK(refusal(with(cfi)) == ".eh_frame+0x14: an FDE names this record as its CIE, but it is none");
	CfiText before = empty();
	before.record(fixed(0x1000, 4) + fixed(0, 12));
	CHECK(refusal(with(before)) == ".eh_frame+0x0: the FDE's CIE lies before the section");
}

TEST_CASE("an FDE that ends inside its header is refused")
{
	CfiText cfi = empty();
	const auto common = cfi.cie(CieText{});
	cfi.fde_with(common, fixed(0, 4), {});
	cfi.bytes().resize(cfi.bytes().size());
	CHECK(refusal(with(cfi)) == ".eh_frame+0x18: the FDE is shorter than its header");
}

TEST_CASE("a section without one usable function gives no table")
{
	CfiText cfi = empty();
	CHECK(refusal(with(cfi)) == "there is neither .sframe nor .eh_frame in it");
	cfi.fde(cfi.cie(CieText{}), 0, 16, {});
	CHECK(refusal(with(cfi)) == ".eh_frame describes no code of this file");
}

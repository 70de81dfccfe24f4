// SPDX-License-Identifier: GPL-2.0
// Rows for code without CFI: PLTs, the entry point, the vDSO's signal return.
#include "tables/known/entry.h"
#include "unit/tables/lower.h"

using namespace image;
using uwind::Arch;

namespace {

ByteVector words(std::initializer_list<std::uint32_t> values)
{
	ByteVector bytes;
	for (const std::uint32_t value : values)
		put(bytes, value, 4);
	return bytes;
}

const ByteVector plt_header = {0xff, 0x35, 1, 2, 3, 4, 0xff, 0x25, 1, 2, 3, 4, 0x0f, 0x1f, 0x40, 0};
const ByteVector plt_entry = {0xff, 0x25, 1, 2, 3, 4, 0x68, 0, 0, 0, 0, 0xe9, 1, 2, 3, 4};
const ByteVector ibt_entry = {0xf3, 0x0f, 0x1e, 0xfa, 0x68, 0, 0, 0, 0, 0xe9, 1, 2, 3, 4, 0x66, 0x90};
const ByteVector jump_entry = {0xf3, 0x0f, 0x1e, 0xfa, 0xff, 0x25, 1, 2, 3, 4, 0x66, 0x90, 0x90, 0x90, 0x90, 0x90};

std::string amd64_rows(std::string text)
{
	for (const std::string number : {"8", "16", "24"}) {
		const std::string from = "@" + number;
		for (auto at = text.find(from); at != std::string::npos; at = text.find(from))
			text.replace(at, from.size(), "cfa=rsp+" + number + " ra=[cfa-8] rbp=same");
	}
	return text;
}

} // namespace

TEST_CASE("an amd64 PLT without CFI gets rows by its instructions")
{
	const Image file = Image().code(0, plt_header + plt_entry + plt_entry, ".plt");
	CHECK(text_of(lower(file), Arch::x86_64) == amd64_rows("0 @16; 6 @24; 16 @8; 27 @16; 32 @8; 43 @16; 48 none"));
}

TEST_CASE("an amd64 PLT with endbr64 pushes earlier, .plt.sec never")
{
	const Image file = Image().code(0, ibt_entry + ibt_entry, ".plt").code(32, jump_entry + jump_entry, ".plt.sec");
	CHECK(text_of(lower(file), Arch::x86_64) == amd64_rows("0 @8; 9 @16; 16 @8; 25 @16; 32 @8; 64 none"));
}

TEST_CASE("a PLT's tail that is no whole entry has the plain row")
{
	CHECK(text_of(lower(Image().code(0, {0xff, 0x25, 1, 2, 3, 4, 0x66, 0x90}, ".plt.got")), Arch::x86_64) ==
	      amd64_rows("0 @8; 8 none"));
}

TEST_CASE("a PLT that has CFI keeps it")
{
	Image file = Image().code(0, plt_header + plt_entry, ".plt");
	CfiText cfi(file.next_address());
	cfi.fde(cfi.cie(CieText{}), text_address, 16, {0x0e, 99});
	file.section(".eh_frame", cfi.bytes());
	CHECK(text_of(lower(file), Arch::x86_64) ==
	      amd64_rows("0 cfa=rsp+99 ra=[cfa-8] rbp=same; 16 @8; 27 @16; 32 none"));
}

TEST_CASE("an arm64 PLT's header pushes the link register, its entries use it")
{
	const ByteVector plt = words({0xa9bf7bf0, 0x90000110, 0xf947fe11, 0x913fe210, 0xd61f0220, 0xd503201f,
				      0xd503201f, 0xd503201f, 0x90000110, 0xf9400211, 0x91000210, 0xd61f0220});
	CHECK(text_of(lower(Image(Arch::arm64).code(0, plt, ".plt")), Arch::arm64) ==
	      "0 cfa=sp ra=x30 x29=same; 4 cfa=sp+16 ra=[cfa-8] x29=same; 20 cfa=sp ra=x30 x29=same; 48 none");
}

TEST_CASE("an arm64 PLT may begin with bti, and may end with the TLS descriptor's trampoline")
{
	const ByteVector plt = words({0xd503245f, 0xa9bf7bf0, 0xd61f0220, 0xa9bf0fe2, 0x90000002, 0xd61f0040});
	CHECK(text_of(lower(Image(Arch::arm64).code(0, plt, ".plt")), Arch::arm64) ==
	      "0 cfa=sp ra=x30 x29=same; 8 cfa=sp+16 ra=[cfa-8] x29=same; 12 cfa=sp ra=x30 x29=same; "
	      "16 cfa=sp+16 ra=x30 x29=same; 24 none");
}

TEST_CASE("a PLT outside the executable segments is passed over")
{
	CHECK(refusal(Image().section(".plt", plt_header)) == "there is neither .sframe nor .eh_frame in it");
}

TEST_CASE("the entry point without CFI is outermost, for 128 bytes at most")
{
	CHECK(text_of(lower(Image().entry(text_address + 64)), Arch::x86_64) == "64 outermost; 192 none");
	CHECK(text_of(lower(Image().entry(text_address + text_bytes - 16)), Arch::x86_64) ==
	      "4080 outermost; 4096 none");
}

TEST_CASE("the entry point's row ends where the next one begins")
{
	Image file = Image().entry(text_address + 64);
	CfiText cfi(file.next_address());
	const auto common = cfi.cie(CieText{});
	cfi.fde(common, text_address, 16, {});
	cfi.fde(common, text_address + 96, 16, {});
	file.section(".eh_frame", cfi.bytes());
	CHECK(text_of(lower(file), Arch::x86_64) == amd64_rows("0 @8; 16 unknown; 64 outermost; 96 @8; 112 none"));
}

TEST_CASE("the entry point's row ends where its symbol does")
{
	Elf64_Sym symbol{};
	symbol.st_value = text_address + 64;
	symbol.st_size = 34;
	ByteVector symbols(sizeof(symbol));
	symbols.insert(symbols.end(), reinterpret_cast<std::uint8_t*>(&symbol),
		       reinterpret_cast<std::uint8_t*>(&symbol) + sizeof(symbol));
	const Image file = Image().entry(text_address + 64).section(".symtab", symbols, SHT_SYMTAB);
	CHECK(text_of(lower(file), Arch::x86_64) == "64 outermost; 98 none");
}

TEST_CASE("entry code without a symbol ends with its last instruction")
{
	const auto bytes = [](const ByteVector& code, Arch arch = Arch::x86_64) {
		return text_of(lower(Image(arch).entry(text_address).code(0, code)), arch);
	};
	const ByteVector call = {0x31, 0xed, 0xe8, 1, 2, 3, 4};
	CHECK(bytes(call + ByteVector{0xf4}) == "0 outermost; 8 none");
	CHECK(bytes(call + ByteVector{0xc3}) == "0 outermost; 8 none");
	CHECK(bytes({0x31, 0xed, 0xff, 0x15, 1, 2, 3, 4, 0xf4}) == "0 outermost; 9 none");
	CHECK(bytes(call + ByteVector{0x41, 0xff, 0xe4}) == "0 outermost; 10 none");
	CHECK(bytes({0xe9, 1, 2, 3, 4}) == "0 outermost; 5 none");
	CHECK(bytes({0x90, 0x90, 0xcc, 0xcc}) == "0 outermost; 4 none");
	CHECK(bytes(words({0xd503201f, 0x94000010, 0xd61f0200}), Arch::arm64) == "0 outermost; 12 none");
	CHECK(bytes(words({0xd503201f, 0x14000010, 0xd61f0200}), Arch::arm64) == "0 outermost; 8 none");
}

TEST_CASE("entry code ends with its CFI record: without one, with its last instruction or before the next record")
{
	const auto bytes = [](const Image& image) {
		const auto file = uwind::ElfFile::from_bytes(image.build());
		REQUIRE(file);
		return uwind::entry_bytes(*file);
	};
	const ByteVector call = {0x31, 0xed, 0xe8, 1, 2, 3, 4, 0xf4};
	Image described = Image().entry(text_address).code(0, call);
	CfiText cfi(described.next_address());
	const auto common = cfi.cie(CieText{});
	cfi.fde(common, text_address + 34, 30, {});
	cfi.fde(common, text_address, 34, {});
	described.section(".eh_frame", cfi.bytes());
	CHECK(bytes(described) == 34);

	CHECK(bytes(Image().entry(text_address).code(0, call)) == call.size());
	Image before = Image().entry(text_address).code(0, {0x31, 0xed, 0x90, 0x90, 0x90, 0x90});
	CfiText next(before.next_address());
	next.fde(next.cie(CieText{}), text_address + 5, 30, {});
	before.section(".eh_frame", next.bytes());
	CHECK(bytes(before) == 5);
	CHECK(bytes(Image()) == 0);
	CHECK(bytes(Image().entry(1)) == 0);
}

TEST_CASE("CFI at the entry point is respected")
{
	Image file = Image().entry(text_address + 4);
	CfiText cfi(file.next_address());
	cfi.fde(cfi.cie(CieText{}), text_address, 16, {});
	file.section(".eh_frame", cfi.bytes());
	CHECK(text_of(lower(file), Arch::x86_64) == amd64_rows("0 @8; 16 none"));
}

TEST_CASE("an entry point is outermost from its first instruction on")
{
	Image file = Image(Arch::arm64).entry(text_address + 64);
	CfiText cfi(file.next_address());
	cfi.fde(cfi.cie(arm64_cie()), text_address + 64, 16, {0x41, 0x07, 30}); // advance 4, undefined x30
	file.section(".eh_frame", cfi.bytes());
	CHECK(text_of(lower(file), Arch::arm64) == "0 unknown; 64 outermost; 68 outermost; 80 none");
}

TEST_CASE("an entry point outside the code, or none, makes no row")
{
	CHECK(refusal(Image()) == "there is neither .sframe nor .eh_frame in it");
	CHECK(refusal(Image().entry(1)) == "there is neither .sframe nor .eh_frame in it");
}

TEST_CASE("the entry address of a library, which is where .text begins, is none")
{
	const auto library = [](std::uint64_t tag, std::uint64_t value) {
		Image file = Image().entry(text_address).code(0, ByteVector(32), ".text");
		file.type = ET_DYN;
		file.section(".dynamic", fixed(tag, 8) + fixed(value, 8)).program_of_last(PT_DYNAMIC);
		return file;
	};
	const std::string none = "there is neither .sframe nor .eh_frame in it";
	CHECK(refusal(library(DT_NEEDED, 1)) == none);
	CHECK(refusal(library(DT_SONAME, 1)) == none);
	CHECK(refusal(library(DT_NEEDED, 1).entry(text_address + 64)) == none);
	const std::string row = "0 outermost; 128 none";
	CHECK(text_of(lower(library(DT_FLAGS_1, DF_1_PIE)), Arch::x86_64) == row);
	CHECK(text_of(lower(library(DT_NEEDED, 1).program(PT_INTERP, PF_R, 0, 1)), Arch::x86_64) == row);
	// The dynamic linker needs no library, and begins somewhere in .text.
	CHECK(text_of(lower(library(DT_SONAME, 1).entry(text_address + 64)), Arch::x86_64) == "64 outermost; 192 none");
}

TEST_CASE("the arm64 vDSO's signal return begins one byte before its two instructions")
{
	const ByteVector code = words({0xd503201f, 0xd2801168, 0xd4000001, 0xd503201f});
	CHECK(text_of(lower(Image(Arch::arm64).code(32, code)), Arch::arm64) == "35 signal frame; 45 none");
}

TEST_CASE("a signal return that has CFI keeps it")
{
	Image file = Image(Arch::arm64).code(32, words({0xd503201f, 0xd2801168, 0xd4000001}));
	CfiText cfi(file.next_address());
	cfi.fde(cfi.cie(arm64_cie()), text_address + 32, 12, {});
	file.section(".eh_frame", cfi.bytes());
	CHECK(text_of(lower(file), Arch::arm64) == "0 unknown; 32 cfa=sp ra=x30 x29=same; 44 none");
}

TEST_CASE("the same bytes are nothing on amd64")
{
	CHECK(refusal(Image().code(32, words({0xd2801168, 0xd4000001}))) ==
	      "there is neither .sframe nor .eh_frame in it");
}

TEST_CASE("arm64's resolver of lazy bindings, whose link register lies above its CFA, has a higher CFA")
{
	// As in glibc: 16 bytes pushed by the PLT, 208 by itself, and both popped.
	const ByteVector glibc = {0x41, 0x11, 30, 0x7f, 0x41, 0x0e, 0xd0, 0x01, 0x41, 0x13, 2};
	CHECK(arm64_rows(glibc) == "0 cfa=sp+16 ra=x30 x29=same; 4 cfa=sp+16 ra=[cfa-8] x29=same; "
				   "8 cfa=sp+224 ra=[cfa-8] x29=same; 12 cfa=sp ra=x30 x29=same; 16 none");
}

TEST_CASE("a short gap between rows is closed, a longer one left to frame pointers")
{
	Image file;
	CfiText cfi(file.next_address());
	const auto common = cfi.cie(CieText{});
	cfi.fde(common, text_address + 256, 16, {});
	cfi.fde(common, text_address + 528, 16, {});
	cfi.fde(common, text_address + 801, 16, {});
	cfi.fde(common, text_address + text_bytes - 256 - 16, 16, {});
	file.section(".eh_frame", cfi.bytes());
	CHECK(text_of(lower(file), Arch::x86_64) ==
	      amd64_rows("0 unknown; 256 @8; 272 unknown; 528 @8; 544 none; 801 @8; "
			 "817 none; 3824 @8; 3840 unknown; 4096 none"));
}

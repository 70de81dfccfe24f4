// SPDX-License-Identifier: GPL-2.0
// Every call frame instruction, and what it does to the rows.
#include "tables/cfi/eh_frame.h"
#include "unit/tables/lower.h"

using namespace image;

namespace {

const std::string start = "0 cfa=rsp+8 ra=[cfa-8] rbp=same";
const std::string end = "; 16 none";

enum : std::uint8_t { advance = 0x40, offset = 0x80, restore = 0xc0 };

} // namespace

TEST_CASE("a function without instructions has its CIE's row, ended by a row of kind none")
{
	CHECK(rows({}) == start + end);
	CHECK(rows({0, 0, 0}) == start + end);
}

TEST_CASE("each way to advance the location starts a row there")
{
	const ByteVector change = {0x0e, 16};
	const std::string changed = start + "; 5 cfa=rsp+16 ra=[cfa-8] rbp=same" + end;
	CHECK(rows(ByteVector{advance | 5} + change) == changed);
	CHECK(rows(ByteVector{0x02, 5} + change) == changed);
	CHECK(rows(ByteVector{0x03, 5, 0} + change) == changed);
	CHECK(rows(ByteVector{0x04, 5, 0, 0, 0} + change) == changed);
	CHECK(rows(ByteVector{0x1d} + fixed(5, 8) + change) == changed);
}

TEST_CASE("advances are multiplied by the code alignment factor")
{
	CHECK(arm64_rows({advance | 2, 0x0e, 32}) == "0 cfa=sp ra=x30 x29=same; 8 cfa=sp+32 ra=x30 x29=same; 16 none");
}

TEST_CASE("set_loc goes to an address in the CIE's encoding")
{
	CieText cie;
	cie.augmentation_data = {0x00}; // absolute, 8 bytes
	Image file;
	CfiText cfi(file.next_address());
	const auto common = cfi.cie(cie);
	cfi.fde_with(common, fixed(text_address, 8) + fixed(16, 8),
		     ByteVector{0x01} + fixed(text_address + 4, 8) + ByteVector{0x0e, 24});
	CHECK(text_of(lower(file.section(".eh_frame", cfi.bytes())), uwind::Arch::x86_64) ==
	      start + "; 4 cfa=rsp+24 ra=[cfa-8] rbp=same" + end);
}

TEST_CASE("a pc-relative set_loc counts from its own operand")
{
	Image file;
	CfiText cfi(file.next_address());
	const auto common = cfi.cie(CieText{});
	// The operand lies behind start, range, augmentation length and opcode.
	const std::uint64_t operand = cfi.next_field() + 10;
	cfi.fde(common, text_address, 16,
		ByteVector{0x01} + fixed(text_address + 4 - operand, 4) + ByteVector{0x0e, 24});
	CHECK(text_of(lower(file.section(".eh_frame", cfi.bytes())), uwind::Arch::x86_64) ==
	      start + "; 4 cfa=rsp+24 ra=[cfa-8] rbp=same" + end);
}

TEST_CASE("a location that moves backwards ends what is known")
{
	CieText cie;
	cie.augmentation_data = {0x00};
	Image file;
	CfiText cfi(file.next_address());
	const auto common = cfi.cie(cie);
	cfi.fde_with(common, fixed(text_address, 8) + fixed(16, 8),
		     ByteVector{advance | 8, 0x0e, 16, 0x01} + fixed(text_address + 4, 8));
	const auto table = lower(file.section(".eh_frame", cfi.bytes()));
	CHECK(text_of(table, uwind::Arch::x86_64) == start + "; 8 unknown; 16 none");
	CHECK(table.inexpressible.at("location moves backwards") == 1);
}

TEST_CASE("rows behind the function's end are not made")
{
	CHECK(rows({advance | 20, 0x0e, 16}) == start + end);
	CHECK(rows(ByteVector{0x1d} + fixed(~0ull, 8) + ByteVector{0x0e, 16}) == start + end);
}

TEST_CASE("the CFA follows def_cfa and its variants")
{
	CHECK(rows({0x0c, 6, 16}) == "0 cfa=rbp+16 ra=[cfa-8] rbp=same" + end);
	CHECK(rows({0x0d, 6}) == "0 cfa=rbp+8 ra=[cfa-8] rbp=same" + end);
	CHECK(rows({0x0e, 32}) == "0 cfa=rsp+32 ra=[cfa-8] rbp=same" + end);
	CHECK(rows({0x12, 10, 0x7e}) == "0 cfa=r10+16 ra=[cfa-8] rbp=same" + end);
	CHECK(rows({0x13, 0x7e}) == "0 cfa=rsp+16 ra=[cfa-8] rbp=same" + end);
}

TEST_CASE("a saved frame pointer follows every kind of offset")
{
	const auto saved = [](const std::string& place) { return "0 cfa=rsp+8 ra=[cfa-8] rbp=" + place + end; };
	CHECK(rows({offset | 6, 2}) == saved("[cfa-16]"));
	CHECK(rows({0x05, 6, 2}) == saved("[cfa-16]"));
	CHECK(rows({0x11, 6, 0x7e}) == saved("[cfa+16]"));
	CHECK(rows({0x2f, 6, 2}) == saved("[cfa+16]"));
	CHECK(rows({0x14, 6, 2}) == saved("cfa-16"));
	CHECK(rows({0x15, 6, 0x7e}) == saved("cfa+16"));
	CHECK(rows({0x09, 6, 9}) == saved("r9"));
	CHECK(rows({0x07, 6}) == saved("lost"));
	CHECK(rows({offset | 6, 2, 0x08, 6}) == saved("same"));
	CHECK(rows({0x09, 6, 6}) == saved("same"));
}

TEST_CASE("a return address can be in another register or at another place")
{
	CHECK(rows({0x09, 16, 1}) == "0 cfa=rsp+8 ra=rdx rbp=same" + end);
	CHECK(rows({offset | 16, 3, 0x0e, 32}) == "0 cfa=rsp+32 ra=[cfa-24] rbp=same" + end);
	CHECK(arm64_rows({offset | 30, 1, offset | 29, 2, 0x0e, 16}) == "0 cfa=sp+16 ra=[cfa-8] x29=[cfa-16]; 16 none");
	CHECK(arm64_rows({0x09, 30, 15}) == "0 cfa=sp ra=x15 x29=same; 16 none");
}

TEST_CASE("an undefined return address makes the frame the outermost one")
{
	CHECK(rows({0x07, 16}) == "0 outermost" + end);
	CHECK(arm64_rows({0x07, 30}) == "0 outermost; 16 none");
	CHECK(rows({0x07, 16, 0x0c, 99, 0}) == "0 outermost" + end);
}

TEST_CASE("restore goes back to what the CIE said")
{
	const std::string saved = "0 cfa=rsp+8 ra=[cfa-8] rbp=[cfa-16]; 4 cfa=rsp+8 ra=[cfa-8] rbp=same" + end;
	CHECK(rows({offset | 6, 2, advance | 4, restore | 6}) == saved);
	CHECK(rows({offset | 6, 2, advance | 4, 0x06, 6}) == saved);
	CHECK(rows({0x07, 16, restore | 16}) == start + end);
}

TEST_CASE("remembered states come back in reverse, the CFA with them")
{
	CHECK(rows({0x0a, 0x0e, 16, 0x0a, 0x0e, 24, offset | 6, 2, advance | 4, 0x0b, advance | 4, 0x0b}) ==
	      "0 cfa=rsp+24 ra=[cfa-8] rbp=[cfa-16]; 4 cfa=rsp+16 ra=[cfa-8] rbp=same; "
	      "8 cfa=rsp+8 ra=[cfa-8] rbp=same" +
		      end);
}

TEST_CASE("restoring more than was remembered is refused")
{
	CHECK(reason({0x0b}) == "states remembered and restored out of balance or too deep");
}

TEST_CASE("64 states can be remembered, a 65th is refused")
{
	CHECK(rows(ByteVector(64, 0x0a)) == start + end);
	CHECK(reason(ByteVector(65, 0x0a)) == "states remembered and restored out of balance or too deep");
}

TEST_CASE("the size of arguments and signed return addresses change no row")
{
	CHECK(rows({0x2e, 32}) == start + end);
	CHECK(arm64_rows({0x2d, advance | 1, 0x2c}) == "0 cfa=sp ra=x30 x29=same; 16 none");
}

TEST_CASE("signed return addresses are unknown on amd64")
{
	CHECK(reason({0x2d}) == "unknown instruction");
}

TEST_CASE("an unknown instruction ends what is known, not what came before it")
{
	CHECK(reason({0x3f}) == "unknown instruction");
	const Lowered lowered = lower_function({}, {advance | 4, 0x3f});
	CHECK(lowered.rows == start + "; 4 unknown; 16 none");
	CHECK(lowered.left_out.at("unknown instruction") == 1);
}

TEST_CASE("an instruction that is cut off is refused")
{
	const Lowered lowered = lower_function({}, {advance | 4, 0, 0, 0, 0x04});
	CHECK(lowered.rows == start + "; 4 unknown; 16 none");
	CHECK(lowered.left_out.at("instructions end in the middle of one") == 1);
}

TEST_CASE("registers that no caller needs are read over")
{
	CHECK(rows({offset | 13, 2, 0x05, 12, 3, 0x09, 13, 14, 0x07, 15, 0x08, 15, restore | 13}) == start + end);
	CHECK(rows(ByteVector{0x10, 14} + block({0x77, 8})) == start + end);
}

TEST_CASE("RBX has a slot below the CFA, is unchanged, or is lost")
{
	CHECK(rows({offset | 3, 3}) == start + " rbx=[cfa-24]" + end);
	CHECK(rows({offset | 3, 3, restore | 3}) == start + end);
	CHECK(rows({0x08, 3}) == start + end);
	CHECK(rows({0x07, 3}) == start + " rbx=lost" + end);
	CHECK(rows({0x09, 3, 12}) == start + " rbx=lost" + end);
	CHECK(rows(ByteVector{0x10, 3} + block({0x77, 8})) == start + " rbx=lost" + end);
	CHECK(rows(ByteVector{0x05, 3} + uleb(254)) == start + " rbx=[cfa-2032]" + end);
	CHECK(rows(ByteVector{0x05, 3} + uleb(255)) == start + " rbx=lost" + end);
}

TEST_CASE("a stack pointer with a rule of its own becomes the CFA")
{
	// longjmp(): def_cfa rdi; rsp in r8, rip in rdx, rbp in r9.
	CHECK(rows({0x0c, 5, 0, 0x09, 7, 8, 0x09, 16, 1, 0x09, 6, 9}) == "0 cfa=r8 ra=rdx rbp=r9" + end);
	// setcontext(): everything lies in a structure at rdx.
	CHECK(rows(ByteVector{0x0c, 1, 0, 0x11, 6} + sleb(-15) + ByteVector{0x11, 16} + sleb(-21) +
		   ByteVector{0x11, 7} + sleb(-20)) == "0 cfa=[rdx+160] ra=[rdx+168] rbp=[rdx+120]" + end);
	CHECK(rows({0x0c, 5, 0, 0x08, 7, 0x09, 16, 1}) == "0 cfa=rsp ra=rdx rbp=same" + end);
	CHECK(rows({0x14, 7, 0}) == start + end);
}

TEST_CASE("a stack pointer that no form says is refused")
{
	CHECK(reason({0x07, 7}) == "stack pointer is not the CFA");
}

TEST_CASE("a CFA on something that is not a general register is refused")
{
	CHECK(reason({0x0c, 17, 8}) == "CFA on a register that is not a general one");
	CHECK(reason({0x0c, 16, 8}) == "CFA on a register that is not a general one");
	CHECK(reason({0x0c, 32, 8}, arm64_cie(), uwind::Arch::arm64) == "CFA on a register that is not a general one");
}

TEST_CASE("an offset of 2 GiB is refused")
{
	CHECK(rows(ByteVector{0x0e} + uleb(0x7fffffff)) == "0 cfa=rsp+2147483647 ra=[cfa-8] rbp=same" + end);
	CHECK(reason(ByteVector{0x0e} + uleb(0x80000000)) == "offset of 2 GiB or more");
	CHECK(reason(ByteVector{0x0e} + uleb(~0ull)) == "offset of 2 GiB or more");
	CHECK(reason(ByteVector{0x13} + sleb(INT64_MIN)) == "offset of 2 GiB or more");
	CHECK(reason(ByteVector{0x05, 16} + uleb(~0ull)) == "offset of 2 GiB or more");
}

TEST_CASE("a CIE without a CFA or without a return address gives no rows")
{
	CieText cie;
	cie.instructions = {0x90, 1};
	CHECK(reason({}, cie) == "no rule for the CFA");
	cie.instructions = {0x0c, 7, 8};
	CHECK(reason({}, cie) == "no rule for the return address");
}

TEST_CASE("a CIE whose instructions are broken spoils its functions only")
{
	CieText cie;
	cie.instructions = {0x3f};
	CHECK(reason({}, cie) == "unknown instruction");
}

TEST_CASE("a return address column other than the ABI's is a register")
{
	CieText cie = arm64_cie();
	cie.ra_column = 15;
	CHECK(lower_function(cie, {}, uwind::Arch::arm64).rows == "0 cfa=sp ra=x15 x29=same; 16 none");
	CHECK(lower_function(cie, {offset | 15, 1, 0x0e, 16}, uwind::Arch::arm64).rows ==
	      "0 cfa=sp+16 ra=[cfa-8] x29=same; 16 none");
	cie.ra_column = 64;
	CHECK(reason({}, cie, uwind::Arch::arm64) == "return address in an unusual column");
}

// What is said of its return address is not believed; that later there is none, is.
TEST_CASE("an x86 function that contradicts itself may still say that it has no caller")
{
	const Lowered lowered = lower_function(CieText{}, {0x0e, 0, 0x44, 0x07, 16, 0x44, 0x08, 16, 0x90, 1});
	CHECK(lowered.rows == "0 unknown; 4 outermost; 8 none");
}

namespace {

uwind::CfiRows cfi_rows(const CieText& cie, const ByteVector& instructions, uwind::Arch arch = uwind::Arch::x86_64)
{
	Image file(arch);
	CfiText cfi(file.next_address());
	cfi.fde(cfi.cie(cie), text_address, text_bytes, instructions);
	file.section(".eh_frame", cfi.bytes());
	const auto elf = uwind::ElfFile::from_bytes(file.build());
	REQUIRE(elf);
	auto rows = uwind::lower_eh_frame(*elf);
	REQUIRE(rows);
	return std::move(*rows);
}

} // namespace

TEST_CASE("what is noted of a function beside its rows grows with its rules, not with its advances")
{
	const ByteVector advances(1000, advance | 1);
	CHECK(cfi_rows({}, ByteVector{0x07, 16} + advances).stated.size() == 1);
	// A CFA that no row can say; and a return address that is the pc + 4.
	CHECK(cfi_rows({}, ByteVector{0x0f, 2, 0x96, 0x96} + advances).left_out.size() == 1);
	const ByteVector outlined = {0x16, 16, 2, 0x80, 4};
	CHECK(cfi_rows({}, outlined + advances).left_out.size() == 1);
	CHECK(cfi_rows({}, ByteVector{0x07, 16} + advances + ByteVector{0x90, 1, advance | 1, 0x07, 16} + advances)
		      .stated.size() == 2);
}

// As glibc's resolver of lazy bindings does, whose CFA is raised.
TEST_CASE("a function that is interpreted twice is noted once")
{
	const ByteVector twice = {0x41, 0x11, 30, 0x7f, 0x41, 0x0e, 0xd0, 0x01, 0x41, 0x13, 2, 0x41, 0x07, 30};
	CHECK(cfi_rows(arm64_cie(), twice, uwind::Arch::arm64).stated.size() == 1);
}

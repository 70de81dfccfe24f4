// SPDX-License-Identifier: GPL-2.0
// Which expressions have a rule, and that the others are counted, not guessed.
#include "unit/tables/lower.h"

using namespace image;

namespace {

enum : std::uint8_t {
	deref = 0x06,
	const1u = 0x08,
	const1s = 0x09,
	const2s = 0x0b,
	const4s = 0x0d,
	const8u = 0x0e,
	constu = 0x10,
	consts = 0x11,
	twice = 0x12,
	drop = 0x13,
	over = 0x14,
	swap = 0x16,
	and_ = 0x1a,
	minus = 0x1c,
	mul = 0x1e,
	neg = 0x1f,
	plus = 0x22,
	plus_uconst = 0x23,
	shl = 0x24,
	ge = 0x2a,
	gt = 0x2b,
	lit = 0x30,
	breg = 0x70,
	bregx = 0x92,
	nop = 0x96,
};

const std::string end = "; 16 none";
const std::string unknown = "CFA by an expression of an unknown form";

std::string cfa(const ByteVector& expression)
{
	const std::string text = rows(ByteVector{0x0f} + block(expression));
	const std::string head = "0 cfa=", tail = " ra=[cfa-8] rbp=same" + end;
	REQUIRE(text.size() > head.size() + tail.size());
	CHECK(text.substr(text.size() - tail.size()) == tail);
	return text.substr(head.size(), text.size() - head.size() - tail.size());
}

std::string no_cfa(const ByteVector& expression)
{
	return reason(ByteVector{0x0f} + block(expression));
}

ByteVector lazy_plt(std::uint8_t base, std::uint8_t mask, std::uint8_t threshold)
{
	return ByteVector{0x0f} +
	       block({breg + 7, base, breg + 16, 0, const1u, mask, and_, const1u, threshold, ge, lit + 3, shl, plus});
}

} // namespace

TEST_CASE("a register plus an offset is a CFA, however it is spelled")
{
	CHECK(cfa({breg + 7, 16}) == "rsp+16");
	CHECK(cfa({bregx, 7, 16}) == "rsp+16");
	CHECK(cfa({breg + 7, 8, lit + 8, plus}) == "rsp+16");
	CHECK(cfa({lit + 8, breg + 7, 8, plus}) == "rsp+16");
	CHECK(cfa({breg + 7, 8, plus_uconst, 8}) == "rsp+16");
	CHECK(cfa({breg + 7, 24, lit + 8, minus}) == "rsp+16");
	CHECK(cfa({breg + 7, 0, lit + 4, lit + 4, mul, plus}) == "rsp+16");
	CHECK(cfa({breg + 7, 32, const1s, 0xf0, plus}) == "rsp+16");
	CHECK(cfa({breg + 7, 32, const1u, 16, neg, plus}) == "rsp+16");
	CHECK(cfa(ByteVector{breg + 7, 32, const2s} + fixed(0xfff0, 2) + ByteVector{plus}) == "rsp+16");
	CHECK(cfa(ByteVector{breg + 7, 32, const4s} + fixed(0xfffffff0, 4) + ByteVector{plus}) == "rsp+16");
	CHECK(cfa(ByteVector{breg + 7, 0, const8u} + fixed(16, 8) + ByteVector{plus}) == "rsp+16");
	CHECK(cfa({breg + 7, 0, constu, 16, plus}) == "rsp+16");
	CHECK(cfa({breg + 7, 32, consts, 0x70, plus}) == "rsp+16");
	CHECK(cfa({breg + 7, 16, twice, drop, nop}) == "rsp+16");
	CHECK(cfa({lit + 16, breg + 7, 0, swap, plus}) == "rsp+16");
	CHECK(cfa({lit + 16, breg + 7, 0, over, plus}) == "rsp+16");
}

TEST_CASE("a CFA that lies in memory keeps what is added to it")
{
	CHECK(cfa({breg + 6, 0x70, deref}) == "[rbp-16]");
	CHECK(cfa({breg + 7, 40, deref, plus_uconst, 8}) == "[rsp+40]+8");
	CHECK(cfa({breg + 10, 0, deref, lit + 8, minus}) == "[r10]-8");
}

TEST_CASE("the register that was set last counts again after an expression")
{
	const ByteVector expression = ByteVector{0x0f} + block({breg + 7, 40, deref});
	CHECK(rows(ByteVector{0x0e, 56} + expression + ByteVector{0x0d, 6}) ==
	      "0 cfa=rbp+56 ra=[cfa-8] rbp=same" + end);
	CHECK(rows(expression + ByteVector{0x0e, 24}) == "0 cfa=[rsp+40] ra=[cfa-8] rbp=same" + end);
}

TEST_CASE("expressions of other forms leave the row out and are counted")
{
	CHECK(no_cfa({breg + 7, 0, deref, deref}) == unknown);
	CHECK(no_cfa({breg + 7, 0, breg + 3, 0, plus}) == unknown);
	CHECK(no_cfa({breg + 7, 8, breg + 9, 0, lit + 8, mul, plus, deref, plus_uconst, 8}) == unknown);
	CHECK(no_cfa({lit + 8}) == unknown);
	CHECK(no_cfa({breg + 16, 0}) == unknown);
	CHECK(no_cfa({breg + 7, 0, const1u, 0xf0, and_}) == unknown);
	CHECK(no_cfa({}) == unknown);
	CHECK(no_cfa({0x50}) == unknown);
	CHECK(no_cfa({0xff}) == unknown);
}

TEST_CASE("expressions that misuse their stack are refused")
{
	CHECK(no_cfa({plus}) == unknown);
	CHECK(no_cfa({breg + 7, 0, plus}) == unknown);
	CHECK(no_cfa({drop}) == unknown);
	CHECK(no_cfa({swap}) == unknown);
	CHECK(no_cfa(ByteVector(17, lit) + ByteVector{breg + 7, 0}) == unknown);
}

TEST_CASE("expressions that are cut off, too long or too large are refused")
{
	CHECK(no_cfa({breg + 7}) == unknown);
	CHECK(no_cfa({breg + 7, 0, const8u, 1, 2}) == unknown);
	CHECK(cfa(ByteVector{breg + 7, 16} + ByteVector(255, nop)) == "rsp+16");
	CHECK(no_cfa(ByteVector{breg + 7, 16} + ByteVector(256, nop)) == unknown);
	CHECK(no_cfa(ByteVector{breg + 7} + sleb(std::int64_t{1} << 40)) == unknown);
	CHECK(cfa(ByteVector{breg + 7, 17, plus_uconst} + uleb(~0ull)) == "rsp+16");
	CHECK(no_cfa(ByteVector{breg + 7, 0, plus_uconst} + uleb(1ull << 62)) == unknown);
	CHECK(reason(ByteVector{0x0f} + block(ByteVector{breg + 7} + sleb(0xffff0000))) == "offset of 2 GiB or more");
}

TEST_CASE("a lazy PLT's expression becomes two rows for every entry")
{
	Image file;
	CfiText cfi(file.next_address());
	cfi.fde(cfi.cie(CieText{}), text_address, 40, lazy_plt(8, 15, 11));
	CHECK(text_of(lower(file.section(".eh_frame", cfi.bytes())), uwind::Arch::x86_64) ==
	      "0 cfa=rsp+8 ra=[cfa-8] rbp=same; 11 cfa=rsp+16 ra=[cfa-8] rbp=same; "
	      "16 cfa=rsp+8 ra=[cfa-8] rbp=same; 27 cfa=rsp+16 ra=[cfa-8] rbp=same; "
	      "32 cfa=rsp+8 ra=[cfa-8] rbp=same; 40 none");
}

TEST_CASE("a lazy PLT's numbers may be others")
{
	Image file;
	CfiText cfi(file.next_address());
	cfi.fde(cfi.cie(CieText{}), text_address + 4, 60, lazy_plt(16, 31, 9));
	CHECK(text_of(lower(file.section(".eh_frame", cfi.bytes())), uwind::Arch::x86_64) ==
	      "0 unknown; 4 cfa=rsp+16 ra=[cfa-8] rbp=same; 9 cfa=rsp+24 ra=[cfa-8] rbp=same; "
	      "32 cfa=rsp+16 ra=[cfa-8] rbp=same; 41 cfa=rsp+24 ra=[cfa-8] rbp=same; 64 none");
}

TEST_CASE("a comparison with more than the mask is refused")
{
	CHECK(reason(lazy_plt(8, 15, 16)) == unknown);
	CHECK(reason(lazy_plt(8, 14, 11)) == unknown);
}

TEST_CASE("a saved register's expression is its address, a value expression its value")
{
	const auto fp = [](std::uint8_t op, const ByteVector& expression) {
		return rows(ByteVector{op, 6} + block(expression));
	};
	const auto saved = [](const std::string& place) { return "0 cfa=rsp+8 ra=[cfa-8] rbp=" + place + end; };
	CHECK(fp(0x10, {breg + 6, 0}) == saved("[rbp]"));
	CHECK(fp(0x10, {breg + 6, 0x78}) == saved("[rbp-8]"));
	CHECK(fp(0x10, {lit + 8, minus}) == saved("[cfa-8]"));
	CHECK(fp(0x16, {breg + 10, 8}) == saved("r10+8"));
	CHECK(fp(0x16, {breg + 10, 8, deref}) == saved("[r10+8]"));
	CHECK(fp(0x16, {lit + 8, plus}) == saved("cfa+8"));
	CHECK(fp(0x16, {}) == saved("cfa"));
	CHECK(rows(ByteVector{0x10, 16} + block({breg + 7, 0x38})) == "0 cfa=rsp+8 ra=[rsp+56] rbp=same" + end);
}

TEST_CASE("a register behind the same word of memory as the CFA is relative to the CFA")
{
	CHECK(rows(ByteVector{0x0f} + block({breg + 7, 40, deref, plus_uconst, 8}) + ByteVector{0x10, 6} +
		   block({breg + 7, 40, deref, lit + 16, minus})) == "0 cfa=[rsp+40]+8 ra=[cfa-8] rbp=[cfa-24]" + end);
}

TEST_CASE("a frame pointer that no form says is lost, and the row is kept")
{
	const Lowered lowered = lower_function({}, ByteVector{0x10, 6} + block({breg + 7, 0, deref, deref}));
	CHECK(lowered.rows == "0 cfa=rsp+8 ra=[cfa-8] rbp=lost" + end);
	CHECK(lowered.left_out.at("frame pointer by an expression of an unknown form (row kept)") == 1);
}

TEST_CASE("a return address that no form says leaves the row out")
{
	const std::string why = "return address by an expression of an unknown form";
	CHECK(reason(ByteVector{0x10, 16} + block({breg + 7, 0, deref, deref})) == why);
	CHECK(reason({0x09, 16, 40}) == why);
}

TEST_CASE("the amd64 signal frame is known by its rules, if its CIE says that it is one")
{
	const ByteVector signal = ByteVector{0x0f} + block(ByteVector{breg + 7} + sleb(160) + ByteVector{deref}) +
				  ByteVector{0x10, 6} + block(ByteVector{breg + 7} + sleb(120)) + ByteVector{0x10, 7} +
				  block(ByteVector{breg + 7} + sleb(160)) + ByteVector{0x10, 16} +
				  block(ByteVector{breg + 7} + sleb(168));
	CieText cie;
	cie.augmentation = "zRS";
	CHECK(lower_function(cie, signal).rows == "0 signal frame; 17 none");
	CHECK(rows(signal) == "0 cfa=[rsp+160] ra=[rsp+168] rbp=[rsp+120]" + end);
	CHECK(lower_function(cie, {}).rows == "0 cfa=rsp+8 ra=[cfa-8] rbp=same" + end);
}

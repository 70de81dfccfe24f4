// SPDX-License-Identifier: GPL-2.0
// What a function has done to its stack at each of its instructions. The code is what GNU as makes of the comments.
#include <catch2/catch.hpp>
#include <vector>

extern "C" {
#include "frame_scan.h"
}

namespace {

using Code = std::vector<u32>;

// In pieces of that many words.
uw_frame_state state_at(const Code& code, u32 at, u32 piece = 3)
{
	uw_frame_scan scan;
	u32 word;
	uw_frame_scan_begin(&scan, u32(code.size()), at);
	for (u32 turn = 0; uw_frame_scan_wants(&scan, &word); turn++) {
		REQUIRE(turn < code.size() * UW_FRAME_SCAN_PASSES + 1);
		uw_frame_scan_feed(&scan, code.data() + word, std::min(piece, u32(code.size()) - word));
	}
	return scan.state;
}

const Code late_record = {
	0xd503245f, // bti c
	0xd503233f, // paciasp
	0xd10183ff, // sub sp, sp, #0x60
	0xa9047bfd, // stp x29, x30, [sp, #64]
	0x910103fd, // add x29, sp, #0x40
	0xf9002bf3, // str x19, [sp, #80]
	0x94000000, // bl
	0xf9402bf3, // ldr x19, [sp, #80]
	0xa9447bfd, // ldp x29, x30, [sp, #64]
	0x910183ff, // add sp, sp, #0x60
	0xd50323bf, // autiasp
	0xd65f03c0, // ret
};

const Code dynamic = {
	0xa9bd7bfd, // stp x29, x30, [sp, #-48]!
	0x910003fd, // mov x29, sp
	0xd10043ff, // sub sp, sp, #0x10
	0xcb2163ff, // sub sp, sp, x1
	0x94000000, // bl
	0x910003bf, // mov sp, x29
	0xa8c37bfd, // ldp x29, x30, [sp], #48
	0xd65f03c0, // ret
};

const Code big = {
	0xd282400d, // mov x13, #0x1200
	0xd2823f02, // mov x2, #0x11f8
	0xcb2d63ff, // sub sp, sp, x13
	0xd14007ff, // sub sp, sp, #0x1, lsl #12
	0x914007ff, // add sp, sp, #0x1, lsl #12
	0x8b2d63ff, // add sp, sp, x13
	0xd282468c, // mov x12, #0x1234
	0xf2a0002c, // movk x12, #0x1, lsl #16
	0xcb2c63ff, // sub sp, sp, x12
	0xd65f03c0, // ret
};

const Code jumps = {
	0x34000080, // cbz w0, 4
	0xa9be7bfd, // stp x29, x30, [sp, #-32]!
	0x910003fd, // mov x29, sp
	0x14000003, // b 6
	0x52800020, // 4: mov w0, #1
	0xd65f03c0, // ret
	0x94000000, // 6: bl
	0x37180060, // tbnz w0, #3, 10
	0xa8c27bfd, // ldp x29, x30, [sp], #32
	0xd65f03c0, // ret
	0x94000000, // 10: bl
	0x17fffffb, // b 6
};

} // namespace

TEST_CASE("at each instruction of prologue and epilogue it is known where the frame ends, and the return address")
{
	const s32 sp_off[] = {0, 0, 0, 96, 96, 96, 96, 96, 96, 96, 0, 0};
	for (u32 at = 0; at < late_record.size(); at++) {
		const auto state = state_at(late_record, at);
		INFO(at);
		CHECK(state.known == UW_FRAME_KNOWN);
		CHECK(state.sp_off == sp_off[at]);
		CHECK(state.ra_off == (at >= 4 && at <= 8 ? 24 : 0)); // 96 - 64 - 8
		CHECK(state.old_fp_off == (at >= 4 && at <= 8 ? 32 : 0));
		CHECK(bool(state.fp_set) == (at >= 5 && at <= 8));
		if (state.fp_set)
			CHECK(state.fp_off == 32);
	}
}

TEST_CASE("what only the call knows is told apart from what each call takes")
{
	CHECK(!state_at(dynamic, 3).dynamic);
	CHECK(state_at(dynamic, 3).sp_off == 64);
	const auto inside = state_at(dynamic, 4);
	CHECK((inside.dynamic && inside.fp_set && inside.sp_off == 64 && inside.fp_off == 48));
	CHECK((!state_at(dynamic, 6).dynamic && state_at(dynamic, 6).sp_off == 48));
	CHECK((state_at(dynamic, 7).sp_off == 0 && state_at(dynamic, 7).ra_off == 0 && !state_at(dynamic, 7).fp_set));
}

TEST_CASE("frames that are too big for an operand come from registers, whatever others hold")
{
	const s32 sp_off[] = {0, 0, 0, 0x1200, 0x2200, 0x1200, 0, 0, 0, 0x11234};
	for (u32 at = 0; at < big.size(); at++)
		CHECK(state_at(big, at).sp_off == sp_off[at]);
	CHECK(!state_at(big, 3).dynamic);
}

TEST_CASE("state goes along jumps, to where code before it did not go on to")
{
	CHECK(state_at(jumps, 4).sp_off == 0);
	CHECK(state_at(jumps, 4).known == UW_FRAME_KNOWN);
	CHECK(state_at(jumps, 6).sp_off == 32);
	CHECK(state_at(jumps, 9).sp_off == 0);
	CHECK((state_at(jumps, 10).sp_off == 32 && state_at(jumps, 10).known == UW_FRAME_KNOWN));
}

TEST_CASE("a jump that is read later leads to code that is read earlier")
{
	const Code code = {
		0xa9bf7bfd, // stp x29, x30, [sp, #-16]!
		0x910003fd, // mov x29, sp
		0x14000003, // b 5
		0xd10043ff, // 3: sub sp, sp, #0x10
		0xd65f03c0, // ret
		0x17fffffe, // b 3
	};
	const auto state = state_at(code, 4);
	CHECK((state.known == UW_FRAME_KNOWN && state.sp_off == 32));
}

TEST_CASE("code that nothing leads to has the last frame, as a guess")
{
	const Code code = {
		0xa9bf7bfd, // stp x29, x30, [sp, #-16]!
		0x910003fd, // mov x29, sp
		0xd61f0000, // br x0
		0xd503201f, // nop
	};
	const auto state = state_at(code, 3);
	CHECK((state.known == UW_FRAME_GUESSED && state.sp_off == 16 && state.fp_set));
}

TEST_CASE("a tracer that is called before a function begins leaves the return address in x9")
{
	const Code code = {
		0xaa1e03e9, // mov x9, x30
		0x94000000, // bl
		0xd503233f, // paciasp
	};
	CHECK(state_at(code, 0).ra_reg == 30);
	CHECK(state_at(code, 1).ra_reg == 9);
	CHECK(state_at(code, 2).ra_reg == 30);
}

TEST_CASE("other registers on the stack, and the shadow call stack, move SP or do not")
{
	const Code code = {
		0xa9bf7bfd, // stp x29, x30, [sp, #-16]!
		0xf800865e, // str x30, [x18], #8
		0x6dbe27e8, // stp d8, d9, [sp, #-32]!
		0xf81f0ff3, // str x19, [sp, #-16]!
		0xf84107f3, // ldr x19, [sp], #16
		0x6cc227e8, // ldp d8, d9, [sp], #32
		0x927cec3f, // and sp, x1, #0xfffffffffffffff0
		0xd503201f, // nop
	};
	const s32 sp_off[] = {0, 16, 16, 48, 64, 48, 16, 16};
	for (u32 at = 0; at < code.size(); at++)
		CHECK(state_at(code, at).sp_off == sp_off[at]);
	CHECK(state_at(code, 1).ra_off == 8);
	CHECK((!state_at(code, 6).dynamic && state_at(code, 7).dynamic));
}

TEST_CASE("the size of the pieces that code is read in does not matter")
{
	for (const Code& code : {late_record, dynamic, big, jumps})
		for (u32 at = 0; at < code.size(); at++)
			for (const u32 piece : {1u, 2u, 5u, 64u}) {
				const auto one = state_at(code, at), other = state_at(code, at, piece);
				CHECK((one.sp_off == other.sp_off && one.known == other.known &&
				       one.ra_off == other.ra_off && one.dynamic == other.dynamic));
			}
}

TEST_CASE("what cannot be read, or is not in the function, is not known")
{
	uw_frame_scan scan;
	u32 word;
	uw_frame_scan_begin(&scan, 4, 4);
	CHECK(!uw_frame_scan_wants(&scan, &word));
	CHECK(scan.state.known == UW_FRAME_UNKNOWN);
	uw_frame_scan_begin(&scan, 4, 2);
	CHECK(uw_frame_scan_wants(&scan, &word));
	uw_frame_scan_feed(&scan, nullptr, 0);
	CHECK(!uw_frame_scan_wants(&scan, &word));
	CHECK(scan.state.known == UW_FRAME_UNKNOWN);
}

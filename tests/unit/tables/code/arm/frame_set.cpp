// SPDX-License-Identifier: GPL-2.0
// Frames of 32-bit Arm by number: what is worked out once is what each instruction does.
#include <catch2/catch.hpp>

#include "tables/code/arm/effect.h"
#include "tables/code/arm/frame_set.h"

using uwind::ArmFrame;
using uwind::ArmFrameNumber;
using uwind::ArmFrameSet;
using uwind::ArmInstruction;

namespace {

ArmInstruction thumb(std::uint32_t word)
{
	const bool wide = word > 0xffff;
	const std::uint32_t first = wide ? word >> 16 : word;
	const std::uint8_t code[] = {static_cast<std::uint8_t>(first), static_cast<std::uint8_t>(first >> 8),
				     static_cast<std::uint8_t>(word), static_cast<std::uint8_t>(word >> 8)};
	return uwind::decode_arm(uwind::Bytes(code, wide ? 4 : 2), 0x1000, true);
}

} // namespace

TEST_CASE("the frame after an instruction is what the instruction makes of it, each time that it is asked for")
{
	const std::uint32_t words[] = {
		0xb5f0,     // push {r4-r7, lr}
		0xb083,     // sub sp, #12
		0x9001,     // str r0, [sp, #4]
		0x9902,     // ldr r1, [sp, #8]
		0x9b07,     // ldr r3, [sp, #28]: where LR was saved
		0xaf00,     // add r7, sp, #0
		0x607b,     // str r3, [r7, #4]
		0xf7ffffff, // bl
		0x4670,     // mov r0, lr
		0x46bd,     // mov sp, r7
		0xb003,     // add sp, #12
		0xbf00,     // nop
	};
	ArmFrameSet frames;
	for (int round = 0; round < 2; round++) {
		ArmFrameNumber number = ArmFrameSet::first;
		ArmFrame frame;
		for (const std::uint32_t word : words) {
			const ArmInstruction instruction = thumb(word);
			REQUIRE(instruction.bytes);
			uwind::execute(instruction, frame);
			const ArmFrameNumber after = frames.after(number, instruction);
			CHECK(frames[after] == frame);
			CHECK(frames.number_of(frame) == after);
			CHECK((after == number || !frames.is_kept_by(instruction, number)));
			number = after;
		}
	}
}

TEST_CASE("a store to where a register is saved changes the frame, and one beside it does not")
{
	ArmFrameSet frames;
	const ArmFrameNumber pushed = frames.after(ArmFrameSet::first, thumb(0xb500)); // push {lr}
	const ArmFrameNumber lower = frames.after(pushed, thumb(0xb081));              // sub sp, #4
	CHECK(frames.is_kept_by(thumb(0x9000), lower));                                // str r0, [sp, #0]
	CHECK(frames.after(lower, thumb(0x9000)) == lower);
	CHECK_FALSE(frames.is_kept_by(thumb(0x9001), lower)); // str r0, [sp, #4]
	CHECK(frames.after(lower, thumb(0x9001)) != lower);
}

TEST_CASE("frames that are joined twice have the same number twice, or contradict each other twice")
{
	ArmFrameSet frames;
	const ArmFrameNumber pushed = frames.after(ArmFrameSet::first, thumb(0xb510)); // push {r4, lr}
	const ArmFrameNumber called = frames.after(pushed, thumb(0xf7ffffff));         // bl
	REQUIRE(called != pushed);
	const auto both = frames.join(pushed, called);
	REQUIRE(both);
	CHECK(frames.join(pushed, called) == both);
	CHECK(frames.join(pushed, pushed) == pushed);
	for (int round = 0; round < 2; round++)
		CHECK_FALSE(frames.join(ArmFrameSet::first, pushed));
}

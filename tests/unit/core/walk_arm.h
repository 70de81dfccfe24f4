// SPDX-License-Identifier: GPL-2.0
// Programs of 32-bit Arm for the walk by frame pointers.
#pragma once

#include "unit/core/world.h"

namespace core::armhf {

constexpr u64 arm = 0x10000;   // an ARM call before every address
constexpr u64 thumb = 0x20000; // the same in Thumb, before every fourth byte
constexpr u64 plain = 0x30000; // code that calls nobody
constexpr u64 rows = 0x40000;  // each test's own
constexpr u64 stack = 0xbe800000;

constexpr u64 bl_arm = 0xebfffffe;
constexpr u64 bl_thumb = 0xfffef7ff;
constexpr u64 blx_to_arm = 0xeffef7ff;   // in Thumb code
constexpr u64 blx_to_thumb = 0xfafffffe; // in ARM code
constexpr u64 blx_r3 = 0xe12fff33;
constexpr u64 blx_r3_thumb = 0x4798bf00;
constexpr u64 nop = 0xe1a00000;

inline World make_world()
{
	World world(UW_ARCH_ARM);
	world.bare_code(arm, arm + 0x100).bare_code(thumb, thumb + 0x100).bare_code(plain, plain + 0x100);
	for (u64 at = 0; at < 0x100; at += 4)
		world.word(arm + at, bl_arm).word(thumb + at, bl_thumb).word(plain + at, nop);
	world.sp(stack);
	return world;
}

inline World in_arm(u64 fp)
{
	World world = make_world();
	world.pc(arm + 0x10).fp(fp);
	return world;
}

inline World in_thumb(u64 r7)
{
	World world = make_world();
	world.pc(thumb + 0x10).thumb(true).reg(UW_ARM_R7, r7);
	return world;
}

inline std::vector<u64> pcs(const Walked& walked)
{
	std::vector<u64> result;
	for (const uw_frame& frame : walked.frames)
		result.push_back(frame.pc);
	return result;
}

using Pcs = std::vector<u64>;

inline uw_stop stop_of(World& world)
{
	return world.walk().stop;
}

} // namespace core::armhf

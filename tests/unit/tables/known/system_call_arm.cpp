// SPDX-License-Identifier: GPL-2.0
// Code as C libraries write it, in both modes, assembled by another hand.
#include "tables/known/system_call_arm.h"
#include "unit/tables/assembled.h"

namespace {

std::string stretches_of(const std::string& assembler)
{
	return assembled::stretches_of("arm-linux-gnueabihf", ".syntax unified\nbegin:\nnop\n" + assembler + "\nnop",
				       &uwind::system_call_stretches_arm);
}

} // namespace

TEST_CASE("32-bit Arm: where signal handlers return to is known by its system call")
{
	CHECK(stretches_of(".thumb\nmov.w r7, #119\nsvc 0") == "3-10 signal frame at sp+20");
	CHECK(stretches_of(".thumb\nmov.w r7, #173\nsvc 0") == "3-10 signal frame at sp+148");
	CHECK(stretches_of(".thumb\nmovs r7, #173\nsvc 173") == "3-8 signal frame at sp+148");
	CHECK(stretches_of(".arm\nmov r7, #119\nsvc 0") == "3-12 signal frame at sp+20");
	CHECK(stretches_of(".arm\nmov r7, #173\nsvc 0x9000ad") == "3-12 signal frame at sp+148");
}

TEST_CASE("32-bit Arm: other system calls, and numbers in other registers, explain nothing")
{
	CHECK(stretches_of(".thumb\nmov.w r7, #174\nsvc 0") == "");
	CHECK(stretches_of(".thumb\nmov.w r6, #173\nsvc 0") == "");
	CHECK(stretches_of(".thumb\nmovs r7, #173\nnop\nsvc 0") == "");
	CHECK(stretches_of(".arm\nmov r7, #119\nnop") == "");
	CHECK(stretches_of(".arm\nmovs r7, #119\nsvc 0") == "");
}

TEST_CASE("32-bit Arm: a thread begins where clone returns 0, and that ends with its first call")
{
	CHECK(stretches_of(".thumb\nmov.w r7, #120\nsvc 0\ncmp r0, #0\nbeq.n 1f\npop {r4, r7}\nbx lr\n"
			   "1: ldr r0, [sp, #4]\nldr.w ip, [sp], #8\nblx ip\nmovs r7, #1\nsvc 0") ==
	      "18-26 thread start");
	CHECK(stretches_of(".arm\nmov r7, #120\nsvc 0\ntst r0, r0\nbeq 1f\nbx lr\n"
			   "1: mov r0, r6\nbl 3f\nmov r7, #1\nsvc 0\n3: bx r5") == "24-32 thread start");
}

TEST_CASE("32-bit Arm: a new thread may ask for its process's number first, or leave by a jump with no way back")
{
	// glibc up to 2.24.
	CHECK(stretches_of(".arm\nmov r7, #120\nsvc 0\ncmp r0, #0\nbeq 1f\npop {r4, r7}\nbx lr\n"
			   "1: tst ip, #0x10000\nbne 3f\nmov r0, #-1\ntst ip, #0x100\nmoveq r7, #20\nsvceq 0\n"
			   "mrc p15, 0, r1, c13, c0, 3\nstr r0, [r1, #-1144]\nstr r0, [r1, #-1148]\n"
			   "3: ldr r0, [sp, #4]\nldr ip, [sp], #8\nblx ip\nb 1b") == "28-76 thread start");
	// bionic.
	CHECK(stretches_of(".arm\nmov r7, #120\nsvc 0\nmovs r0, r0\nbeq 1f\nbx lr\n"
			   "1: mov lr, #0\npop {r0, r1}\nb begin") == "24-36 thread start");
	CHECK(stretches_of(".thumb\nmov.w r7, #120\nsvc 0\ncmp r0, #0\nbeq.n 1f\nbx lr\n"
			   "1: mov.w lr, #0\npop {r0, r1}\nb.w begin") == "16-26 thread start");
	CHECK(stretches_of(".arm\nmov r7, #120\nsvc 0\nmovs r0, r0\nbeq 1f\nbx lr\n1: mov r4, #0\nb begin") == "");
}

TEST_CASE("32-bit Arm: a clone that never looks whether it is the child, or never calls, begins nothing")
{
	CHECK(stretches_of(".thumb\nmov.w r7, #120\nsvc 0\nbx lr\n.balign 4\n.space 64") == "");
	CHECK(stretches_of(".thumb\nmovs r7, #120\nsvc 0\nbeq.n 1f\nbx lr\n1: b 1b\n.space 64, 0xbf") == "");
	CHECK(stretches_of(".thumb\nmovs r7, #120\nsvc 0\n.short 0xd080\n") == "");
}

// SPDX-License-Identifier: GPL-2.0
#include "tables/code/arm64/epilogue.h"
#include "unit/tables/assembled.h"

namespace {

std::vector<uwind::Stretch> epilogues(const uwind::ElfFile& file)
{
	std::vector<uwind::Stretch> stretches;
	const auto text = file.section(".text");
	uwind::read_epilogues_arm64((*text)->bytes, static_cast<std::uint32_t>((*text)->offset), stretches);
	return stretches;
}

std::string read(const std::string& code)
{
	return assembled::stretches_of("aarch64-linux-gnu", code, &epilogues);
}

} // namespace

TEST_CASE("an arm64 epilogue is read backwards from its return")
{
	CHECK(read("mov x29, x19\nldp x20, x19, [sp, #16]\nldp x29, x30, [sp], #32\nret") ==
	      "12-16 cfa=sp ra=x30 x29=same; 8-12 cfa=sp+32 ra=[cfa-24] x29=[cfa-32]; "
	      "4-8 cfa=sp+32 ra=[cfa-24] x29=[cfa-32]");
	CHECK(read("nop\nldr x30, [sp], #16\nret") == "8-12 cfa=sp ra=x30 x29=same; "
						      "4-8 cfa=sp+16 ra=[cfa-16] x29=same; "
						      "0-4 cfa=sp+16 ra=[cfa-16] x29=same");
	CHECK(read("ldp x29, x30, [sp, #48]\nldp d9, d8, [sp, #32]\nadd sp, sp, #64\nautiasp\nret") ==
	      "16-20 cfa=sp ra=x30 x29=same; 12-16 cfa=sp ra=x30 x29=same; 8-12 cfa=sp+64 ra=x30 x29=same; "
	      "4-8 cfa=sp+64 ra=x30 x29=same; 0-4 cfa=sp+64 ra=[cfa-8] x29=[cfa-16]");
	CHECK(read("ldr x29, [sp, #8]\nldr d8, [sp], #16\nadd sp, sp, #1, lsl #12\n.inst 0xd65f0bff") ==
	      "12-16 cfa=sp ra=x30 x29=same; 8-12 cfa=sp+4096 ra=x30 x29=same; 4-8 cfa=sp+4112 ra=x30 x29=same; "
	      "0-4 cfa=sp+4112 ra=x30 x29=[cfa-4104]");
}

TEST_CASE("an arm64 epilogue ends where something else is done")
{
	const std::string ret = "4-8 cfa=sp ra=x30 x29=same";
	for (const std::string before : {"mov x29, x19", "mov sp, x29", "and sp, x9, #~15", "mov x30, x0",
					 "ldr x29, [x0]", "ldp x29, x30, [x19], #16", "sub sp, sp, #16",
					 "ldp w29, w30, [sp]", "str x30, [sp, #8]", "ldr x30, [sp], #-16", "b ."})
		CHECK(read(before + "\nret") == ret);
	CHECK(read("nop") == "");
}

TEST_CASE("what an arm64 epilogue computes on the side has no part in it")
{
	for (const std::string between :
	     {"mov w0, #4", "adrp x1, .", "mov x0, x19", "ldr x0, [x1, #96]", "add x0, x0, #1", "ldr w0, [sp, #8]"})
		CHECK(read("b.ne .\nldr x30, [sp, #16]\n" + between + "\nadd sp, sp, #32\nret") ==
		      "16-20 cfa=sp ra=x30 x29=same; 12-16 cfa=sp+32 ra=x30 x29=same; 8-12 cfa=sp+32 ra=x30 x29=same; "
		      "4-8 cfa=sp+32 ra=[cfa-16] x29=same");
}

TEST_CASE("an arm64 function may end with a jump, before which its return address is restored")
{
	for (const std::string jump : {"b .+4096", "br x1"}) {
		CHECK(read("b.ne .\nldr x30, [sp], #16\n" + jump) ==
		      "8-12 cfa=sp ra=x30 x29=same; 4-8 cfa=sp+16 ra=[cfa-16] x29=same");
		CHECK(read("ldr x0, [sp], #16\n" + jump) == "");
		CHECK(read("mov x0, x1\n" + jump) == "");
	}
}

TEST_CASE("a jump behind which the frame stays ends no arm64 function")
{
	for (const char* jump : {"b .+4096", "br x1"}) {
		CHECK(read(std::string("b.ne .\nldr x30, [sp, #128]\n") + jump) == "");
		CHECK(read(std::string("b.ne .\nldr x30, [sp, #24]\nadd sp, sp, #16\n") + jump) == "");
	}
}

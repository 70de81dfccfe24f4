// SPDX-License-Identifier: GPL-2.0
#include "tables/known/fiber.h"
#include "unit/tables/assembled.h"

namespace {

std::string amd64_fiber(const std::string& name, const std::string& finish)
{
	return assembled::stretches_of("x86_64-linux-gnu",
				       ".globl " + name + "\n.type " + name + ", @function\n" + name +
					       ":\nlea finish(%rip), %rcx\nmov %rcx, 0x30(%rax)\nret\n" +
					       "push %rbp\njmp *%rbx\nfinish:\n" + finish + "\n.size " + name +
					       ", . - " + name,
				       &uwind::fiber_end_stretches);
}

std::string arm64(const std::string& name, const std::string& finish)
{
	return assembled::stretches_of("aarch64-linux-gnu",
				       ".globl " + name + "\n.type " + name + ", %function\n" + name +
					       ":\nadr x1, finish\nstr x1, [x0, #0x98]\nret\n" + finish + "\n.size " +
					       name + ", . - " + name,
				       &uwind::fiber_end_stretches);
}

} // namespace

TEST_CASE("a fiber's stack ends in the code that make_fcontext() lays below it")
{
	CHECK(amd64_fiber("make_fcontext", "xor %rdi, %rdi\ncall _exit@plt\nhlt") == "14-24 outermost");
	CHECK(arm64("make_fcontext", "finish: mov x0, #0\nbl _exit") == "11-20 outermost");
}

TEST_CASE("a fiber's stack ends where makecontext() of amd64 says that its function returns to")
{
	const std::string makecontext = ".globl makecontext\n.type makecontext, @function\nmakecontext:\n"
					"lea data(%rip), %rax\nlea start(%rip), %rdi\nret\n"
					".size makecontext, . - makecontext\nnop\ndata: .long 1\n.balign 16\n";
	const auto ends = [&](const std::string& start) {
		return assembled::stretches_of("x86_64-linux-gnu", makecontext + start, &uwind::fiber_end_stretches);
	};
	CHECK(ends("start: mov %rbx, %rsp\n.space 5") == "31-32 outermost");
	CHECK(ends("start: mov %rbx, %rdi\n.space 5") == "");
}

TEST_CASE("a fiber's stack ends where makecontext() of arm64 says that its function returns to")
{
	const auto ends = [&](const std::string& start) {
		return assembled::stretches_of("aarch64-linux-gnu",
					       ".globl makecontext\n.type makecontext, %function\nmakecontext:\n"
					       "adrp x4, slot\nldr x4, [x4, #:lo12:slot]\nret\n"
					       ".size makecontext, . - makecontext\nstart: " +
						       start + "\n.section .data\n.balign 8\nslot: .xword start\n",
					       &uwind::fiber_end_stretches);
	};
	CHECK(ends("mov x0, x19\nnop") == "11-12 outermost");
	CHECK(ends("nop\nmov x0, x19") == "11-12 outermost");
	CHECK(ends("mov x0, x20\nnop") == "");
}

TEST_CASE("other functions, and make_fcontext() with other code, end no stack")
{
	CHECK(amd64_fiber("make_context", "xor %rdi, %rdi\ncall _exit@plt\nhlt") == "");
	CHECK(amd64_fiber("make_fcontext", "xor %rdi, %rdi\ncall _exit@plt\nret") == "");
	CHECK(arm64("make_context", "finish: mov x0, #0\nbl _exit") == "");
	CHECK(arm64("make_fcontext", "nop\nfinish: mov x0, #0\nbl _exit") == "");
	CHECK(arm64("make_fcontext", "finish: mov x0, #1\nbl _exit") == "");
	CHECK(assembled::stretches_of("arm-linux-gnueabihf", "make_fcontext: bx lr", &uwind::fiber_end_stretches) ==
	      "");
}

// SPDX-License-Identifier: GPL-2.0
// Rows behind the system calls that make threads, and of the code that the dynamic linker calls first and last.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <fcntl.h>
#include <fstream>
#include <unistd.h>

#include "base/handle.h"
#include "tables/file_rows.h"
#include "tables/gaps.h"
#include "tables/known/clone_call.h"
#include "tables/module_view.h"
#include "tables/rule_text.h"

extern "C" {
#include "types.h"
}

using uwind::ElfFile;

namespace {

struct Built {
	uwind::UniqueFd fd;
	ElfFile file;
	uwind::TableRows table;

	// Rows of a section, at offsets into it.
	std::string rows(const char* section) const;
};

std::string Built::rows(const char* section) const
{
	const auto found = file.section(section);
	REQUIRE((found && *found));
	const std::uint64_t start = (*found)->offset, end = start + (*found)->bytes.size();
	std::string text;
	for (std::size_t i = 0; i < table.rows.size(); i++) {
		const std::uint64_t from = table.rows[i].start;
		const std::uint64_t to = i + 1 < table.rows.size() ? table.rows[i + 1].start : from;
		if (from < end && to > start)
			text += (text.empty() ? "" : "; ") + std::to_string(std::max(from, start) - start) + " " +
				uwind::rule_text(table.rules[table.rows[i].rule], file.arch());
	}
	return text;
}

Built open_built(const std::string& path)
{
	uwind::UniqueFd fd(open(path.c_str(), O_RDONLY));
	auto file = ElfFile::open(fd.get());
	REQUIRE(file);
	auto table = uwind::rows_of_file(*file);
	REQUIRE(table);
	REQUIRE(uwind::check_rows(*table, file->arch()));
	return {std::move(fd), std::move(*file), std::move(*table)};
}

Built assemble(const std::string& target, const std::string& text)
{
	const std::string name = "/tmp/uwind-clone-" + std::to_string(getpid());
	std::ofstream(name + ".s") << ".text\n.balign 16\n" << text << "\n";
	const std::string command =
		"clang-14 --target=" + target + " -nostdlib -shared -o " + name + ".so " + name + ".s";
	REQUIRE(std::system(command.c_str()) == 0);
	Built built = open_built(name + ".so");
	unlink((name + ".so").c_str());
	unlink((name + ".s").c_str());
	return built;
}

const std::string amd64 = "cfa=rsp+8 ra=[cfa-8] rbp=same";

} // namespace

TEST_CASE("behind clone() and clone3() on amd64 the result tells the caller from the new thread")
{
	const bool is_new = GENERATE(true, false);
	const Built at = assemble("x86_64-linux-gnu",
				  std::string("f: .cfi_startproc; mov $") + (is_new ? "435" : "56") +
					  ", %eax; .cfi_endproc; syscall; test %rax, %rax; jl 1f; je 2f; ret\n"
					  "2: .cfi_startproc; .cfi_undefined rip; xor %ebp, %ebp; pop %rax; "
					  "pop %rdi; call *%rax; .cfi_endproc\n"
					  "1: .cfi_startproc; mov $-1, %rax; ret; .cfi_endproc");
	CHECK(at.rows(".text") == "0 " + amd64 + "; 7 thread start if rax=0, else " + amd64 + "; 14 " + amd64 +
					  "; 15 outermost; 21 " + amd64);
}

TEST_CASE("behind clone() on i386 registers come back one after the other")
{
	const Built at =
		assemble("i386-linux-gnu", "f: .cfi_startproc; push %ebx; .cfi_adjust_cfa_offset 4; push %esi; "
					   ".cfi_adjust_cfa_offset 4; .cfi_offset ebx, -8; mov $120, %eax; "
					   ".cfi_endproc; int $0x80; pop %esi; pop %ebx; test %eax, %eax; "
					   "jl 1f; je 2f; ret; 2: mov %esi, %ebp; call *%ebx; hlt; "
					   "1: .cfi_startproc; ret; .cfi_endproc");
	const std::string rest = " ra=[cfa-4] ebp=same", one = "thread start if eax=0, else ";
	CHECK(at.rows(".text") == "0 cfa=esp+4" + rest + "; 1 cfa=esp+8" + rest + "; 2 cfa=esp+12" + rest +
					  " ebx=[cfa-8]; 9 " + one + "cfa=esp+12" + rest + " ebx=[cfa-8]; 10 " + one +
					  "cfa=esp+8" + rest + " ebx=[cfa-8]; 11 " + one + "cfa=esp+4" + rest +
					  "; 17 cfa=esp+4" + rest + "; 18 thread start; 22 unknown; 23 cfa=esp+4" +
					  rest);
}

TEST_CASE("behind clone() on arm64 the CFI is right for the caller only")
{
	const Built at = assemble("aarch64-linux-gnu", "f: .cfi_startproc; mov x8, #220; svc #0; cmp x0, #0; b.eq 1f; "
						       "ret; .cfi_endproc; 1: .cfi_startproc; .cfi_undefined x30; "
						       "mov x29, #0; blr x10; .cfi_endproc");
	const std::string row = "cfa=sp ra=x30 x29=same";
	CHECK(at.rows(".text") ==
	      "0 " + row + "; 8 thread start if x0=0, else " + row + "; 16 " + row + "; 20 outermost");
}

TEST_CASE("a child process that has its parent's stack is no new thread")
{
	const Built at =
		assemble("x86_64-linux-gnu", "f: .cfi_startproc; mov $56, %eax; syscall; test %rax, %rax; je 1f; "
					     "ret; 1: mov $186, %eax; syscall; ret; .cfi_endproc");
	CHECK(at.rows(".text") == "0 " + amd64);
}

TEST_CASE("a new thread that asks for its process's number before its first call is one, as in glibc up to 2.24")
{
	const Built x86_64 =
		assemble("x86_64-linux-gnu",
			 "f: .cfi_startproc; mov $56, %eax; .cfi_endproc; syscall; test %rax, %rax; jl 1f; je 2f; ret\n"
			 "2: .cfi_startproc; .cfi_undefined rip; xor %ebp, %ebp; testq $0x10000, %rdi; jne 3f\n"
			 "testq $0x100, %rdi; mov $-1, %eax; jne 4f; mov $39, %eax; syscall; 4: mov %eax, %fs:0x2d4\n"
			 "mov %eax, %fs:0x2d0; 3: pop %rax; pop %rdi; call *%rax; hlt; .cfi_endproc\n"
			 "1: .cfi_startproc; mov $-1, %rax; ret; .cfi_endproc");
	CHECK(x86_64.rows(".text").starts_with("0 " + amd64 + "; 7 thread start if rax=0, else " + amd64 + "; 14 " +
					       amd64 + "; 15 outermost; "));
	const Built i386 = assemble(
		"i386-linux-gnu", "f: .cfi_startproc; push %ebx; .cfi_adjust_cfa_offset 4; mov $120, %eax; "
				  ".cfi_endproc; int $0x80; pop %ebx; test %eax, %eax; jl 1f; je 2f; ret\n"
				  "2: .cfi_startproc; .cfi_undefined eip; mov %esi, %ebp; test $0x100, %edi; je 4f\n"
				  "3: call *%ebx; hlt; 4: jmp 3b; .cfi_endproc; 1: .cfi_startproc; ret; .cfi_endproc");
	const std::string rest = " ra=[cfa-4] ebp=same", one = "thread start if eax=0, else ";
	CHECK(i386.rows(".text").starts_with("0 cfa=esp+4" + rest + "; 1 cfa=esp+8" + rest + "; 8 " + one +
					     "cfa=esp+8" + rest + "; 9 " + one + "cfa=esp+4" + rest + "; 15 cfa=esp+4" +
					     rest + "; 16 outermost; "));
	const Built arm64 =
		assemble("aarch64-linux-gnu",
			 "f: .cfi_startproc; mov x8, #220; svc #0; cmp x0, #0; b.eq 1f; ret; .cfi_endproc\n"
			 "1: .cfi_startproc; .cfi_undefined x30; mov x29, #0; tbnz x11, #16, 3f; mov x0, #-1\n"
			 "tbnz x11, #8, 2f; mov x8, #172; svc #0; 2: mrs x1, tpidr_el0; sub x1, x1, #1776\n"
			 "str w0, [x1]; 3: mov x0, x12; blr x10; .cfi_endproc");
	const std::string row = "cfa=sp ra=x30 x29=same";
	CHECK(arm64.rows(".text") ==
	      "0 " + row + "; 8 thread start if x0=0, else " + row + "; 16 " + row + "; 20 outermost");
}

TEST_CASE("a new thread may leave by a jump or a direct call, as in bionic")
{
	const bool stated = GENERATE(true, false);
	const std::string arm64_end = stated ? ".cfi_undefined x30; " : "",
			  amd64_end = stated ? ".cfi_undefined rip; " : "";
	const Built arm64 = assemble("aarch64-linux-gnu",
				     "f: .cfi_startproc; stp x5, x6, [x1, #-16]!; mov x8, #220; svc #0; cbz x0, 1f\n"
				     "ret; 1: " +
					     arm64_end +
					     "ldp x0, x1, [sp], #16; b start; .cfi_endproc; .balign 16\n"
					     "start: .cfi_startproc; ret; .cfi_endproc");
	const std::string row = "cfa=sp ra=x30 x29=same", end = stated ? "outermost" : "thread start";
	CHECK(arm64.rows(".text") == "0 " + row + "; 12 thread start if x0=0, else " + row + "; 16 " + row + "; 20 " +
					     end + "; 28 unknown; 32 " + row);
	const bool jumps = GENERATE(true, false);
	const Built x86_64 = assemble("x86_64-linux-gnu",
				      "f: .cfi_startproc; mov $56, %eax; syscall; test %rax, %rax; jz 1f; jg 2f; nop\n"
				      "2: ret; 1: " +
					      amd64_end + "pop %rdi; pop %rsi; " + (jumps ? "jmp" : "call") +
					      " start; hlt; .cfi_endproc; .balign 16, 0xcc\n"
					      "start: .cfi_startproc; ret; .cfi_endproc");
	CHECK(x86_64.rows(".text").starts_with("0 " + amd64 + "; 7 thread start if rax=0, else " + amd64 + "; 12 " +
					       amd64 + "; 16 " + end + "; "));
	const Built i386 = assemble("i386-linux-gnu",
				    "f: .cfi_startproc; mov $120, %eax; int $0x80; cmpl $0, %eax; je 1f; jg 2f; nop\n"
				    "2: ret; 1: .cfi_undefined eip; call start; hlt; .cfi_endproc; .balign 16, 0xcc\n"
				    "start: .cfi_startproc; ret; .cfi_endproc");
	const std::string leaf = "cfa=esp+4 ra=[cfa-4] ebp=same";
	CHECK(i386.rows(".text").starts_with("0 " + leaf + "; 7 thread start if eax=0, else " + leaf + "; 12 " + leaf +
					     "; 16 outermost; "));
}

TEST_CASE("the caller may jump over the new thread's code, as in musl")
{
	const Built x86_64 =
		assemble("x86_64-linux-gnu",
			 ".globl f; .type f, @function\n"
			 "f: xor %eax, %eax; mov $56, %al; mov %rdi, %r11; mov %rdx, %rdi; mov 8(%rsp), %r10\n"
			 "and $-16, %rsi; sub $8, %rsi; mov %rcx, (%rsi); syscall; test %eax, %eax; jnz 1f\n"
			 "xor %ebp, %ebp; pop %rdi; call *%r9; mov %eax, %edi; xor %eax, %eax; mov $60, %al\n"
			 "syscall; hlt; 1: ret; .size f, .-f\n"
			 "g: .cfi_startproc; ret; .cfi_endproc");
	CHECK(x86_64.rows(".text").starts_with("0 " + amd64 + "; 28 thread start if rax=0, else " + amd64 +
					       "; 32 thread start; 38 "));
	const Built arm64 =
		assemble("aarch64-linux-gnu",
			 ".globl f; .type f, %function\nf: mov x8, #220; svc #0; cbnz x0, 1f\n"
			 "mov x29, #0; ldp x1, x0, [sp], #16; blr x1; mov x8, #93; svc #0; 1: ret\n.size f, .-f");
	const std::string row = "cfa=sp ra=x30 x29=same";
	CHECK(arm64.rows(".text").starts_with("0 " + row + "; 8 thread start if x0=0, else " + row +
					      "; 12 thread start; 24 "));
}

TEST_CASE("a child process that has its parent's stack may call, and pop what its parent has pushed")
{
	const std::string pushed = "cfa=rsp+16 ra=[cfa-8] rbp=same rbx=[cfa-16]";
	for (const std::string child :
	     {"mov %r12, %rdi; call *%rbx; hlt", "call g; hlt", "pop %rbx; jmp g", "xor %ebp, %ebp; call g; hlt"}) {
		const Built x86_64 = assemble(
			"x86_64-linux-gnu",
			"f: .cfi_startproc; push %rbx; .cfi_adjust_cfa_offset 8; .cfi_offset rbx, -16\n"
			"mov $56, %eax; syscall; test %rax, %rax; je 1f; pop %rbx; .cfi_remember_state\n"
			".cfi_adjust_cfa_offset -8; .cfi_restore rbx; ret; .cfi_restore_state\n1: " +
				child + "; .cfi_endproc; .balign 16, 0xcc; g: .cfi_startproc; ret; .cfi_endproc");
		CHECK(x86_64.rows(".text").starts_with("0 " + amd64 + "; 1 " + pushed + "; 14 " + amd64 + "; 15 " +
						       pushed));
	}
	const Built arm64 = assemble("aarch64-linux-gnu",
				     "f: .cfi_startproc; mov x8, #220; svc #0; cbz x0, 1f; ret; 1: b g; .cfi_endproc\n"
				     "g: .cfi_startproc; ret; .cfi_endproc");
	CHECK(arm64.rows(".text") == "0 cfa=sp ra=x30 x29=same");
}

TEST_CASE("the C library of this machine makes threads in ways that are known")
{
	const Built at = open_built("/usr/lib/x86_64-linux-gnu/libc.so.6");
	const auto calls = uwind::clone_calls(at.file, at.table, at.table);
	CHECK(calls.size() == 2); // clone() and clone3()
	for (const uwind::CloneCall& call : calls)
		CHECK(uwind::gaps_of(at.table, {call.before, call.either.end + 1}).empty());
}

namespace {

std::uint64_t uncovered(const Built& at, const char* section)
{
	const std::string rows = at.rows(section);
	std::uint64_t count = 0;
	for (const char* word : {" none", " unknown"})
		for (auto found = rows.find(word); found != std::string::npos; found = rows.find(word, found + 1))
			count++;
	INFO(section << ": " << rows);
	CHECK(count == 0);
	return count;
}

} // namespace

// Their places are multiples of 4 only, and no symbol is left.
TEST_CASE("a library's first and last code has rows")
{
	for (const std::string compiler : {"x86_64-linux-gnu-gcc ", "x86_64-linux-gnu-gcc -m32 ",
					   "aarch64-linux-gnu-gcc ", "arm-linux-gnueabihf-gcc "}) {
		const std::string path = "/tmp/uwind-init-" + std::to_string(getpid()) + ".so";
		const std::string command = "echo 'int f(int a) { return a + 1; }' | " + compiler +
					    "-O2 -shared -fPIC -s -o " + path + " -x c -";
		INFO(command);
		REQUIRE(std::system(command.c_str()) == 0);
		const Built at = open_built(path);
		uncovered(at, ".init");
		uncovered(at, ".fini");
		CHECK(unlink(path.c_str()) == 0);
	}
}

// SPDX-License-Identifier: GPL-2.0
// Rows that are read from x86 code: small functions, and whole libraries whose own CFI
// says what is right.
#include <catch2/catch.hpp>
#include <iostream>
#include <unistd.h>

#include "tables/code/functions.h"
#include "tables/code/x86/code.h"
#include "tables/rule_text.h"
#include "unit/tables/code/agreement.h"
#include "unit/tables/lower.h"

using image::operator+;
using uwind::Arch;
using uwind::CodeFunction;
using uwind::Stretch;

namespace {

using Code = std::vector<std::uint8_t>;

// "0 rule; 4 rule; 6 end": of code that lies at 0x1000.
std::string read(const Code& code, const uwind::CodeHints& hints)
{
	const Arch arch = hints.arch;
	std::vector<Stretch> stretches;
	uwind::X86Padding padding;
	uwind::read_code_x86(code, 0x1000, 0, hints, padding, stretches);
	std::string text;
	std::uint32_t end = 0;
	for (const Stretch& stretch : stretches) {
		if (stretch.start > end)
			text += std::to_string(end) + " none; ";
		text += std::to_string(stretch.start) + " " + uwind::rule_text(stretch.rule, arch) + "; ";
		end = stretch.end;
	}
	return text + std::to_string(end) + " end";
}

// The same of one function.
std::string read(const Code& code, Arch arch = Arch::i386)
{
	return read(code, {arch, {{0x1000, code.size()}}, {}});
}

const std::string leaf = "cfa=esp+4 ra=[cfa-4] ebp=same";
const std::string leaf_64 = "cfa=rsp+8 ra=[cfa-8] rbp=same";

} // namespace

TEST_CASE("the function that tells its caller the pc has rows")
{
	// mov (%esp),%ebx; ret
	CHECK(read({0x8b, 0x1c, 0x24, 0xc3}) == "0 " + leaf + "; 3 " + leaf + " ebx=lost; 4 end");
}

TEST_CASE("padding is code where a function begins in it, and nothing elsewhere")
{
	const Code trap = {0x90, 0xcc, 0xcc}; // nop; int3
	CHECK(read(trap, {Arch::x86_64, {{0x1001, 0}}, {}}) == "0 none; 1 " + leaf_64 + "; 2 end");
	CHECK(read(trap, {Arch::x86_64, {}, {}}) == "0 end");
}

TEST_CASE("a frame with a frame pointer, from push to leave")
{
	// push %ebp; mov %esp,%ebp; sub $16,%esp; leave; ret
	CHECK(read({0x55, 0x89, 0xe5, 0x83, 0xec, 0x10, 0xc9, 0xc3}) ==
	      "0 " + leaf + "; 1 cfa=esp+8 ra=[cfa-4] ebp=[cfa-8]; 6 cfa=esp+24 ra=[cfa-4] ebp=[cfa-8]; 7 " + leaf +
		      "; 8 end");
	// The same on amd64.
	CHECK(read({0x55, 0x48, 0x89, 0xe5, 0x48, 0x83, 0xec, 0x10, 0xc9, 0xc3}, Arch::x86_64) ==
	      "0 cfa=rsp+8 ra=[cfa-8] rbp=same; 1 cfa=rsp+16 ra=[cfa-8] rbp=[cfa-16]; "
	      "8 cfa=rsp+32 ra=[cfa-8] rbp=[cfa-16]; 9 cfa=rsp+8 ra=[cfa-8] rbp=same; 10 end");
}

TEST_CASE("a stack pointer that is rounded down is counted from the frame pointer")
{
	// push %ebp; mov %esp,%ebp; and $-16,%esp; leave; ret
	CHECK(read({0x55, 0x89, 0xe5, 0x83, 0xe4, 0xf0, 0xc9, 0xc3}) ==
	      "0 " + leaf + "; 1 cfa=esp+8 ra=[cfa-4] ebp=[cfa-8]; 6 cfa=ebp+8 ra=[cfa-4] ebp=[cfa-8]; 7 " + leaf +
		      "; 8 end");
}

TEST_CASE("where gcc has rounded SP down, a register has the CFA, and then the stack")
{
	// lea 4(%esp),%ecx; and $-16,%esp; push -4(%ecx); push %ebp; mov %esp,%ebp; push %ecx; nop;
	// mov -4(%ebp),%ecx; leave; lea -4(%ecx),%esp; ret
	CHECK(read({0x8d, 0x4c, 0x24, 0x04, 0x83, 0xe4, 0xf0, 0xff, 0x71, 0xfc, 0x55, 0x89,
		    0xe5, 0x51, 0x90, 0x8b, 0x4d, 0xfc, 0xc9, 0x8d, 0x61, 0xfc, 0xc3}) ==
	      "0 " + leaf +
		      "; 7 cfa=ecx ra=[cfa-4] ebp=same; 11 cfa=ecx ra=[cfa-4] ebp=[esp]; 13 cfa=ecx ra=[cfa-4] "
		      "ebp=[ebp]; "
		      "14 cfa=[ebp-4] ra=[cfa-4] ebp=[ebp]; 19 cfa=ecx ra=[cfa-4] ebp=same; 22 " +
		      leaf + "; 23 end");
}

TEST_CASE("what writes AH leaves SP alone")
{
	const std::string deeper = "cfa=rsp+16 ra=[cfa-8] rbp=same; ";
	// push %rax; mov $1,%ah; add %al,%ah; sete %ah; mov %ah,%al; pop %rax; ret
	CHECK(read({0x50, 0xb4, 1, 0x00, 0xc4, 0x0f, 0x94, 0xc4, 0x88, 0xe0, 0x58, 0xc3}, Arch::x86_64) ==
	      "0 " + leaf_64 + "; 1 " + deeper + "11 " + leaf_64 + "; 12 end");
}

TEST_CASE("a call of the next instruction is a push")
{
	// call .+5; pop %eax; ret
	CHECK(read({0xe8, 0, 0, 0, 0, 0x58, 0xc3}) ==
	      "0 " + leaf + "; 5 cfa=esp+8 ra=[cfa-4] ebp=same; 6 " + leaf + "; 7 end");
}

TEST_CASE("code that would return to something else has no rows")
{
	CHECK(read({0x50, 0xc3}) == "0 end");             // push %eax; ret
	CHECK(read({0x58, 0x58, 0xc3}) == "0 end");       // pop %eax; pop %eax; ret
	CHECK(read({0x53, 0x5e, 0x90, 0xc3}) == "0 end"); // push %ebx; pop %esi; nop; ret: EBX is popped elsewhere
	CHECK(read({0x0f, 0x0b}) == "0 " + leaf + "; 2 end");
}

TEST_CASE("a function begins where a call of another goes")
{
	// call f; ret; int3; f: push %ebx; pop %ebx; ret
	const Code code{0xe8, 2, 0, 0, 0, 0xc3, 0xcc, 0x53, 0x5b, 0xc3};
	CHECK(read(code) == "0 " + leaf + "; 6 none; 7 " + leaf + "; 8 cfa=esp+8 ra=[cfa-4] ebp=same ebx=[cfa-8]; 9 " +
				    leaf + "; 10 end");
}

TEST_CASE("where a function begins in what was taken for the middle of another one, nothing is certain from there on")
{
	// f: push %rbx; test; jne 1f; pop %rbx; ret; 1: call die; g: mov; lea; jmp h; die: sub $8; call g; hlt; h: ret
	const Code code{0x53, 0x85, 0xff, 0x75, 0x02, 0x5b, 0xc3, 0xe8, 0x07, 0,    0,    0,    0x89, 0xf8, 0x8d,
			0x77, 0x01, 0xeb, 0x0a, 0x48, 0x83, 0xec, 0x08, 0xe8, 0xf0, 0xff, 0xff, 0xff, 0xf4, 0xc3};
	const std::string pushed = "cfa=rsp+16 ra=[cfa-8] rbp=same rbx=[cfa-16]";
	CHECK(read(code, {Arch::x86_64, {{0x1000, 0}, {0x101d, 0}}, {}}) ==
	      "0 " + leaf_64 + "; 1 " + pushed + "; 6 " + leaf_64 + "; 7 " + pushed + "; 12 none; 19 " + leaf_64 +
		      "; 23 cfa=rsp+16 ra=[cfa-8] rbp=same; 29 " + leaf_64 + "; 30 end");
}

TEST_CASE("a call to the middle of another function, where its frame is as at a beginning, changes nothing")
{
	// h: call g; ret; int3; f: lea; g: lea; ret
	const Code code{0xe8, 5, 0, 0, 0, 0xc3, 0xcc, 0x8d, 0x77, 0x01, 0x8d, 0x77, 0x01, 0xc3};
	CHECK(read(code, {Arch::x86_64, {{0x1000, 0}, {0x1007, 0}}, {}}) ==
	      "0 " + leaf_64 + "; 6 none; 7 " + leaf_64 + "; 14 end");
}

TEST_CASE("what only a computed jump reaches has the frame of that jump")
{
	// push %ebx; jmp *%eax; pop %ebx; ret
	CHECK(read({0x53, 0xff, 0xe0, 0x5b, 0xc3}) ==
	      "0 " + leaf + "; 1 cfa=esp+8 ra=[cfa-4] ebp=same ebx=[cfa-8]; 4 " + leaf + "; 5 end");
	// push %ebx; test; je +5; push %esi; jmp *%eax; jmp *%eax; (pop %esi) pop %ebx; ret: only one frame makes sense
	const std::string two = read({0x53, 0x85, 0xc0, 0x74, 0x03, 0x56, 0xff, 0xe0, 0xff, 0xe0, 0x5e, 0x5b, 0xc3});
	CHECK(two.ends_with(
		"10 cfa=esp+12 ra=[cfa-4] ebp=same ebx=[cfa-8]; 11 cfa=esp+8 ra=[cfa-4] ebp=same ebx=[cfa-8]; 12 " +
		leaf + "; 13 end"));
}

TEST_CASE("where two ways meet, a register that they see differently is lost")
{
	// test; je +2; xor %ebx,%ebx; ret
	CHECK(read({0x85, 0xc0, 0x74, 0x02, 0x31, 0xdb, 0xc3}, Arch::x86_64) ==
	      "0 " + leaf_64 + "; 6 " + leaf_64 + " rbx=lost; 7 end");
	// A loop: nop; again: nop; xor %ebx,%ebx; jne again; ret
	CHECK(read({0x90, 0x90, 0x31, 0xdb, 0x75, 0xfb, 0xc3}, Arch::x86_64) ==
	      "0 " + leaf_64 + "; 1 " + leaf_64 + " rbx=lost; 7 end");
	// The frame pointer: test; je +2; xor %ebp,%ebp; ret
	CHECK(read({0x85, 0xc0, 0x74, 0x02, 0x31, 0xed, 0xc3}, Arch::x86_64) ==
	      "0 " + leaf_64 + "; 6 cfa=rsp+8 ra=[cfa-8] rbp=lost; 7 end");
}

TEST_CASE("a way that comes to what another function has settled takes registers from it, too")
{
	// f: xor %eax,%eax; common: nop; ret; int3; g: xor %ebx,%ebx; jmp common
	const Code code{0x31, 0xc0, 0x90, 0xc3, 0xcc, 0x31, 0xdb, 0xeb, 0xf9};
	CHECK(read(code, {Arch::x86_64, {{0x1000, 0}, {0x1005, 0}}, {}}) ==
	      "0 " + leaf_64 + "; 2 " + leaf_64 + " rbx=lost; 4 none; 5 " + leaf_64 + "; 7 " + leaf_64 +
		      " rbx=lost; 9 end");
}

TEST_CASE("a way that makes no sense takes nothing from what is settled")
{
	// f: xor %eax,%eax; common: nop; ret; int3; g: xor %ebx,%ebx; test; je common; push %rax; ret
	const Code code{0x31, 0xc0, 0x90, 0xc3, 0xcc, 0x31, 0xdb, 0x85, 0xc0, 0x74, 0xf7, 0x50, 0xc3};
	CHECK(read(code, {Arch::x86_64, {{0x1000, 0}, {0x1005, 0}}, {}}) == "0 " + leaf_64 + "; 4 end");
}

TEST_CASE("a function that two paths see differently has no rows")
{
	// test; je +1; push %ebx; nop; hlt
	CHECK(read({0x85, 0xc0, 0x74, 0x01, 0x53, 0x90, 0xf4}) == "0 end");
}

TEST_CASE("code that nobody is known to call has no rows")
{
	CHECK(read({0xc3, 0xcc, 0x53, 0x5b, 0xc3}) == "0 " + leaf + "; 1 end");
}

TEST_CASE("no function begins inside of an instruction of one that has no rows")
{
	// test; je +1; push %ebx; nop (12 times); mov $0xc35b9053,%eax; hlt: the constant is push, nop, pop, ret
	Code code{0x85, 0xc0, 0x74, 0x01, 0x53};
	code = code + Code(10, 0x90) + Code{0xb8, 0x53, 0x90, 0x5b, 0xc3, 0xf4};
	REQUIRE(code[16] == 0x53);
	CHECK(read(code, {Arch::i386, {{0x1000, 0}}, {}}) == "0 end");
}

TEST_CASE("no function begins inside of another one whose end is known")
{
	// int3 (16); ret; int3 (15); push %ebx; nop; pop %ebx; ret
	const Code code = Code(16, 0xcc) + Code{0xc3} + Code(15, 0xcc) + Code{0x53, 0x90, 0x5b, 0xc3};
	const auto rows = [&](std::uint64_t bytes, bool begins) {
		return read(code, {Arch::i386, {{0x1010, bytes, true, begins}}, {}});
	};
	CHECK(rows(1, true).find("32 " + leaf) != std::string::npos);
	CHECK(rows(20, true).find("32 ") == std::string::npos);
	CHECK(rows(36, false) == "0 end"); // a part of another one
	// One that begins before the stretch.
	CodeFunction before{0xf00, 0x200};
	before.reach = 0x1100;
	CHECK(read(code, {Arch::i386, {before}, {}}) == "0 end");
}

TEST_CASE("a symbol's size keeps functions from beginning in it, and its split-off part is not one")
{
	const auto rows = [](std::uint64_t bytes, const char* name) {
		using namespace image;
		Elf64_Sym symbol{};
		symbol.st_name = 1;
		symbol.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC);
		symbol.st_shndx = 1;
		symbol.st_value = text_address;
		symbol.st_size = bytes;
		const auto* raw = reinterpret_cast<const std::uint8_t*>(&symbol);
		const ByteVector names = ByteVector(1) + ByteVector(name, name + std::strlen(name) + 1);
		// ret; int3 …; push %rbx; nop; pop %rbx; ret
		const ByteVector code = ByteVector{0xc3} + ByteVector(15, 0xcc) + ByteVector{0x53, 0x90, 0x5b, 0xc3};
		Image file = Image().code(0, code, ".text");
		file.section(".strtab", names, SHT_STRTAB);
		file.section(".symtab", ByteVector(raw, raw + sizeof(symbol)), SHT_SYMTAB);
		return text_of(lower(file), Arch::x86_64);
	};
	CHECK(rows(1, "f").starts_with("0 " + leaf_64 + "; 1 none; 16 " + leaf_64));
	CHECK(rows(20, "f") == "0 " + leaf_64 + "; 1 none");
}

TEST_CASE("what is aligned, behind the last known function, and returns well is a function")
{
	const auto read_behind = [](Code function) {
		Code code(16, 0xcc);
		code[0] = 0xc3;
		code.insert(code.end(), function.begin(), function.end());
		std::vector<Stretch> stretches;
		uwind::X86Padding padding;
		uwind::read_code_x86(code, 0x1000, 0, {Arch::i386, {{0x1000, 1}}, {}}, padding, stretches);
		std::string text;
		for (const Stretch& stretch : stretches)
			text += std::to_string(stretch.start) + "-" + std::to_string(stretch.end) + " ";
		return text;
	};
	CHECK(read_behind({0x53, 0x90, 0x5b, 0xc3}) == "0-1 16-17 17-19 19-20 "); // push %ebx; nop; pop %ebx; ret
	CHECK(read_behind({0x53, 0x5b, 0xeb, 0xec}) ==
	      "0-1 16-17 17-18 18-20 ");                        // push %ebx; pop %ebx; jmp to the first one
	CHECK(read_behind({0x53, 0xeb, 0xed}) == "0-1 ");       // with something on the stack
	CHECK(read_behind({0x5b, 0xc3}) == "0-1 ");             // the end of another one
	CHECK(read_behind({0x53, 0xeb, 0xfd}) == "0-1 ");       // does not return
	CHECK(read_behind({0xcc, 0x53, 0x5b, 0xc3}) == "0-1 "); // not aligned
}

TEST_CASE("a call with padding behind it does not return")
{
	// push %eax; call elsewhere; nop; ret
	CHECK(read({0x50, 0xe8, 0, 1, 0, 0, 0x90, 0xc3}) == "0 " + leaf + "; 1 cfa=esp+8 ra=[cfa-4] ebp=same; 6 end");
}

TEST_CASE("code that is followed in vain again and again is given up")
{
	// jmp *%eax; inc %eax …; push %eax; ret: each aligned place could be the jump's, and none is.
	Code code(200'000, 0x40);
	code[0] = 0xff, code[1] = 0xe0;
	code[code.size() - 2] = 0x50, code.back() = 0xc3;
	CHECK(read(code) == "0 " + leaf + "; 2 end");
}

TEST_CASE("behind a call of a function that is known not to return there is another function's code")
{
	// push %rax; call 0x2000; g: push %rbx; nop; pop %rbx; ret
	const Code code{0x50, 0xe8, 0xfa, 0x0f, 0, 0, 0x53, 0x90, 0x5b, 0xc3};
	CHECK(read(code, {Arch::x86_64, {{0x1000, 0}, {0x1006, 0}}, {0x2000}}).starts_with("0 " + leaf_64));
	CHECK(read(code, {Arch::x86_64, {{0x1000, 0}}, {0x2000}}) ==
	      "0 " + leaf_64 + "; 1 cfa=rsp+16 ra=[cfa-8] rbp=same; 6 end");
}

TEST_CASE("no rows of a path that comes to what is no instruction, or runs out of the code")
{
	CHECK(read({0x90, 0xe8, 0, 0}) == "0 end");
	CHECK(read({0x90, 0x90, 0x90}) == "0 end");
	CHECK(read({0x90, 0xeb, 0x01, 0x90, 0x90}) == "0 end");
	// test; je +1; ret; nop and the end: the one that returns has rows.
	CHECK(read({0x85, 0xc0, 0x74, 0x01, 0xc3, 0x90}) == "0 " + leaf + "; 5 end");
	// It goes on for ever.
	CHECK(read({0x90, 0xeb, 0xfd}) == "0 " + leaf + "; 3 end");
	// Written by hand: f: xor %eax,%eax; g: ret
	CHECK(read({0x31, 0xc0, 0xc3}, {Arch::i386, {{0x1000, 2}, {0x1002, 1}}, {}}) == "0 " + leaf + "; 3 end");
	CHECK(read({}) == "0 end");
	CHECK(read(Code(uwind::max_read_x86_bytes + 1, 0x90)) == "0 end");
}

TEST_CASE("text that was blanked has no rows, and code around it keeps its own")
{
	// Functions of 32 bytes: push %rbx; nop; pop %rbx; ret; int3 …
	const Code function = Code{0x53, 0x90, 0x5b, 0xc3} + Code(28, 0xcc);
	Code code;
	std::vector<CodeFunction> functions;
	for (std::uint64_t i = 0; i < 16; i++) {
		functions.push_back({0x1000 + i * 32, 4});
		code = code + function;
	}
	const auto first_rows = [&] { return read(code, {Arch::x86_64, functions, {}}); };
	const std::string whole = first_rows();
	std::fill(code.begin() + 128, code.begin() + 384, std::uint8_t{0});
	const std::string text = first_rows();
	const auto cut = whole.find("100 none; 128 "), behind = whole.find("384 ");
	REQUIRE((cut != std::string::npos && behind != std::string::npos));
	CHECK(text == whole.substr(0, cut) + "100 none; " + whole.substr(behind));
	CHECK(read(Code(4096), Arch::x86_64) == "0 end");
	CHECK(read(Code(4096), Arch::i386) == "0 end");
	// From the middle on.
	CHECK(read(Code{0x53, 0x90, 0x90} + Code(61), Arch::x86_64) == "0 end");
}

// Whatever it was blanked with: a function that is known follows.
TEST_CASE("text that was blanked has no rows up to where the next function begins")
{
	const Code function = {0x53, 0x90, 0x5b, 0xc3};
	const std::string rows =
		"80 " + leaf_64 + "; 81 cfa=rsp+16 ra=[cfa-8] rbp=same rbx=[cfa-16]; 83 " + leaf_64 + "; 84 end";
	for (const std::uint8_t filler : {0x00, 0x20, 0x3f, 0x41, 0xaa, 0xf4, 0xf6, 0xff}) {
		CAPTURE(filler);
		const Code code = Code(64, filler) + Code(16, 0x90) + function;
		CHECK(read(code, {Arch::x86_64, {{0x1000, 64}, {0x1050, 4}}, {}}) == "0 none; " + rows);
		CHECK(read(code, {Arch::x86_64, {{0x1050, 4}}, {}}) == "0 none; " + rows);
	}
}

// Every second function of a library, by its symbols.
TEST_CASE("blanked functions of a stock library have no rows")
{
	const std::string path = "/usr/lib/x86_64-linux-gnu/libz.so.1";
	if (access(path.c_str(), R_OK) != 0) {
		WARN(path << " is absent: not read");
		return;
	}
	const uwind::UniqueFd fd(open(path.c_str(), O_RDONLY));
	const auto file = uwind::ElfFile::open(fd.get());
	REQUIRE(file);
	const auto text = file->section(".text");
	REQUIRE((text && *text));
	const std::uint64_t start = (*text)->address, end = start + (*text)->bytes.size();
	std::vector<CodeFunction> functions = uwind::function_extents(*file);
	std::erase_if(functions, [&](const CodeFunction& function) {
		return function.start < start || function.start + function.bytes > end || function.bytes < 16;
	});
	std::sort(functions.begin(), functions.end(),
		  [](const CodeFunction& left, const CodeFunction& right) { return left.start < right.start; });
	for (const std::uint8_t filler : {0x00, 0x3f, 0xf6, 0xff}) {
		Code code((*text)->bytes.begin(), (*text)->bytes.end());
		std::uint64_t blanked = 0, with_rows = 0;
		std::vector<bool> is_blanked(code.size());
		for (std::size_t i = 0; i < functions.size(); i += 2)
			for (std::uint64_t at = functions[i].start - start;
			     at < functions[i].start - start + functions[i].bytes; at++) {
				code[at] = filler;
				is_blanked[at] = true;
			}
		std::vector<Stretch> stretches;
		uwind::X86Padding padding;
		uwind::read_code_x86(code, start, 0, {Arch::x86_64, functions, {}}, padding, stretches);
		for (const Stretch& stretch : stretches)
			for (std::uint32_t at = stretch.start; at < stretch.end; at++)
				with_rows += is_blanked[at];
		for (const bool is : is_blanked)
			blanked += is;
		std::cout << "blanked with " << unsigned{filler} << ": rows at " << with_rows << " of " << blanked
			  << " bytes\n";
		CHECK(blanked > 10000);
		CHECK(with_rows == 0);
	}
}

TEST_CASE("an i386 function whose CFI says nothing of what it pushes is read")
{
	const std::string library = "/tmp/uwind-silent-" + std::to_string(getpid()) + ".so";
	// push %eax; nop; pop %eax; ret. And the same with true CFI.
	const std::string source = ".cfi_startproc; push %eax; nop; pop %eax; ret; .cfi_endproc; "
				   ".cfi_startproc; push %eax; .cfi_adjust_cfa_offset 4; nop; pop %eax; "
				   ".cfi_adjust_cfa_offset -4; ret; .cfi_endproc";
	REQUIRE(std::system(("printf '%s\\n' '" + source +
			     "' | x86_64-linux-gnu-gcc -m32 -shared -nostdlib -x assembler -o " + library + " -")
				    .c_str()) == 0);
	const uwind::UniqueFd fd(open(library.c_str(), O_RDONLY));
	const auto file = uwind::ElfFile::open(fd.get());
	REQUIRE(file);
	const auto table = uwind::rows_of_file(*file);
	REQUIRE(table);
	const auto text = file->section(".text");
	REQUIRE((text && *text));
	for (const std::uint64_t function : {(*text)->offset, (*text)->offset + 4}) {
		const auto rule = [&](std::uint64_t at) {
			return uwind::rule_text(
				uwind::code_agreement::rule_at(*table, static_cast<std::uint32_t>(function + at)),
				Arch::i386);
		};
		CHECK(rule(0) == leaf);
		CHECK(rule(1) == "cfa=esp+8 ra=[cfa-4] ebp=same");
		CHECK(rule(3) == leaf);
	}
	CHECK(unlink(library.c_str()) == 0);
}

TEST_CASE("amd64 code that is read agrees with the CFI of stock libraries")
{
	for (const char* name :
	     {"libm.so.6", "libgcc_s.so.1", "ld-linux-x86-64.so.2", "libz.so.1", "liblzma.so.5", "libreadline.so.8"}) {
		const std::string path = std::string("/usr/lib/x86_64-linux-gnu/") + name;
		if (access(path.c_str(), R_OK) != 0) {
			WARN(path << " is absent: not compared");
			continue;
		}
		const auto agreement = uwind::code_agreement::compare(path);
		CAPTURE(name, agreement.equal, agreement.different, agreement.unread, agreement.first);
		uwind::code_agreement::print_figure("amd64", name, "bytes", agreement);
		const std::uint64_t all = agreement.equal + agreement.different + agreement.unread;
		CHECK(agreement.different * 2000 < all);
		CHECK(agreement.equal > 10000);
	}
}

TEST_CASE("stretches that are padding are known by their length and all of their bytes")
{
	const Code nops(5, 0x90), other = {0x90, 0x90, 0x90, 0x90, 0xc3}, longer(6, 0x90);
	uwind::X86Padding padding;
	CHECK_FALSE(padding.has(nops));
	padding.add(nops);
	CHECK(padding.has(nops));
	CHECK_FALSE(padding.has(other));
	CHECK_FALSE(padding.has(longer));
	const Code traps(5, 0xcc);
	padding.add(traps);
	CHECK(padding.has(traps));
	CHECK_FALSE(padding.has(nops));
}

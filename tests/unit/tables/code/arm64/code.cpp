// SPDX-License-Identifier: GPL-2.0
// Rows that are read from arm64 code: small functions, and whole libraries whose
// own CFI says what is right.
#include <fcntl.h>
#include <fstream>
#include <unistd.h>

#include "tables/code/code.h"
#include "tables/isa/arm64/instruction.h"
#include "unit/core/world.h"
#include "unit/tables/assembled.h"
#include "unit/tables/code/agreement.h"
#include "unit/tables/lower.h"

extern "C" {
#include "types.h"
}

using namespace image;
using assembled::text_rows;
using uwind::Arch;
using uwind::Rule;
using uwind::Stretch;
using uwind::TableRows;

namespace {

// Instructions.
constexpr std::uint32_t ret = 0xd65f03c0, nop = 0xd503201f, add = 0x8b010000;
constexpr std::uint32_t push_pair = 0xa9be7bfd;     // stp x29, x30, [sp, #-32]!
constexpr std::uint32_t pop_pair = 0xa8c27bfd;      // ldp x29, x30, [sp], #32
constexpr std::uint32_t set_fp = 0x910003fd;        // mov x29, sp
constexpr std::uint32_t grow = 0xd10043ff;          // sub sp, sp, #16
constexpr std::uint32_t shrink = 0x910043ff;        // add sp, sp, #16
constexpr std::uint32_t grow_by_x1 = 0xcb2163ff;    // sub sp, sp, x1
constexpr std::uint32_t sp_from_fp = 0x910003bf;    // mov sp, x29
constexpr std::uint32_t call_register = 0xd63f0020; // blr x1
constexpr std::uint32_t jump_register = 0xd61f0020; // br x1
constexpr std::uint32_t store_link = 0xf81f0ffe;    // str x30, [sp, #-16]!
constexpr std::uint32_t load_link = 0xf84107fe;     // ldr x30, [sp], #16
constexpr std::uint32_t fp_general = 0xaa0103fd;    // mov x29, x1

std::uint32_t branch(int words)
{
	return 0x14000000 | (static_cast<std::uint32_t>(words) & 0x3ffffff);
}

std::uint32_t branch_if(int words)
{
	return 0xb4000000 | (static_cast<std::uint32_t>(words) & 0x7ffff) << 5; // cbz x0
}

// Rows of code that fills a section; "; " between rows.
std::string read(std::initializer_list<std::uint32_t> words)
{
	ByteVector bytes;
	for (const std::uint32_t word : words)
		put(bytes, word, 4);
	return text_of(lower(Image(Arch::arm64).code(0, bytes, ".text")), Arch::arm64);
}

const std::string leaf = "cfa=sp ra=x30 x29=same";
const std::string pair = "cfa=sp+32 ra=[cfa-24] x29=[cfa-32]";

} // namespace

TEST_CASE("a leaf's return address is in the link register from end to end")
{
	CHECK(read({add, add, ret}) == "0 " + leaf + "; 12 none");
}

TEST_CASE("text that was blanked and code that runs out of the section prove nothing")
{
	const std::uint32_t call = 0x94000003; // bl: three words on
	const std::string frame = "0 " + leaf + "; 4 cfa=sp+16 ra=[cfa-16] x29=same; 12 " + leaf;
	CHECK(read({store_link, call, load_link, ret, 0, 0, 0}) == frame + "; 16 none");
	CHECK(read({store_link, call, load_link, ret, add, add, 0}) == frame + "; 16 none");
	CHECK(read({store_link, call, load_link, ret, add, add}) == frame + "; 16 none");
	CHECK(read({store_link, call, load_link, ret, add, 0x02000000}) == frame + "; 16 none"); // reserved
	// What returns on one way has rows, and so has what traps, or never ends.
	CHECK(read({store_link, call, load_link, ret, branch_if(2), ret, 0}) == frame + "; 24 none");
	CHECK(read({store_link, call, load_link, ret, add, 0xd4200000}) == frame + "; 24 none"); // brk
	CHECK(read({store_link, call, load_link, ret, add, branch(-1)}) == frame + "; 24 none");
}

TEST_CASE("less code than one instruction has no rows")
{
	const auto bytes = Image(Arch::arm64).code(0, ByteVector(3), ".text").build();
	const auto file = uwind::ElfFile::from_bytes(bytes);
	REQUIRE(file);
	CHECK(uwind::code_stretches(*file, TableRows{}).empty());
}

TEST_CASE("a function's prologue and epilogue are followed instruction by instruction")
{
	CHECK(read({push_pair, set_fp, call_register, pop_pair, ret}) ==
	      "0 " + leaf + "; 4 " + pair + "; 16 " + leaf + "; 20 none");
	CHECK(read({store_link, call_register, load_link, ret}) ==
	      "0 " + leaf + "; 4 cfa=sp+16 ra=[cfa-16] x29=same; 12 " + leaf + "; 16 none");
	CHECK(read({grow, add, shrink, ret}) ==
	      "0 " + leaf + "; 4 cfa=sp+16 ra=x30 x29=same; 12 " + leaf + "; 16 none");
}

TEST_CASE("a link register that was saved and never changed needs not be loaded again")
{
	constexpr std::uint32_t load_fp = 0xf84207fd; // ldr x29, [sp], #32
	CHECK(read({push_pair, set_fp, add, load_fp, ret}) ==
	      "0 " + leaf + "; 4 " + pair + "; 16 " + leaf + "; 20 none");
	CHECK(read({push_pair, set_fp, branch_if(2), call_register, load_fp, ret}) ==
	      "0 " + leaf + "; 4 " + pair + "; 20 none");
}

TEST_CASE("where SP is moved by a register, FP is the base")
{
	const std::string by_fp = "cfa=x29+32 ra=[cfa-24] x29=[cfa-32]";
	CHECK(read({push_pair, set_fp, grow_by_x1, call_register, sp_from_fp, pop_pair, ret}) ==
	      "0 " + leaf + "; 4 " + pair + "; 12 " + by_fp + "; 20 " + pair + "; 24 " + leaf + "; 28 none");
}

TEST_CASE("an arm64 frame may have a size that is loaded into a register")
{
	constexpr std::uint32_t size = 0xd289c60c, grow_by_size = 0xcb2c63ff,
				shrink_by_size = 0x8b2c63ff; // mov x12, #20016
	constexpr std::uint32_t size_high = 0xf2a0002c;      // movk x12, #1, lsl #16
	constexpr std::uint32_t forget = 0x9e66000c;         // fmov x12, d0
	CHECK(read({size, grow_by_size, add, size, shrink_by_size, ret}) ==
	      "0 " + leaf + "; 8 cfa=sp+20016 ra=x30 x29=same; 20 " + leaf + "; 24 none");
	CHECK(read({size, size_high, grow_by_size, add, shrink_by_size, ret}) ==
	      "0 " + leaf + "; 12 cfa=sp+85552 ra=x30 x29=same; 20 " + leaf + "; 24 none");
	for (const std::uint32_t between : {forget, call_register, add | 12})
		CHECK(read({store_link, size, between, grow_by_size, add, ret}) ==
		      "0 " + leaf + "; 4 cfa=sp+16 ra=[cfa-16] x29=same; 16 none");
}

TEST_CASE("an arm64 call behind which a frame is begun does not return")
{
	CHECK(read({push_pair, call_register, grow, add, shrink, ret}) ==
	      "0 " + leaf + "; 4 " + pair + "; 8 " + leaf + "; 12 cfa=sp+16 ra=x30 x29=same; 20 " + leaf + "; 24 none");
}

TEST_CASE("code that cannot be followed has no row")
{
	CHECK(read({grow_by_x1, add, ret, nop, add, ret}) == "0 " + leaf + "; 4 none; 16 " + leaf + "; 24 none");
	CHECK(read({call_register, add, ret, nop, add, ret}) == "16 " + leaf + "; 24 none"); // the way back is lost
}

TEST_CASE("FP used as a general register is lost to the caller")
{
	CHECK(read({fp_general, add, ret}) == "0 " + leaf + "; 4 cfa=sp ra=x30 x29=lost; 12 none");
}

TEST_CASE("a branch takes its frame along, forwards and backwards")
{
	// if (x0 == 0) goto the leaf's end; push, call, pop.
	CHECK(read({branch_if(4), push_pair, call_register, pop_pair, ret}) ==
	      "0 " + leaf + "; 8 " + pair + "; 16 " + leaf + "; 20 none");
	// A loop whose body is reached from below only.
	CHECK(read({push_pair, branch(3), add, add, branch_if(-2), pop_pair, ret}) ==
	      "0 " + leaf + "; 4 " + pair + "; 24 " + leaf + "; 28 none");
}

TEST_CASE("an arm64 function two of whose ways disagree, or that returns with a frame, has no rows")
{
	CHECK(read({branch_if(2), push_pair, add, add, ret, nop, add, ret}) == "24 " + leaf + "; 32 none");
	CHECK(read({push_pair, set_fp, add, ret, nop, add, ret}) == "20 " + leaf + "; 28 none");
}

TEST_CASE(
	"an arm64 function ends where its symbol says, if its last instruction is a call, or calls what never returns")
{
	// f ends with a call; h follows, which nobody calls.
	const std::string calls_abort = "bl abort\n.size f, .-f\nh: add w0, w0, #1\nldr w0, [x1]\nret\n";
	const std::string f = ".globl f\n.type f, %function\nf: stp x29, x30, [sp, #-32]!\ncbz x0, 1f\n"
			      "ldp x29, x30, [sp], #32\nret\n1: mov w0, #1\n";
	const std::string rows = "0-4 " + leaf + "; 4-12 " + pair + "; 12-16 " + leaf + "; 16-24 " + pair + "; ";
	CHECK(assembled::stretches_of("aarch64-linux-gnu", f + calls_abort, &text_rows) == rows + "24-36 " + leaf);
	// Without a size: abort is a function of this file, and a block that another way leads to follows.
	CHECK(assembled::stretches_of("aarch64-linux-gnu",
				      f + "bl abort\nh: add w0, w0, #1\nret\n.globl abort\n.hidden abort\n"
					  ".type abort, %function\nabort: brk #1",
				      &text_rows) == rows + "24-36 " + leaf);
	// What is not known to be the last call leads on to where it cannot.
	CHECK(assembled::stretches_of("aarch64-linux-gnu",
				      f + "blr x1\nh: add w0, w0, #1\nret\n.globl g\n.type g, %function\ng: ret",
				      &text_rows) == "32-36 " + leaf);
}

TEST_CASE("inside of an arm64 function whose size is known no other begins")
{
	// What only an exception reaches may have any frame.
	const std::string f = ".globl f\n.type f, %function\nf: stp x29, x30, [sp, #-32]!\nblr x1\n"
			      "ldp x29, x30, [sp], #32\nret\nadd w0, w0, #1\nbrk #1\n";
	const std::string rows = "0-4 " + leaf + "; 4-12 " + pair + "; 12-16 " + leaf;
	CHECK(assembled::stretches_of("aarch64-linux-gnu", f + ".size f, .-f\nadd w0, w0, #1\nret", &text_rows) ==
	      rows + "; 24-32 " + leaf);
	CHECK(assembled::stretches_of("aarch64-linux-gnu", f, &text_rows) ==
	      "0-4 " + leaf + "; 4-12 " + pair + "; 12-24 " + leaf);
}

TEST_CASE("a function begins where a call goes, and behind what never falls through")
{
	constexpr std::uint32_t call_third = 0x94000003; // bl +12
	CHECK(read({push_pair, call_third, pop_pair, ret, add, ret}) ==
	      "0 " + leaf + "; 4 " + pair + "; 12 " + leaf + "; 24 none");
}

TEST_CASE("arm64 paths with and without a frame pointer agree once it is restored")
{
	CHECK(read({branch_if(5), push_pair, set_fp, call_register, pop_pair, ret}) ==
	      "0 " + leaf + "; 8 " + pair + "; 20 " + leaf + "; 24 none");
}

TEST_CASE("where an arm64 computed jump leads holds the frame of the jump")
{
	const std::initializer_list<std::uint32_t> blocks = {push_pair, set_fp, jump_register, add,
							     pop_pair,  ret,    add,           branch(-3)};
	CHECK(read(blocks) == "0 " + leaf + "; 4 " + pair + "; 20 " + leaf + "; 24 " + pair + "; 32 none");
	// Behind them another function, which nobody calls directly, and one more.
	CHECK(read({push_pair, set_fp, jump_register, add, pop_pair, ret, store_link, call_register, load_link, ret,
		    add, ret}) == "0 " + leaf + "; 4 " + pair + "; 20 " + leaf +
					  "; 28 cfa=sp+16 ra=[cfa-16] x29=same; 36 " + leaf + "; 48 none");
	// A loop whose body lies before the jump.
	CHECK(read({push_pair, branch(3), add, branch(1), jump_register, pop_pair, ret}) ==
	      "0 " + leaf + "; 4 " + pair + "; 24 " + leaf + "; 28 none");
}

TEST_CASE("where an arm64 computed jump leads has no row if its frame is not certain")
{
	constexpr std::uint32_t trap = 0xd4200020; // brk #1
	// Nothing shows what is on the stack.
	CHECK(read({push_pair, set_fp, jump_register, add, trap, nop, add, ret}) ==
	      "0 " + leaf + "; 4 " + pair + "; 12 none; 24 " + leaf + "; 32 none");
	// Both jumps' frames can be undone so.
	CHECK(read({push_pair, set_fp, branch_if(2), jump_register, grow, jump_register, sp_from_fp, pop_pair, ret}) ==
	      "0 " + leaf + "; 4 " + pair + "; 20 cfa=sp+48 ra=[cfa-24] x29=[cfa-32]; 24 none");
	// A block that calls is no function, and the frame is too small for what it pops.
	CHECK(read({store_link, jump_register, call_register, pop_pair, ret}) ==
	      "0 " + leaf + "; 4 cfa=sp+16 ra=[cfa-16] x29=same; 8 none");
}

TEST_CASE("arm64 code that is read agrees with the CFI of stock libraries")
{
	for (const char* name : {"libc.so.6", "libgcc_s.so.1", "libstdc++.so.6", "ld-linux-aarch64.so.1"}) {
		const std::string path = std::string("/usr/aarch64-linux-gnu/lib/") + name;
		if (access(path.c_str(), R_OK) != 0) {
			WARN(path << " is absent: not compared");
			continue;
		}
		const auto agreement = uwind::code_agreement::compare(path);
		CAPTURE(name, agreement.equal, agreement.different, agreement.unread, agreement.first);
		uwind::code_agreement::print_figure("arm64", name, "instructions", agreement);
		const std::uint64_t all = agreement.equal + agreement.different + agreement.unread;
		// What differs are parts of functions that only exceptions and jump tables reach.
		CHECK(agreement.different * 200 < all);
		CHECK(agreement.unread * 2 < all);
	}
}

// As clang 14 writes it: behind mov x29, sp only.
TEST_CASE("an arm64 function that never returns is read where its CFI comes late")
{
	constexpr std::uint32_t trap = 0xd4200020; // brk #1
	ByteVector code;
	for (const std::uint32_t word : {push_pair, set_fp, call_register, trap, grow, call_register, trap})
		put(code, word, 4);
	const auto lowered = [&code](const ByteVector& first) {
		Image file(Arch::arm64);
		CfiText cfi(file.next_address());
		const auto cie = cfi.cie(arm64_cie());
		cfi.fde(cie, text_address, 16, first);
		cfi.fde(cie, text_address + 16, 12, {0x41, 0x0e, 48}); // is believed
		return text_of(lower(file.section(".eh_frame", cfi.bytes()).code(0, code, ".text")), Arch::arm64);
	};
	const std::string second = "16 " + leaf + "; 20 cfa=sp+48 ra=x30 x29=same; 28 none";
	CHECK(lowered({0x42, 0x0c, 29, 32, 0x80 | 30, 3, 0x80 | 29, 4}) == "0 " + leaf + "; 4 " + pair + "; " + second);
	CHECK(lowered({0x41, 0x0e, 64}) == "0 " + leaf + "; 4 cfa=sp+64 ra=x30 x29=same; " + second);
}

// clang 14's .eh_frame is good for calls only.
TEST_CASE("arm64 functions whose CFI does not say how their frames are undone are read")
{
	const std::string name = "/tmp/uwind-arm64-" + std::to_string(getpid());
	std::ofstream(name + ".c")
		<< "int out(int *);\nint f(int a) { int x[4] = {a}; return a > 3 ? out(x) + 1 : out(x + 1) * 2; }\n"
		   "int g(int a) { return f(a) + f(a + 1); }\nint leaf(int a) { return a * 3; }\n";
	for (const char* optimisation : {"-O0", "-O1", "-O2", "-Os"}) {
		INFO(optimisation);
		const std::string command =
			std::string("clang-14 --target=aarch64-linux-gnu -fPIC -shared -nostdlib ") + optimisation +
			" -o " + name + ".so " + name + ".c";
		REQUIRE(std::system(command.c_str()) == 0);
		const uwind::UniqueFd fd(open((name + ".so").c_str(), O_RDONLY));
		const auto file = uwind::ElfFile::open(fd.get());
		REQUIRE(file);
		const auto rows = uwind::rows_of_file(*file);
		const auto text = file->section(".text");
		REQUIRE((rows && text && *text));
		int returns = 0;
		for (std::uint32_t at = 0; at < (*text)->bytes.size(); at += 4) {
			if (uwind::flow_arm64(uwind::word_at((*text)->bytes, at)).way != uwind::Arm64Way::leave)
				continue;
			const auto offset = static_cast<std::uint32_t>((*text)->offset + at);
			CHECK(uwind::rule_text(uwind::code_agreement::rule_at(*rows, offset), Arch::arm64) ==
			      "cfa=sp ra=x30 x29=same");
			returns++;
		}
		CHECK(returns >= 3);
	}
	CHECK(unlink((name + ".so").c_str()) == 0);
	CHECK(unlink((name + ".c").c_str()) == 0);
}

namespace {

// As clang writes it: what is pushed is said where all of it is.
const std::string late_prologue = ".cfi_startproc\n"
				  "stp x29, x30, [sp, #-32]!\n"
				  "stp x20, x19, [sp, #16]\n"
				  "mov x29, sp\n"
				  ".cfi_def_cfa w29, 32\n.cfi_offset w19, -8\n.cfi_offset w20, -16\n"
				  ".cfi_offset w30, -24\n.cfi_offset w29, -32\n";

} // namespace

// bionic's __libc_init(): it is called, but nobody wants to see by whom.
TEST_CASE("an arm64 function that says it has no caller has none, whatever else of its CFI is not believed")
{
	CHECK(assembled::stretches_of("aarch64-linux-gnu",
				      late_prologue + "mov x19, x2\n.cfi_undefined x30\nblr x1\nblr x19\nbrk #1\n"
						      ".cfi_endproc\nnop\nret",
				      &text_rows) ==
	      "0-4 " + leaf + "; 4-16 " + pair + "; 16-28 outermost; 32-36 " + leaf);
}

// The recorded stacks that this was seen in: what bionic's start left in the link register lies above.
TEST_CASE("a stack ends in an arm64 function that says it has no caller")
{
	core::Rows rows;
	static std::vector<Stretch> lowered;
	assembled::stretches_of("aarch64-linux-gnu",
				late_prologue + "mov x19, x2\n.cfi_undefined x30\nblr x1\nbrk #1\n.cfi_endproc",
				[](const uwind::ElfFile& file) { return lowered = text_rows(file); });
	constexpr std::uint64_t text = 0x400000, stack = 0x7ffe0000;
	for (const Stretch& stretch : lowered) {
		uw_rule rule;
		static_assert(sizeof(rule) == sizeof(stretch.rule));
		std::memcpy(&rule, &stretch.rule, sizeof(rule));
		rows.push_back({stretch.start - lowered.front().start, rule});
	}
	core::World world(UW_ARCH_ARM64);
	world.code(text, text + 24, rows).code(text + 0x100, text + 0x200, {{0, core::arm64_leaf(0)}});
	world.pc(text + 0x100).sp(stack).fp(stack).reg(UW_ARM64_LR, text + 20);
	world.words(stack, {0, text + 0x110, 0, 0}); // the stale return address is executable
	const core::Walked walked = world.walk();
	CHECK(walked.stop == UW_STOP_OUTERMOST);
	CHECK(walked.frames.size() == 2);
}

TEST_CASE("behind such a stretch an arm64 function is the same as before it")
{
	CHECK(assembled::stretches_of("aarch64-linux-gnu",
				      late_prologue + ".cfi_remember_state\n.cfi_undefined x30\nblr x1\n"
						      ".cfi_restore_state\nldp x20, x19, [sp, #16]\n"
						      "ldp x29, x30, [sp], #32\nret\n.cfi_endproc",
				      &text_rows) ==
	      "0-4 " + leaf + "; 4-12 " + pair + "; 12-16 outermost; 16-24 " + pair + "; 24-28 " + leaf);
}

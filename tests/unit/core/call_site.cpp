// SPDX-License-Identifier: GPL-2.0
// What lies before a return address, and walks that begin, or go on, where nothing is executable.
#include <catch2/catch.hpp>
#include <fcntl.h>
#include <unistd.h>

#include "base/handle.h"
#include "elf/file.h"
#include "tables/isa/arm64/instruction.h"
#include "tables/isa/x86/instruction.h"
#include "unit/core/world.h"

extern "C" {
#include "call_site.h"
}

using namespace core;

namespace {

constexpr u64 text = 0x400000;
constexpr u64 stack = 0x7ffe0000;

using Code = std::vector<u8>;

// A port that sees some code at text, without rows, and nothing else.
struct CodePort {
	CodePort(uw_arch arch, const u8* bytes, std::size_t count)
	    : code{text, text + count, 0, nullptr, 1, UW_METHOD_NONE}, slice{text, count, bytes}
	{
		port.code = &code;
		port.nr_codes = 1;
		port.slices = &slice;
		port.nr_slices = 1;
		port.word_bytes = uw_abis[arch].word;
	}
	uw_port_code code;
	uw_port_slice slice;
	uw_port port{};
};

// Does a call end where this code ends?
bool calls(uw_arch arch, const Code& end, u64 thumb = 0)
{
	Code code(16 - end.size(), 0x90);
	code.insert(code.end(), end.begin(), end.end());
	code.resize(32, 0x90);
	CodePort at(arch, code.data(), code.size());
	const uw_stop stop = uw_call_site_check(&at.port, arch, text + 16 + thumb);
	REQUIRE((stop == UW_STOP_NONE || stop == UW_STOP_BAD_PC));
	return stop == UW_STOP_NONE;
}

bool calls(uw_arch arch, u32 word, u64 thumb = 0)
{
	Code code(4);
	std::memcpy(code.data(), &word, 4);
	return calls(arch, code, thumb);
}

struct Found {
	std::size_t calls = 0, seen = 0, others = 0, taken = 0;
};

// Every instruction of .text, as the decoders that make rows have it.
Found compare(const char* path)
{
	Found found;
	const uwind::UniqueFd fd(open(path, O_RDONLY | O_CLOEXEC));
	const auto file = uwind::ElfFile::open(fd.get());
	REQUIRE(file);
	const auto section = file->section(".text");
	REQUIRE((section && *section));
	const uwind::Bytes bytes = (*section)->bytes;
	const bool arm64 = file->arch() == uwind::Arch::arm64, is_64 = file->arch() == uwind::Arch::x86_64;
	const uw_arch arch = arm64 ? UW_ARCH_ARM64 : is_64 ? UW_ARCH_X86_64 : UW_ARCH_I386;
	CodePort at(arch, bytes.data(), bytes.size());
	for (std::size_t from = 0; from + 16 < bytes.size();) {
		const auto instruction =
			arm64 ? uwind::X86Instruction{} : uwind::decode_x86(bytes.subspan(from), is_64);
		const bool call =
			arm64 ? uwind::flow_arm64(uwind::word_at(bytes, static_cast<u32>(from))).way ==
					uwind::Arm64Way::call
			      : instruction.is(0xe8) || (instruction.is(0xff) && instruction.extension() == 2);
		from += arm64 ? 4 : instruction.bytes ? instruction.bytes : 1;
		if (from < UW_CODE_BYTES)
			continue;
		const bool taken = uw_call_site_check(&at.port, arch, text + from) == UW_STOP_NONE;
		(call ? found.calls : found.others)++;
		(call ? found.seen : found.taken) += taken;
	}
	return found;
}

// main() has called null; it is called by code that has no caller. The handler of the fault, if there is one, has the
// first pc.
World null_call(uw_arch arch)
{
	World world(arch);
	if (arch == UW_ARCH_ARM64) {
		world.code(text, text + 0x1000,
			   {{0, kind_rule(UW_RULE_SIGFRAME)},
			    {0x100, arm64_rule(UW_ARM64_SP, 16, -8)},
			    {0x200, kind_rule(UW_RULE_OUTERMOST)}});
		world.reg(UW_ARM64_LR, text + 0x110).words(stack, {0, text + 0x210});
		world.word(text + 0x108, 0xd63f00000a0003e1);
	} else {
		world.code(text, text + 0x1000,
			   {{0, kind_rule(UW_RULE_SIGFRAME)},
			    {0x100, x86_rule(UW_X86_SP, 16)},
			    {0x200, kind_rule(UW_RULE_OUTERMOST)}});
		world.words(stack, {text + 0x110, 0, text + 0x210}).word(text + 0x108, 0xd0ff909090909090);
	}
	world.pc(0).sp(stack);
	return world;
}

// The registers of that, in a signal's frame.
World handled_null_call(uw_arch arch)
{
	const bool arm64 = arch == UW_ARCH_ARM64;
	const u64 first = stack + 0x1000 + (arm64 ? 312 : 40), pc_at = stack + 0x1000 + (arm64 ? 568 : 0xa8);
	World world = null_call(arch);
	for (u64 at = first; at < pc_at; at += 8)
		world.word(at, arm64 && at == first + 8 * UW_ARM64_LR ? text + 0x110 : stack);
	world.word(pc_at, 0).pc(text).sp(stack + 0x1000);
	return world;
}

} // namespace

TEST_CASE("an address behind a call is known by the instruction before it")
{
	const uw_arch x86[] = {UW_ARCH_X86_64, UW_ARCH_I386};
	for (const uw_arch arch : x86) {
		CHECK(calls(arch, {0xe8, 1, 2, 3, 4}));                // call 0x4030201
		CHECK(calls(arch, {0xff, 0xd0}));                      // call *%rax
		CHECK(calls(arch, {0xff, 0x10}));                      // call *(%rax)
		CHECK(calls(arch, {0xff, 0x14, 0x24}));                // call *(%rsp)
		CHECK(calls(arch, {0xff, 0x50, 8}));                   // call *8(%rax)
		CHECK(calls(arch, {0xff, 0x54, 0x24, 8}));             // call *8(%rsp)
		CHECK(calls(arch, {0xff, 0x15, 1, 2, 3, 4}));          // call *0x4030201(%rip)
		CHECK(calls(arch, {0xff, 0x90, 1, 2, 3, 4}));          // call *0x4030201(%rax)
		CHECK(calls(arch, {0xff, 0x14, 0xc5, 1, 2, 3, 4}));    // call *0x4030201(,%rax,8)
		CHECK(calls(arch, {0xff, 0x94, 0x24, 1, 2, 3, 4}));    // call *0x4030201(%rsp)
		CHECK(calls(arch, {0x65, 0xff, 0x15, 0x10, 0, 0, 0})); // call *%gs:0x10
		CHECK_FALSE(calls(arch, {0xff, 0xe0}));                // jmp *%rax
		CHECK_FALSE(calls(arch, {0xff, 0x14}));                // cut off
		CHECK_FALSE(calls(arch, {0xff, 0x15, 1, 2, 3}));       // cut off
		CHECK_FALSE(calls(arch, {0xff, 0x50}));                // cut off
		CHECK_FALSE(calls(arch, {0xe8, 1, 2, 3}));             // cut off
		CHECK_FALSE(calls(arch, {0xe9, 1, 2, 3, 4}));          // jmp
		CHECK_FALSE(calls(arch, {0xff, 0x1d, 1, 2, 3, 4}));    // far
		CHECK_FALSE(calls(arch, {0xc3}));                      // ret
	}
	CHECK(calls(UW_ARCH_ARM64, 0x94000001));       // bl
	CHECK(calls(UW_ARCH_ARM64, 0x97ffffff));       // bl, backwards
	CHECK(calls(UW_ARCH_ARM64, 0xd63f0020));       // blr x1
	CHECK(calls(UW_ARCH_ARM64, 0xd73f0823));       // blraa x1, x3
	CHECK(calls(UW_ARCH_ARM64, 0xd63f0c3f));       // blrabz x1
	CHECK_FALSE(calls(UW_ARCH_ARM64, 0x14000001)); // b
	CHECK_FALSE(calls(UW_ARCH_ARM64, 0xd61f0020)); // br x1
	CHECK_FALSE(calls(UW_ARCH_ARM64, 0xd65f03c0)); // ret
	CHECK(calls(UW_ARCH_ARM, 0xebfffffe));         // bl
	CHECK(calls(UW_ARCH_ARM, 0xe12fff33));         // blx r3
	CHECK_FALSE(calls(UW_ARCH_ARM, 0xe12fff13));   // bx r3
	CHECK(calls(UW_ARCH_ARM, 0x4798bf00, 1));      // blx r3, Thumb
	CHECK(calls(UW_ARCH_ARM, 0xfffef7ff, 1));      // bl, Thumb
	CHECK_FALSE(calls(UW_ARCH_ARM, 0x4718bf00, 1));
	CHECK_FALSE(calls(UW_ARCH_ARM, 0x4798bf00, 0)); // ARM
}

TEST_CASE("every call of a C library is known for one, and little else")
{
	const char* const paths[] = {"/lib/x86_64-linux-gnu/libc.so.6", "/lib32/libc.so.6",
				     "/usr/aarch64-linux-gnu/lib/libc.so.6"};
	for (const char* path : paths) {
		if (access(path, R_OK) != 0) {
			WARN(path << " is absent: not compared");
			continue;
		}
		const Found found = compare(path);
		CAPTURE(path, found.calls, found.seen, found.others, found.taken);
		CHECK(found.calls > 1000);
		CHECK(found.seen == found.calls);
		CHECK(found.taken * 100 < found.others);
	}
}

TEST_CASE("code that cannot be read, or is none, follows no call")
{
	CodePort at(UW_ARCH_X86_64, nullptr, 0);
	at.code.end = text + 32;
	CHECK(uw_call_site_check(&at.port, UW_ARCH_X86_64, text + 16) == UW_STOP_BAD_PC);
	CHECK(uw_call_site_check(&at.port, UW_ARCH_X86_64, text) == UW_STOP_BAD_PC);
	CHECK(uw_call_site_check(&at.port, UW_ARCH_X86_64, 0) == UW_STOP_BAD_PC);
}

TEST_CASE("the first byte of a function follows no call that could return there")
{
	for (const bool row_before : {false, true}) {
		World world = null_call(UW_ARCH_X86_64);
		world.code(text + 0x2000, text + 0x3000,
			   {{0, row_before ? x86_rule(UW_X86_SP, 32) : kind_rule(UW_RULE_NONE)},
			    {0x100, x86_rule(UW_X86_SP, 8)}});
		world.word(text + 0x20f8, 0xd0ff909090909090).word(stack - 8, text + 0x2100);
		CHECK(world.sp(stack - 8).walk().frames.size() == 1);
		CHECK(world.walk().stop == UW_STOP_BAD_PC);
	}
	// The same where the rows were read from the instructions.
	uw_rule frame = x86_rule(UW_X86_SP, 32), bare = x86_rule(UW_X86_SP, 8);
	frame.kind = bare.kind = UW_RULE_READ;
	World code = null_call(UW_ARCH_X86_64);
	code.code(text + 0x2000, text + 0x3000, {{0, frame}, {0x100, bare}});
	code.word(text + 0x20f8, 0xd0ff909090909090).word(stack - 8, text + 0x2100);
	CHECK(code.sp(stack - 8).walk().frames.size() == 1);
	CHECK(code.walk().stop == UW_STOP_BAD_PC);
	// A function that has nothing on the stack may call, on x86.
	World world = null_call(UW_ARCH_X86_64);
	world.code(text + 0x2000, text + 0x3000, {{0, x86_rule(UW_X86_SP, 8)}});
	world.word(text + 0x20f8, 0xd0ff909090909090).words(stack - 16, {text + 0x2100, 0});
	CHECK(world.sp(stack - 16).walk().stop == UW_STOP_ZERO_RA);
	CHECK(world.walk().frames.size() == 2);
}

TEST_CASE("a call to an address that is not executable is left by its return address")
{
	for (const uw_arch arch : {UW_ARCH_X86_64, UW_ARCH_ARM64}) {
		const u8 method = arch == UW_ARCH_ARM64 ? UW_METHOD_LR : UW_METHOD_SYNTH;
		const Walked walked = null_call(arch).walk();
		CHECK(walked.stop == UW_STOP_OUTERMOST);
		REQUIRE(walked.frames.size() == 3);
		CHECK(walked.frames[0].pc == 0);
		CHECK(walked.frames[0].method == UW_METHOD_PC);
		CHECK(walked.frames[0].stack_bytes == (arch == UW_ARCH_ARM64 ? 0 : 8));
		CHECK(walked.frames[1].method == method);
		const Walked handled = handled_null_call(arch).walk();
		CHECK(handled.stop == UW_STOP_OUTERMOST);
		REQUIRE(handled.frames.size() == 4);
		CHECK(handled.frames[1].pc == 0);
		CHECK(handled.frames[1].method == UW_METHOD_SIGFRAME);
		CHECK(handled.frames[2].pc == text + 0x110);
		CHECK(handled.frames[2].method == method);
	}
}

TEST_CASE("a return address that is not executable is still no frame")
{
	World world = null_call(UW_ARCH_X86_64);
	world.pc(text + 0x110).sp(stack - 0x100).words(stack - 0x100, {0, 0x1234, text + 0x110});
	CHECK(world.walk().frames.size() == 1);
	CHECK(world.walk().stop == UW_STOP_BAD_PC);
}

TEST_CASE("a call to an address that is not executable ends where frames run out")
{
	for (const uw_arch arch : {UW_ARCH_X86_64, UW_ARCH_ARM64}) {
		World world = handled_null_call(arch);
		for (u32 frames = 0; frames < 4; frames++) {
			CHECK(world.walk(frames).stop == UW_STOP_DEPTH);
			CHECK(world.walk(frames).frames.size() == frames);
		}
		CHECK(world.walk(4).stop == UW_STOP_OUTERMOST);
	}
}

TEST_CASE("a fault at any read around a call to an address that is not executable ends the walk there")
{
	for (const uw_arch arch : {UW_ARCH_X86_64, UW_ARCH_ARM64}) {
		World world = handled_null_call(arch);
		const Walked whole = world.walk();
		const u32 reads = world.port.reads;
		for (u32 at = 1; at <= reads; at++) {
			world.port.fail_at = at;
			for (const int err : {-EFAULT, -EACCES, -EINTR}) {
				world.port.fail_with = err;
				const Walked cut = world.walk();
				CHECK(world.port.reads == at);
				CHECK(cut.stop != whole.stop);
				CHECK((cut.stop == UW_STOP_KILLED) == (err == -EINTR));
				CHECK(cut.frames.size() < whole.frames.size());
				CHECK(cut.frames.back().stack_bytes == UW_STACK_BYTES_UNKNOWN);
			}
		}
	}
}

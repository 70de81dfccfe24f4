// SPDX-License-Identifier: GPL-2.0
// Any registers, rules and stack: the walk ends, within its frames and its
// reads, and the stack moves one way.
#include <fuzzer/FuzzedDataProvider.h>

#include "unit/core/world.h"

using namespace core;

namespace {

constexpr u64 text = 0x400000;
constexpr u64 stack = 0x7ffe0000;
constexpr u32 max_frames = 40;

void require(bool condition)
{
	if (!condition)
		__builtin_trap();
}

// Mostly what a stack holds: addresses of stack and text, zeros.
u64 make_word(FuzzedDataProvider& from)
{
	u16 bits = from.ConsumeIntegral<u16>();
	switch (bits & 7) {
	case 0:
	case 1:
	case 2:
		return stack + (bits >> 3 & 0x1ff) * 4u;
	case 3:
	case 4:
	case 5:
		return text + (bits >> 3 & 0x7ff);
	case 6:
		return 0;
	default:
		return from.ConsumeIntegral<u64>();
	}
}

uw_rule make_rule(FuzzedDataProvider& from, bool checked, uw_arch arch)
{
	uw_rule rule{};
	rule.kind = static_cast<u8>(from.ConsumeIntegral<u8>() % 6);
	rule.cfa_kind = static_cast<u8>(from.ConsumeIntegral<u8>() % 3);
	rule.cfa_reg = static_cast<u8>(from.ConsumeIntegral<u8>() % 34);
	rule.ra_place = static_cast<u8>(from.ConsumeIntegral<u8>() % 7);
	rule.ra_reg = static_cast<u8>(from.ConsumeIntegral<u8>() % 34);
	rule.fp_place = static_cast<u8>(from.ConsumeIntegral<u8>() % 7);
	rule.fp_reg = static_cast<u8>(from.ConsumeIntegral<u8>() % 34);
	rule.cfa_off = from.ConsumeIntegral<s8>() * 4;
	rule.cfa_add = from.ConsumeBool() ? from.ConsumeIntegral<s32>() : 0;
	rule.ra_off = from.ConsumeIntegral<s8>() * 8;
	rule.fp_off = from.ConsumeIntegral<s8>() * 8;
	if (uw_abis[arch].base != UW_NO_REG || !checked)
		rule.base_slot = from.ConsumeIntegral<u8>();
	const char* why;
	if (checked && uw_rule_check(&rule, arch, &why))
		return kind_rule(UW_RULE_SIGFRAME);
	return rule;
}

// A rule may only raise SP; a leaf may leave it, once, at an exact pc.
void check_one_rule(const uw_rule& rule, uw_arch arch, uw_regs regs, uw_port& port, bool topmost)
{
	const bool was_topmost = topmost;
	const u64 sp = regs.r[uw_arch_sp(arch)];
	u32 bytes = 0;
	if (uw_rule_apply(&rule, arch, &regs, &port, &topmost, &bytes) != UW_STOP_NONE) {
		require(bytes == UW_STACK_BYTES_UNKNOWN);
		return;
	}
	require(topmost == (rule.kind == UW_RULE_SIGFRAME));
	if (rule.kind == UW_RULE_SIGFRAME)
		return;
	const u64 cfa = regs.r[uw_arch_sp(arch)];
	require((regs.pc != 0 || regs.thumb) && cfa % uw_abis[arch].word == 0);
	const bool no_stack = rule.ra_place == UW_PLACE_SAME || rule.ra_place == UW_PLACE_REG_VAL;
	require(cfa > sp || (cfa == sp && was_topmost && no_stack));
	require(bytes == UW_STACK_BYTES_UNKNOWN || bytes == cfa - sp);
	const u32 base = uw_abis[arch].base != UW_NO_REG ? 1u << uw_abis[arch].base : 0;
	require((regs.known & ~(1u << uw_arch_sp(arch) | 1u << uw_arch_fp(arch) | base)) == 0);
	require((regs.on_stack & ~base) == 0);
}

bool frames_equal(const uw_frame& a, const uw_frame& b)
{
	return a.pc == b.pc && a.offset == b.offset && a.file == b.file && a.method == b.method &&
	       a.stack_bytes == b.stack_bytes;
}

// It begins with room for half of the frames.
void check_grown(const uw_walk& begun, const uw_walk& walk, const uw_port& fresh)
{
	std::vector<uw_frame> frames(std::max(begun.max_frames / 2, 1u)), more(begun.max_frames);
	uw_walk grown = begun;
	uw_port port = fresh;
	grown.max_frames = static_cast<u32>(frames.size());
	grown.most_frames = begun.max_frames;
	grown.frames = frames.data();
	port.more = more.data();
	uw_walk_run(&grown, &port);
	require(grown.stop == walk.stop && grown.nr_frames == walk.nr_frames);
	require(std::equal(grown.frames, grown.frames + grown.nr_frames, walk.frames, frames_equal));
}

void check_walk(uw_walk& walk, uw_port& port)
{
	const uw_walk begun = walk;
	const uw_port fresh = port;
	uw_walk_run(&walk, &port);
	require(same_when_remembered(begun, walk, fresh));
	require(same_when_gone_on(begun, walk, fresh));
	if (begun.max_frames)
		check_grown(begun, walk, fresh);
	require(walk.stop > UW_STOP_NONE && walk.stop < UW_NR_STOPS);
	require(walk.nr_frames <= walk.max_frames);
	require(walk.stop != UW_STOP_DEPTH || walk.nr_frames == walk.max_frames || walk.nr_frames >= 17);
	u32 signal_frames = 0;
	for (u32 i = 0; i < walk.nr_frames; i++) {
		require(walk.frames[i].method != UW_METHOD_NONE || i > 0);
		signal_frames += walk.frames[i].method == UW_METHOD_SIGFRAME;
		require(walk.frames[i].method != UW_METHOD_FP || uw_abis[walk.arch].word == 8);
	}
	require(signal_frames <= 16);
	// Three words, each found through the base register; 15 at most at an exact pc of Arm.
	const u32 per_frame = walk.arch == UW_ARCH_ARM ? 7 : 6;
	require(port.reads <= per_frame * walk.nr_frames + 33 * (signal_frames + 1) + 8);
}

// It only shortens a stack, and says so.
void check_shadow(uw_walk walk, uw_port& port, u64 innermost)
{
	const u32 nr_frames = walk.nr_frames;
	const u8 stop = static_cast<u8>(walk.stop);
	port.reads = 0;
	const u32 same = uw_shadow_check(&walk, &port, innermost);
	require(port.reads <= nr_frames + 1);
	require(same < nr_frames || same == 0);
	require(walk.stop == UW_STOP_SHADOW_STACK ? walk.nr_frames > same
						  : walk.nr_frames == nr_frames && walk.stop == stop);
}

// The calls of Thumb and ARM code, of arm64 and of x86 in turn, and what is none.
std::vector<u32> make_code()
{
	const u32 words[] = {0xfffef7ff, 0xebfffffe, 0x4798bf00, 0xfafffffe, 0xeffef7ff, 0xe12fff33,
			     0xe1a00000, 0x46c046c0, 0x94000001, 0xd0ff9090, 0xd63f0020, 0x0855ff90};
	std::vector<u32> code(0x200);
	for (std::size_t i = 0; i < code.size(); i++)
		code[i] = words[i % std::size(words)];
	return code;
}

// 64 bits to a word of the stack, or 32.
std::vector<u8> make_stack(FuzzedDataProvider& from, u8 word)
{
	std::vector<u8> stack_bytes;
	while (from.remaining_bytes() && stack_bytes.size() < 0x200u * word) {
		const u64 value = make_word(from);
		const u8* bytes = reinterpret_cast<const u8*>(&value);
		stack_bytes.insert(stack_bytes.end(), bytes, bytes + word);
	}
	return stack_bytes;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
	FuzzedDataProvider from(data, size);
	const uw_arch arches[] = {UW_ARCH_X86_64, UW_ARCH_ARM64, UW_ARCH_I386, UW_ARCH_ARM};
	const uw_arch arch = arches[from.ConsumeIntegral<u8>() & 3];
	const bool checked = from.ConsumeBool();
	uw_walk walk{};
	walk.arch = arch;
	walk.max_frames = from.ConsumeIntegralInRange<u32>(0, max_frames);
	walk.regs.pc = text + from.ConsumeIntegral<u16>() % 0x900;
	walk.regs.thumb = arch == UW_ARCH_ARM && (walk.regs.pc & 1);
	walk.regs.pc -= walk.regs.thumb;
	walk.regs.known = from.ConsumeIntegral<u32>() | 1u << uw_arch_sp(arch);
	for (u64& reg : walk.regs.r)
		reg = make_word(from);

	Draft draft(64, 64);
	u32 nr_rows = from.ConsumeIntegralInRange<u32>(1, 16);
	for (u32 i = 0, start = 0; i < nr_rows; i++, start += from.ConsumeIntegral<u8>())
		draft.add(start, make_rule(from, checked, arch));
	Table table(draft.draft);
	const uw_port_code code[] = {{text, text + 0x600, 0, &table.table, 1, UW_METHOD_EH_FRAME},
				     {text + 0x600, text + 0x800, 0, nullptr, 2, UW_METHOD_NONE}};

	const u8 word = uw_abis[arch].word;
	const std::vector<u8> stack_bytes = make_stack(from, word);
	const std::vector<u32> calls = make_code();
	const uw_port_slice slices[] = {
		{stack, stack_bytes.size(), stack_bytes.data()},
		{text, calls.size() * 4, reinterpret_cast<const u8*>(calls.data())},
	};
	uw_port port{code, 2, slices, 2, word,  arch == UW_ARCH_ARM64 ? 0xff7full << 48 : 0,
		     0,    0, 0,      0, 0,     stack,
		     0,    0, 0,      0, false, 0,
		     0,    0};

	for (u32 i = 0; i < draft.draft.nr_rules; i++)
		for (bool topmost : {false, true})
			check_one_rule(draft.draft.rules[i], arch, walk.regs, port, topmost);
	port.reads = 0;
	std::vector<uw_frame> frames(walk.max_frames);
	walk.frames = frames.data();
	check_walk(walk, port);
	check_shadow(walk, port, stack + size % 64 * word);
	// What was taken can be applied.
	require(!checked || walk.stop != UW_STOP_BAD_RULE);
	require((walk.stop == UW_STOP_BAD_RULE) == (port.retired != 0));
	return 0;
}

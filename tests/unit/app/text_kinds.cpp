// SPDX-License-Identifier: GPL-2.0
// What changed the kernel's text.
#include <catch2/catch.hpp>

#include <cstring>

#include "app/text_kinds.h"

using namespace uwind;

namespace {

using Content = std::vector<std::uint8_t>;

constexpr std::uint64_t function = 0xffffffff81001000;
constexpr std::uint64_t handler = 0xffffffff81005000;
constexpr std::uint64_t trampoline = 0xffffffffc0001000; // ftrace's
constexpr std::uint64_t of_kprobes = 0xffffffffc0002000; // the same, which calls handler
constexpr std::uint64_t of_bpf = 0xffffffffc0003000;
const Content nop5 = {0x0f, 0x1f, 0x44, 0, 0};
const Content arm64_nop = {0x1f, 0x20, 0x03, 0xd5};

Content call(std::uint64_t from, std::uint64_t to, std::uint8_t opcode = 0xe8)
{
	Content bytes{opcode, 0, 0, 0, 0};
	const auto relative = static_cast<std::uint32_t>(to - from - 5);
	std::memcpy(bytes.data() + 1, &relative, sizeof(relative));
	return bytes;
}

Content branch(std::uint64_t from, std::uint64_t to, std::uint32_t opcode = 0x94000000)
{
	const std::uint32_t word = opcode | (static_cast<std::uint32_t>((to - from) / 4) & 0x3ffffff);
	Content bytes(4);
	std::memcpy(bytes.data(), &word, sizeof(word));
	return bytes;
}

struct Machine {
	TextNames names;
	Content kprobes_trampoline = Content(16, 0x90);
	TextKinds kinds;

	explicit Machine(Arch arch) : kinds(arch, names, [this](std::uint64_t address) { return where(address); })
	{
		names.add({{function, "vfs_read", ""},
			   {function + 0x800, "__SCT__cond_resched", ""},
			   {function + 0x900, "ftrace_call", ""},
			   {function + 0xa00, "bpf_dispatcher_xdp_func", ""},
			   {function + 0xb00, "vfs_write", ""},
			   {handler, "kprobe_ftrace_handler", ""},
			   {handler + 0x100, "arch_jump_label_transform_queue", ""},
			   {handler + 0x200, "bpf_trampoline_update", ""},
			   {handler + 0x300, "ftrace_modify_all_code", ""},
			   {handler + 0x400, "load_module", ""},
			   {handler + 0x500, "bpf_of_a_module", "tun"}});
		kinds.add({{{function + 0x40, "sched_schedstats"}}, {{function + 0x80, "x86_pmu_enable"}}});
		const Content to_handler = call(of_kprobes + 7, handler);
		std::copy(to_handler.begin(), to_handler.end(), kprobes_trampoline.begin() + 7);
	}
	std::optional<TextKinds::Where> where(std::uint64_t address) const
	{
		const std::uint64_t page = address & ~std::uint64_t{0xfff};
		if (page == trampoline)
			return TextKinds::Where{TextPlace::out_of_line, "ftrace_trampoline", {}};
		if (page == of_kprobes)
			return TextKinds::Where{TextPlace::out_of_line, "ftrace_trampoline", kprobes_trampoline};
		if (page == of_bpf)
			return TextKinds::Where{TextPlace::bpf, "bpf_trampoline_1", {}};
		if (page == of_bpf + 0x1000)
			return TextKinds::Where{TextPlace::out_of_line, "kprobe_insn_page", {}};
		return std::nullopt;
	}
	TextKinds::Verdict of(std::uint64_t address, Content before, Content after,
			      std::vector<std::uint64_t> callers = {}) const
	{
		TextEdit edit;
		edit.address = address;
		edit.before = std::move(before);
		edit.after = std::move(after);
		edit.callers = std::move(callers);
		return kinds.kind_of(edit);
	}
};

bool is(const TextKinds::Verdict& verdict, TextKind kind, const std::string& what)
{
	CAPTURE(static_cast<int>(verdict.kind), verdict.what);
	CHECK(verdict.kind == kind);
	CHECK(verdict.what == what);
	return verdict.kind == kind && verdict.what == what;
}

} // namespace

TEST_CASE("a site of a jump table is of its key, whatever its bytes")
{
	const Machine machine(Arch::x86_64);
	CHECK(is(machine.of(function + 0x40, {0x66, 0x90}, {0xeb, 0x10}), TextKind::jump_label, "sched_schedstats"));
	CHECK(is(machine.of(function + 0x41, {0x66, 0x90}, {0xeb, 0x10}), TextKind::unknown, "vfs_read"));
}

TEST_CASE("a static call is a site of its table, or its trampoline")
{
	const Machine machine(Arch::x86_64);
	CHECK(is(machine.of(function + 0x80, nop5, call(function + 0x80, handler)), TextKind::static_call,
		 "x86_pmu_enable"));
	CHECK(is(machine.of(function + 0x800, nop5, call(function + 0x800, handler, 0xe9)), TextKind::static_call,
		 "cond_resched"));
	// As a module is loaded, before its sites are known.
	const std::uint64_t call_site = function + 0x60;
	CHECK(is(machine.of(call_site, call(call_site, function + 0x800), nop5), TextKind::static_call,
		 "cond_resched"));
	CHECK(is(machine.of(call_site, call(call_site, function + 0x800), call(call_site, handler)),
		 TextKind::static_call, "cond_resched"));
	CHECK(is(machine.of(call_site, call(call_site, function + 0x801), nop5), TextKind::unknown, "vfs_read"));
}

TEST_CASE("a breakpoint is a kprobe's, and so is the jump that it becomes")
{
	const Machine x86(Arch::x86_64), arm64(Arch::arm64);
	CHECK(is(x86.of(function + 0x20, {0x48}, {0xcc}), TextKind::kprobe, "vfs_read"));
	CHECK(is(x86.of(function + 0x20, {0xcc}, {0x48}), TextKind::kprobe, "vfs_read"));
	CHECK(is(x86.of(function + 0x20, {0xcc, 1, 2, 3, 4}, call(function + 0x20, trampoline, 0xe9)), TextKind::kprobe,
		 "vfs_read"));
	CHECK(is(arm64.of(function + 0x20, arm64_nop, {0x80, 0x00, 0x20, 0xd4}), TextKind::kprobe, "vfs_read"));
	CHECK(arm64.of(function + 0x20, arm64_nop, {0x00, 0x00, 0x20, 0xd4}).kind == TextKind::unknown);
}

TEST_CASE("the first call of a function is ftrace's, unless its target is somebody else's")
{
	const Machine machine(Arch::x86_64);
	for (const std::uint64_t entry : {function, function + 4}) {
		const auto calls = [&](std::uint64_t to) { return machine.of(entry, nop5, call(entry, to)); };
		CHECK(is(calls(trampoline), TextKind::ftrace, "vfs_read"));
		CHECK(is(calls(handler), TextKind::ftrace, "vfs_read"));
		CHECK(is(calls(of_kprobes), TextKind::kprobe, "vfs_read"));
		CHECK(is(calls(of_bpf), TextKind::bpf, "vfs_read"));
		CHECK(is(machine.of(entry, call(entry, of_bpf), nop5), TextKind::bpf, "vfs_read"));
	}
	CHECK(machine.of(function + 0x100, nop5, call(function + 0x100, trampoline)).kind == TextKind::unknown);
}

TEST_CASE("on arm64, ftrace's calls and what it keeps before a function are told")
{
	const Machine machine(Arch::arm64);
	CHECK(is(machine.of(function + 4, arm64_nop, branch(function + 4, handler)), TextKind::ftrace, "vfs_read"));
	CHECK(is(machine.of(function + 0xb00 - 8, Content(8, 0), Content(8, 1)), TextKind::ftrace, "vfs_write"));
	CHECK(target_of(Arch::arm64, branch(function, function - 8), function) == function - 8);
	CHECK(target_of(Arch::arm64, branch(function, function + 8, 0x14000000), function) == function + 8);
	CHECK_FALSE(target_of(Arch::arm64, arm64_nop, function));
}

TEST_CASE("places that one owner has, and symbols that one owner has")
{
	const Machine machine(Arch::x86_64);
	CHECK(is(machine.of(trampoline + 8, {1}, {2}), TextKind::ftrace, "ftrace_trampoline"));
	CHECK(is(machine.of(of_bpf + 8, {1}, {2}), TextKind::bpf, "bpf_trampoline_1"));
	CHECK(is(machine.of(of_bpf + 0x1000, {1}, {2}), TextKind::kprobe, "kprobe_insn_page"));
	CHECK(is(machine.of(function + 0x905, nop5, call(function + 0x905, handler)), TextKind::ftrace, "ftrace_call"));
	CHECK(is(machine.of(function + 0xa10, nop5, nop5), TextKind::bpf, "bpf_dispatcher_xdp_func"));
	CHECK(is(machine.of(0x1000, {1}, {2}), TextKind::unknown, ""));
}

TEST_CASE("who asked for a change says more than its bytes")
{
	const Machine machine(Arch::arm64);
	const auto asked = [&](std::vector<std::uint64_t> callers) {
		return machine.of(function + 0x200, arm64_nop, arm64_nop, std::move(callers)).kind;
	};
	CHECK(asked({handler + 0x108}) == TextKind::jump_label);
	CHECK(asked({handler + 0x308}) == TextKind::ftrace);
	CHECK(asked({handler + 0x308, handler + 0x208}) == TextKind::bpf); // BPF attaches by ftrace
	CHECK(asked({handler + 0x108, handler + 0x408}) == TextKind::jump_label);
	CHECK(asked({handler + 0x408}) == TextKind::module);
	CHECK(asked({handler + 0x508}) == TextKind::unknown); // only the kernel's own functions are known by name
}

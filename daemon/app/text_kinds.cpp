// SPDX-License-Identifier: GPL-2.0
// What changed the kernel's text: by who asked for it, where known, else by the address and the bytes.
#include "app/text_kinds.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace uwind {
namespace {

constexpr std::uint8_t x86_breakpoint = 0xcc;
constexpr std::uint8_t x86_call = 0xe8;
constexpr std::uint8_t x86_jump = 0xe9;
constexpr std::size_t x86_call_bytes = 5;
constexpr std::uint32_t arm64_kprobe = 0xd4200080; // brk #4
constexpr std::size_t arm64_bytes = 4;
// A function's first instructions, before which its compiler, or ftrace, has put nothing else.
constexpr std::uint64_t x86_entry_bytes = 4; // endbr64
constexpr std::uint64_t arm64_entry_bytes = 8;
constexpr std::uint64_t arm64_literal_bytes = 16; // before a function
constexpr std::string_view static_call_prefix = "__SCT__";

struct Caller {
	std::string_view part;
	TextKind kind;
};

// Parts of the names of the kernel's functions that ask for a change. What is here first wins: BPF attaches by ftrace,
// and a module that is loaded has its jump labels set.
constexpr std::array callers = {
	Caller{"bpf_", TextKind::bpf},
	Caller{"jump_label", TextKind::jump_label},
	Caller{"static_call", TextKind::static_call},
	Caller{"kprobe", TextKind::kprobe},
	Caller{"ftrace", TextKind::ftrace},
	Caller{"apply_alternatives", TextKind::alternatives},
	Caller{"load_module", TextKind::module},
};

bool starts_with_breakpoint(Arch arch, const std::vector<std::uint8_t>& bytes)
{
	if (arch == Arch::x86_64)
		return !bytes.empty() && bytes.front() == x86_breakpoint;
	return bytes.size() >= arm64_bytes && word_at(bytes, 0) == arm64_kprobe;
}

std::optional<std::uint64_t> x86_target(Bytes code, std::uint64_t address)
{
	if (code.size() < x86_call_bytes || (code[0] != x86_call && code[0] != x86_jump))
		return std::nullopt;
	const auto relative = static_cast<std::int32_t>(word_at(code, 1));
	return address + x86_call_bytes + static_cast<std::uint64_t>(std::int64_t{relative});
}

std::optional<std::uint64_t> arm64_target(Bytes code, std::uint64_t address)
{
	if (code.size() < arm64_bytes)
		return std::nullopt;
	const std::uint32_t word = word_at(code, 0);
	if ((word & 0x7c000000) != 0x14000000) // b, bl
		return std::nullopt;
	const auto relative = static_cast<std::int32_t>(word << 6) >> 4;
	return address + static_cast<std::uint64_t>(std::int64_t{relative});
}

} // namespace

std::optional<std::uint64_t> target_of(Arch arch, Bytes code, std::uint64_t address)
{
	return arch == Arch::x86_64 ? x86_target(code, address) : arm64_target(code, address);
}

void TextKinds::add(const TextSites& sites)
{
	for (const TextSite& site : sites.jump_labels)
		jump_labels_[site.address] = site.what;
	for (const TextSite& site : sites.static_calls)
		static_calls_[site.address] = site.what;
}

TextKinds::Verdict TextKinds::kind_of(const TextEdit& edit) const
{
	using Rule = TextKind (TextKinds::*)(const TextEdit&) const;
	constexpr Rule rules[] = {&TextKinds::by_callers, &TextKinds::by_place,      &TextKinds::by_bytes,
				  &TextKinds::by_sites,   &TextKinds::by_trampoline, &TextKinds::by_literal,
				  &TextKinds::by_symbol,  &TextKinds::by_call};
	for (const Rule rule : rules)
		if (const TextKind kind = (this->*rule)(edit); kind != TextKind::unknown)
			return {kind, what_for(kind, edit)};
	return {TextKind::unknown, what_for(TextKind::unknown, edit)};
}

TextKind TextKinds::by_callers(const TextEdit& edit) const
{
	for (const Caller& caller : callers)
		for (const std::uint64_t address : edit.callers)
			if (const auto place = names_.at(address);
			    place.symbol && place.symbol->module.empty() &&
			    place.symbol->name.find(caller.part) != std::string::npos)
				return caller.kind;
	return TextKind::unknown;
}

TextKind TextKinds::by_place(const TextEdit& edit) const
{
	const auto where = find_(edit.address);
	if (!where)
		return TextKind::unknown;
	if (where->place == TextPlace::bpf)
		return TextKind::bpf;
	if (where->place != TextPlace::out_of_line)
		return TextKind::unknown;
	return where->name.find("kprobe") != std::string::npos ? TextKind::kprobe : TextKind::ftrace;
}

// A breakpoint, or, once it is optimised, a jump to where the kprobe's instructions are.
TextKind TextKinds::by_bytes(const TextEdit& edit) const
{
	const bool breakpoint = starts_with_breakpoint(arch_, edit.before) || starts_with_breakpoint(arch_, edit.after);
	return breakpoint ? TextKind::kprobe : TextKind::unknown;
}

TextKind TextKinds::by_sites(const TextEdit& edit) const
{
	if (jump_labels_.contains(edit.address))
		return TextKind::jump_label;
	return static_calls_.contains(edit.address) ? TextKind::static_call : TextKind::unknown;
}

// While a module is loaded, its calls of static calls' trampolines become what those do by then: that is before its
// sites can be known.
TextKind TextKinds::by_trampoline(const TextEdit& edit) const
{
	return called_trampoline(edit).empty() ? TextKind::unknown : TextKind::static_call;
}

// The static call whose trampoline was called before, or is now. "": none.
std::string TextKinds::called_trampoline(const TextEdit& edit) const
{
	for (const auto* bytes : {&edit.before, &edit.after}) {
		const auto target = target_of(arch_, *bytes, edit.address);
		const auto place = target ? names_.at(*target) : TextNames::Place();
		if (place.symbol && !place.offset && place.symbol->name.starts_with(static_call_prefix))
			return place.symbol->name.substr(static_call_prefix.size());
	}
	return "";
}

TextKind TextKinds::by_symbol(const TextEdit& edit) const
{
	const auto place = names_.at(edit.address);
	if (!place.symbol)
		return TextKind::unknown;
	const std::string_view name = place.symbol->name;
	const std::string_view owner = place.symbol->module; // of text that is in no file
	if (owner == "__builtin__kprobes")
		return TextKind::kprobe;
	if (owner == "__builtin__ftrace")
		return TextKind::ftrace;
	if (name.starts_with(static_call_prefix))
		return TextKind::static_call;
	if (name.starts_with("bpf_dispatcher_"))
		return TextKind::bpf;
	return name.starts_with("ftrace_") && place.symbol->module.empty() ? TextKind::ftrace : TextKind::unknown;
}

// The words before a function, by which ftrace finds whom to call.
TextKind TextKinds::by_literal(const TextEdit& edit) const
{
	constexpr std::size_t literal_bytes = 8;
	const TextSymbol* next = names_.after(edit.address);
	const bool is_literal = arch_ == Arch::arm64 && edit.after.size() == literal_bytes && next &&
				next->address - edit.address <= arm64_literal_bytes;
	return is_literal ? TextKind::ftrace : TextKind::unknown;
}

// A function's first call: of a trampoline of BPF's or of ftrace's.
TextKind TextKinds::by_call(const TextEdit& edit) const
{
	const auto place = names_.at(edit.address);
	const bool is_x86 = arch_ == Arch::x86_64;
	const std::uint64_t entry_bytes = is_x86 ? x86_entry_bytes : arm64_entry_bytes;
	if (!place.symbol || place.offset > entry_bytes)
		return TextKind::unknown;
	TextKind kind = TextKind::unknown;
	for (const auto* bytes : {&edit.before, &edit.after}) {
		const auto target = target_of(arch_, *bytes, edit.address);
		if (!target)
			continue;
		const auto where = find_(*target);
		if (where && where->place == TextPlace::bpf)
			return TextKind::bpf;
		if (where && where->place == TextPlace::out_of_line && is_for_kprobes(where->bytes, *target))
			return TextKind::kprobe;
		kind = TextKind::ftrace;
	}
	return kind;
}

// On x86, ftrace makes a trampoline for whoever is alone with a function: that of kprobes calls their handler.
bool TextKinds::is_for_kprobes(Bytes trampoline, std::uint64_t address) const
{
	for (std::size_t at = 0; at + x86_call_bytes <= trampoline.size(); at++) {
		const auto target = x86_target(trampoline.subspan(at), address + at);
		if (!target || trampoline[at] != x86_call)
			continue;
		const auto place = names_.at(*target);
		if (place.symbol && place.symbol->name == "kprobe_ftrace_handler" && place.offset <= x86_entry_bytes)
			return true;
	}
	return false;
}

std::string TextKinds::what_for(TextKind kind, const TextEdit& edit) const
{
	const auto& sites = kind == TextKind::static_call ? static_calls_ : jump_labels_;
	if (kind == TextKind::jump_label || kind == TextKind::static_call)
		if (const auto found = sites.find(edit.address); found != sites.end())
			return found->second;
	const auto place = names_.at(edit.address);
	if (kind == TextKind::static_call && place.symbol && place.symbol->name.starts_with(static_call_prefix))
		return place.symbol->name.substr(static_call_prefix.size());
	if (kind == TextKind::static_call)
		if (const std::string called = called_trampoline(edit); !called.empty())
			return called;
	if (const auto where = find_(edit.address);
	    where && (where->place == TextPlace::bpf || where->place == TextPlace::out_of_line))
		return where->name;
	const TextSymbol* next = names_.after(edit.address);
	if (kind == TextKind::ftrace && place.offset > arm64_entry_bytes && next &&
	    next->address - edit.address <= arm64_literal_bytes)
		return next->name;
	return place.symbol ? place.symbol->name : "";
}

} // namespace uwind

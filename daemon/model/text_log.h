// SPDX-License-Identifier: GPL-2.0
// A log of the kernel's text: what it was, and each change of it. Times are CLOCK_MONOTONIC, in ns.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "model/arch.h"

namespace uwind {

// What changed the text.
enum class TextKind : std::uint8_t {
	unknown,
	jump_label, // a static key
	static_call,
	kprobe,
	ftrace,
	bpf,          // a program, a trampoline, or a function that calls one
	alternatives, // instructions chosen by what the processor is
	module,       // a module's text while it is loaded
	unexplained,  // nobody said so: two looks at memory differ
};
inline constexpr std::size_t text_kinds = 9;

// Where text is.
enum class TextPlace : std::uint8_t {
	image, // the kernel itself
	module,
	bpf,
	out_of_line, // trampolines of ftrace, instructions that kprobes have moved
};
inline constexpr std::size_t text_places = 4;

struct TextAuthor {
	std::uint32_t pid = 0, tid = 0, cpu = 0;
	std::string comm; // "": not known
};

// Bytes that changed after from_ns and not after until_ns: old ones may have been there until just before until_ns, new
// ones since just after from_ns. The same moment where the kernel says it exactly.
struct TextEdit {
	std::uint64_t from_ns = 0;
	std::uint64_t until_ns = 0;
	std::uint64_t address = 0; // 0: not known
	std::vector<std::uint8_t> before, after;
	bool before_known = true; // else before is what the log had there, which may be what came later
	TextKind kind = TextKind::unknown;
	std::string what; // a key's or a function's name; "": not known
	TextAuthor author;
	std::vector<std::uint64_t> callers; // innermost first; none: not known
};

// Text that comes, or was there at the beginning, or goes. Areas do not overlap.
struct TextArea {
	bool comes = true;
	bool at_begin = false;
	bool content_known = true; // else it was gone before it could be read, and bytes is empty
	TextPlace place = TextPlace::image;
	std::uint64_t time_ns = 0;
	std::uint64_t address = 0;
	std::uint64_t length = 0;
	std::string name;
	std::vector<std::uint8_t> bytes; // as it was at this time: its first or its last
	TextAuthor author;
};

// Changes for which there was no room.
struct TextLoss {
	std::uint64_t time_ns = 0;
	std::uint64_t count = 0;
};

// All of the text was compared with memory.
struct TextLook {
	std::uint64_t time_ns = 0;
	std::uint64_t bytes = 0;
	std::uint64_t different = 0; // bytes that no change had explained; edits of kind unexplained follow from them
	std::uint32_t tries = 0;     // looks that it took until no change was under way
};

struct TextSymbol {
	std::uint64_t address = 0;
	std::string name;
	std::string module; // "": the kernel itself
};

// Names of code that are valid from now on, besides the earlier ones.
struct TextSymbols {
	std::uint64_t time_ns = 0;
	std::vector<TextSymbol> symbols;
};

struct TextEnd {
	std::uint64_t time_ns = 0;
	std::uint64_t unplaced = 0; // changes outside of every area
};

using TextEntry = std::variant<TextArea, TextEdit, TextLoss, TextLook, TextSymbols, TextEnd>;

// When an entry took effect: for an edit, when it had at the latest.
inline std::uint64_t time_of(const TextEntry& entry)
{
	if (const auto* edit = std::get_if<TextEdit>(&entry))
		return edit->until_ns;
	return std::visit(
		[](const auto& one) -> std::uint64_t {
			if constexpr (requires { one.time_ns; })
				return one.time_ns;
			else
				return 0;
		},
		entry);
}

struct TextLogHead {
	Arch arch = Arch::x86_64;
	std::uint64_t begin_ns = 0;
	std::int64_t begin_s = 0; // seconds since 1970
	std::string boot_id;
	std::string release; // of the kernel
};

struct TextLog {
	TextLogHead head;
	std::vector<TextEntry> entries; // in the order of their times
	bool cut_short = false;         // the file ends without its end, or in the midst of an entry
};

} // namespace uwind

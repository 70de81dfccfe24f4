// SPDX-License-Identifier: GPL-2.0
// The lines of /proc/kallsyms.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/handle.h"
#include "base/result.h"
#include "base/text.h"

namespace uwind {

// A line of it: "ffffffff81000000 T _stext", and of a module "\t[name]" at its end.
struct KernelSymbolLine {
	std::uint64_t address = 0;
	char type = 0;
	std::string_view name;
	std::string_view module; // "": none
	unsigned piece = 0;      // of a text, by symbols_in(): lines of one owner that follow each other

	bool is_code() const { return std::string_view("tTwWiI").find(type) != std::string_view::npos; }
};

// Nothing: it is none, or its address may not be seen.
std::optional<KernelSymbolLine> symbol_in(std::string_view line);
// Of those lines, by address: one for each, called as perf would call it.
std::vector<KernelSymbolLine> symbols_in(std::string_view text,
					 const std::function<bool(std::string_view line)>& is_wanted);

template <typename Take>
void each_line(std::string_view text, Take take)
{
	while (!text.empty())
		take(next_part(text, '\n'));
}

Result<std::string> read_kallsyms();

// Reads what follows the kernel's own symbols, again and again. These are most of the text, and the kernel makes it
// line by line: to have passed them before a module comes leaves less time for it to go.
class OwnedKallsyms {
public:
	// Passes the kernel's own symbols.
	void get_ready();
	// The lines of modules, programs and trampolines, and unless it was ready also all others.
	Result<std::string> read();

private:
	UniqueFd ready_;
	std::size_t core_bytes_ = 0; // of all lines before the first of a module; 0: not known
};

// Where the first line that has an owner begins; all of it if none has.
std::size_t core_bytes_of(std::string_view kallsyms);

} // namespace uwind

// SPDX-License-Identifier: GPL-2.0
// Kernel code that is not always there: modules, BPF programs, trampolines.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace uwind {

// Of one module, by address. Names lie one after another: a machine has 50,000 of them.
struct KernelSymbols {
	struct Place {
		std::uint64_t address;
		std::uint32_t at; // in names
		std::uint32_t bytes;
	};
	std::vector<Place> places;
	std::string names;

	void add(std::uint64_t address, std::string_view name)
	{
		places.push_back(
			{address, static_cast<std::uint32_t>(names.size()), static_cast<std::uint32_t>(name.size())});
		names += name;
	}
	std::string_view name_of(const Place& place) const
	{
		return std::string_view(names).substr(place.at, place.bytes);
	}
};

struct KernelRegion {
	std::uint64_t start = 0, bytes = 0;
	std::string owner;  // as /proc/kallsyms names it: "nf_tables", "bpf", "__builtin__ftrace"
	std::string symbol; // of all of it: a BPF program's or a trampoline's; "": a module, which has symbols

	bool is_module() const { return symbol.empty(); }
};

// As /proc/kallsyms names it: the owner of what perf announces, a BPF program or code out of line.
inline const char* owner_of_region(bool is_program, std::string_view symbol)
{
	if (is_program)
		return "bpf";
	return symbol == "ftrace_trampoline" ? "__builtin__ftrace" : "__builtin__kprobes";
}

enum class KernelRegionChange {
	comes,   // a module's init may run now
	settles, // the module is in use: its files in /sys are there
	goes,
};

struct KernelRegionEvent {
	KernelRegionChange change = KernelRegionChange::comes;
	std::uint64_t time_ns = 0; // by the clock of samples; 0: before anything that is sampled
	KernelRegion region;
};

// What is known of a module while it is there.
struct KernelModuleContent {
	std::string name;
	std::string build_id;                         // "": none
	std::shared_ptr<const KernelSymbols> symbols; // null: not known
};

} // namespace uwind

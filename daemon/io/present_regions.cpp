// SPDX-License-Identifier: GPL-2.0
// Modules, BPF programs and trampolines that are there now, by /proc/kallsyms and /proc/modules.
#include "io/present_regions.h"

#include <algorithm>

#include "io/kallsyms_text.h"

namespace uwind {
namespace {

// Of what has an end that nothing shows. Slots of kprobes take a page.
constexpr std::uint64_t most_program_bytes = 1u << 20, kprobes_bytes = 4096;

// They are symbols of their own, and no module's.
bool is_module(std::string_view owner)
{
	return owner != "bpf" && !owner.starts_with("__builtin__");
}

// " 16384 0 - Live 0xffffffffc0000000"
std::optional<KernelRegion> module_in(std::string_view line)
{
	KernelRegion region;
	region.owner = next_part(line, ' ');
	const auto bytes = parse_number(next_part(line, ' '), 10);
	const std::size_t at = line.rfind(" 0x");
	if (!bytes || at == std::string_view::npos)
		return std::nullopt;
	line.remove_prefix(at + 3);
	const auto start = parse_number(next_part(line, ' '), 16);
	if (!start || !*start)
		return std::nullopt;
	region.start = *start;
	region.bytes = *bytes;
	return region;
}

} // namespace

OwnedSymbols owned_symbols(std::string_view kallsyms, const std::vector<std::string>& only)
{
	const auto symbols = symbols_in(kallsyms, [](std::string_view line) { return line.ends_with(']'); });
	OwnedSymbols owned;
	for (std::size_t i = 0; i < symbols.size(); i++) {
		const KernelSymbolLine& symbol = symbols[i];
		const std::string owner(symbol.module);
		if (!only.empty() && std::ranges::find(only, owner) == only.end())
			continue;
		if (!is_module(owner)) {
			const std::uint64_t end = i + 1 < symbols.size() ? symbols[i + 1].address : ~std::uint64_t{0};
			const std::uint64_t most = owner == "__builtin__kprobes" ? kprobes_bytes : most_program_bytes;
			owned.others.push_back({symbol.address, std::min(end - symbol.address, most), owner,
						std::string(symbol.name)});
		} else if (symbol.is_code()) {
			auto& of_module = owned.modules[owner];
			if (!of_module)
				of_module = std::make_shared<KernelSymbols>();
			of_module->add(symbol.address, symbol.name);
		}
	}
	return owned;
}

std::vector<KernelRegion> module_regions(std::string_view modules)
{
	std::vector<KernelRegion> regions;
	each_line(modules, [&](std::string_view line) {
		if (auto region = module_in(line))
			regions.push_back(std::move(*region));
	});
	return regions;
}

} // namespace uwind

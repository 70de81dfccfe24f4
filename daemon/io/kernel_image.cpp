// SPDX-License-Identifier: GPL-2.0
// The kernel's text as /proc/kallsyms, /proc/modules, /sys/module and /proc/kcore show it.
#include "io/kernel_image.h"

#include <algorithm>
#include <cerrno>

#include "base/text.h"
#include "io/bpf_programs.h"
#include "io/clock.h"
#include "io/module_text.h"
#include "io/text_file.h"

namespace uwind {
namespace {

constexpr std::uint64_t page = 4096;
constexpr std::uint64_t most_table_bytes = 16 << 20;
constexpr std::uint64_t most_image_bytes = 256 << 20;
constexpr std::size_t jump_label_bytes = 16;
constexpr std::size_t static_call_bytes = 8;
constexpr std::uint64_t key_flags = 3;

TextArea area_of(TextPlace place, std::string name, std::uint64_t address, std::uint64_t length)
{
	TextArea area;
	area.place = place;
	area.name = std::move(name);
	area.address = address;
	area.length = length;
	return area;
}

std::optional<TextPlace> place_of_pseudo_module(std::string_view module)
{
	if (module == "bpf")
		return TextPlace::bpf;
	if (module == "__builtin__ftrace" || module == "__builtin__kprobes")
		return TextPlace::out_of_line;
	return std::nullopt;
}

// Programs say how long they are; of trampolines it is known only that they end with their page.
std::vector<TextArea> pseudo_areas(const std::vector<KernelSymbolLine>& lines)
{
	const auto lengths = lengths_of_bpf_programs();
	std::vector<TextArea> areas;
	for (std::size_t i = 0; i < lines.size(); i++) {
		const auto place = place_of_pseudo_module(lines[i].module);
		if (!place)
			continue;
		const std::uint64_t address = lines[i].address;
		std::uint64_t length = page - address % page;
		if (i + 1 < lines.size())
			length = std::min(length, lines[i + 1].address - address);
		const auto known = lengths.find(address);
		if (known != lengths.end())
			length = known->second;
		areas.push_back(area_of(*place, std::string(lines[i].name), address, length));
	}
	return areas;
}

std::uint64_t relative(std::uint64_t address, std::uint32_t offset)
{
	return address + static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(offset)});
}

} // namespace

Result<KernelImage> KernelImage::open()
{
	auto memory = KernelMemory::open();
	if (!memory)
		return memory.error();
	KernelImage image(std::move(*memory));
	image.read_symbols();
	image.fresh_ = true;
	if (image.own("_stext") == 0 || image.own("_etext") == 0)
		return Error{EPERM,
			     "/proc/kallsyms hides addresses (kernel.kptr_restrict): run as root, with CAP_SYSLOG"};
	return image;
}

void KernelImage::read_symbols()
{
	auto text = read_kallsyms();
	lines_.clear();
	text_ = text ? std::move(*text) : "";
	std::string_view rest = text_;
	while (!rest.empty())
		if (const auto line = symbol_in(next_part(rest, '\n')))
			lines_.push_back(*line);
	std::stable_sort(lines_.begin(), lines_.end(),
			 [](const KernelSymbolLine& a, const KernelSymbolLine& b) { return a.address < b.address; });
}

std::uint64_t KernelImage::own(std::string_view symbol) const
{
	const auto found = std::find_if(lines_.begin(), lines_.end(), [&](const KernelSymbolLine& line) {
		return line.module.empty() && line.name == symbol;
	});
	return found == lines_.end() ? 0 : found->address;
}

Result<std::vector<TextArea>> KernelImage::areas()
{
	if (!fresh_)
		read_symbols();
	const std::uint64_t begin = own("_stext"), end = own("_etext");
	if (begin >= end || end - begin > most_image_bytes)
		return Error{EPROTO, "/proc/kallsyms: the kernel's text has no bounds: _stext " + hex(begin) +
					     ", _etext " + hex(end)};
	std::vector<TextArea> areas = modules();
	std::erase_if(areas, [](const TextArea& area) { return area.length == 0; });
	areas.push_back(area_of(TextPlace::image, "kernel", begin, end - begin));
	const auto others = pseudo_areas(lines_);
	areas.insert(areas.end(), others.begin(), others.end());
	return areas;
}

std::vector<TextArea> KernelImage::modules()
{
	std::vector<TextArea> found;
	const auto modules = read_text("/proc/modules");
	std::string_view rest = modules ? std::string_view(*modules) : std::string_view();
	while (!rest.empty()) {
		std::string_view line = next_part(rest, '\n');
		const std::string name(next_part(line, ' '));
		std::vector<std::uint64_t> code;
		for (const KernelSymbolLine& one : lines_)
			if (one.module == name && one.is_code())
				code.push_back(one.address);
		const TextRange text = text_in_sections(sections_of_module(name), code);
		found.push_back(area_of(TextPlace::module, name, text.address, text.bytes));
	}
	return found;
}

Status KernelImage::read(std::uint64_t address, std::span<std::uint8_t> bytes)
{
	return memory_.read(address, bytes);
}

std::vector<TextSymbol> KernelImage::symbols(const std::optional<std::string>& module)
{
	if (!fresh_ || module)
		read_symbols();
	fresh_ = false;
	std::vector<TextSymbol> found;
	for (const KernelSymbolLine& line : lines_)
		if (line.is_code() && (!module || line.module == *module))
			found.push_back({line.address, std::string(line.name), std::string(line.module)});
	return found;
}

std::vector<std::uint8_t> KernelImage::table(const TextRange& range)
{
	std::vector<std::uint8_t> bytes(std::min(range.bytes, most_table_bytes));
	return memory_.read(range.address, bytes) ? bytes : std::vector<std::uint8_t>();
}

TextRange KernelImage::between(std::string_view begin, std::string_view end) const
{
	const std::uint64_t from = own(begin), to = own(end);
	return {from, from && from < to ? to - from : 0};
}

// Of the last symbol before it. Some kernels list data as code: types say nothing.
std::string KernelImage::name_of_data(std::uint64_t address) const
{
	const auto after =
		std::upper_bound(lines_.begin(), lines_.end(), address,
				 [](std::uint64_t a, const KernelSymbolLine& line) { return a < line.address; });
	if (after == lines_.begin())
		return "";
	const KernelSymbolLine& line = after[-1];
	const std::uint64_t offset = address - line.address;
	return offset ? std::string(line.name) + "+" + std::to_string(offset) : std::string(line.name);
}

// The symbols are those of the last call of symbols().
TextSites KernelImage::sites(const std::optional<std::string>& module)
{
	TextRange jumps = between("__start___jump_table", "__stop___jump_table");
	TextRange calls = between("__start_static_call_sites", "__stop_static_call_sites");
	if (module) {
		const ModuleSections sections = sections_of_module(*module);
		jumps = section_of_module(sections, "__jump_table");
		calls = section_of_module(sections, ".static_call_sites");
	}
	TextSites sites;
	for (const auto& [code, key] : jump_labels_in(table(jumps), jumps.address))
		sites.jump_labels.push_back({code, name_of_data(key)});
	for (const auto& [code, key] : static_calls_in(table(calls), calls.address)) {
		std::string name = name_of_data(key);
		constexpr std::string_view prefix = "__SCK__";
		sites.static_calls.push_back({code, name.starts_with(prefix) ? name.substr(prefix.size()) : name});
	}
	return sites;
}

std::uint64_t KernelImage::now_ns()
{
	return clock_ns(CLOCK_MONOTONIC);
}

std::vector<std::pair<std::uint64_t, std::uint64_t>> jump_labels_in(Bytes table, std::uint64_t address)
{
	std::vector<std::pair<std::uint64_t, std::uint64_t>> found;
	for (std::size_t at = 0; at + jump_label_bytes <= table.size(); at += jump_label_bytes) {
		ByteCursor entry(table, at);
		const std::uint32_t offset = entry.u32();
		if (offset == 0) // past the table's end
			break;
		entry.skip(4);
		found.emplace_back(relative(address + at, offset), address + at + 8 + (entry.u64() & ~key_flags));
	}
	return found;
}

std::vector<std::pair<std::uint64_t, std::uint64_t>> static_calls_in(Bytes table, std::uint64_t address)
{
	std::vector<std::pair<std::uint64_t, std::uint64_t>> found;
	for (std::size_t at = 0; at + static_call_bytes <= table.size(); at += static_call_bytes) {
		ByteCursor entry(table, at);
		const std::uint32_t offset = entry.u32();
		if (offset == 0)
			break;
		found.emplace_back(relative(address + at, offset),
				   relative(address + at + 4, entry.u32()) & ~key_flags);
	}
	return found;
}

} // namespace uwind

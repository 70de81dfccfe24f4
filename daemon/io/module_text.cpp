// SPDX-License-Identifier: GPL-2.0
// Where modules of the kernel have their text, as /sys/module and /proc/kallsyms show it.
#include "io/module_text.h"

#include <algorithm>
#include <filesystem>

#include "base/text.h"
#include "io/kallsyms_text.h"
#include "io/text_file.h"

namespace uwind {
namespace {

constexpr std::uint64_t page = 4096;
constexpr std::uint64_t most_module_bytes = 64 << 20;
constexpr std::size_t most_sections = 4096;

// Linked into the module's text: all that is executable and not of its init.
bool is_text(const std::string& section)
{
	if (section.starts_with(".init") || section.find(".rodata") != std::string::npos)
		return false;
	return section.find(".text") != std::string::npos || section == ".plt" || section == ".altinstr_replacement" ||
	       section == ".fixup";
}

bool is_of_init(const std::string& section)
{
	return section.starts_with(".init") || section.starts_with("__param") || section == ".symtab" ||
	       section == ".strtab";
}

std::uint64_t page_after(std::uint64_t address)
{
	return (address / page + 1) * page;
}

} // namespace

ModuleSections sections_of_module(const std::string& name)
{
	ModuleSections sections;
	std::error_code failed;
	const std::filesystem::path folder = "/sys/module/" + name + "/sections";
	for (auto entry = std::filesystem::directory_iterator(folder, failed);
	     !failed && entry != std::filesystem::directory_iterator() && sections.size() < most_sections;
	     entry.increment(failed)) {
		auto text = read_text(entry->path().string());
		while (text && !text->empty() && text->back() == '\n')
			text->pop_back();
		if (text && text->starts_with("0x"))
			if (const auto address = parse_number(std::string_view(*text).substr(2), 16))
				sections[entry->path().filename().string()] = *address;
	}
	return sections;
}

// The text's pages come first; those of data, of which some kernels have the first right after them, end it. No symbol
// has a size: the page of the last one before any other section ends it elsewhere.
TextRange text_in_sections(const ModuleSections& sections, const std::vector<std::uint64_t>& symbols)
{
	std::uint64_t begin = ~std::uint64_t{0}, last = 0;
	for (const auto& [name, address] : sections)
		if (is_text(name) && address) {
			begin = std::min(begin, address);
			last = std::max(last, address);
		}
	if (last == 0)
		return {};
	std::uint64_t data = ~std::uint64_t{0}, other = data;
	for (const auto& [name, address] : sections)
		if (!is_text(name) && address > last) {
			other = std::min(other, address);
			if (!is_of_init(name))
				data = std::min(data, address / page * page);
		}
	for (const std::uint64_t symbol : symbols)
		if (symbol >= begin && symbol < other && symbol - begin < most_module_bytes)
			last = std::max(last, symbol);
	std::uint64_t end = page_after(last);
	if (data >= end && data - end <= page)
		end = data;
	begin = begin / page * page;
	return {begin, end - begin <= most_module_bytes ? end - begin : 0};
}

TextRange section_of_module(const ModuleSections& sections, const std::string& name)
{
	const auto found = sections.find(name);
	if (found == sections.end())
		return {};
	std::uint64_t end = ~std::uint64_t{0};
	for (const auto& [other, address] : sections)
		if (address > found->second)
			end = std::min(end, address);
	const bool last = end - found->second > most_module_bytes;
	return {found->second, last ? page_after(found->second) - found->second : end - found->second};
}

TextRange text_of_module(const std::string& name)
{
	std::vector<std::uint64_t> code;
	const auto symbols = read_kallsyms();
	std::string_view rest = symbols ? std::string_view(*symbols) : std::string_view();
	while (!rest.empty()) {
		const auto line = symbol_in(next_part(rest, '\n'));
		if (line && line->module == name && line->is_code())
			code.push_back(line->address);
	}
	return text_in_sections(sections_of_module(name), code);
}

} // namespace uwind

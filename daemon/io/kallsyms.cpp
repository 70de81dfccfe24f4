// SPDX-License-Identifier: GPL-2.0
// Names of kernel code, as /proc/kallsyms, /proc/modules and /sys show them now.
#include "io/kallsyms.h"

#include <algorithm>
#include <cstring>
#include <elf.h>

#include "base/text.h"
#include "io/kernel_types.h"
#include "io/syscall_names.h"
#include "io/text_file.h"

namespace uwind {
namespace {

constexpr std::size_t most_kallsyms_bytes = 64u << 20;
constexpr std::string_view code_types = "tTwWiI";
constexpr std::size_t note_head_bytes = sizeof(Elf64_Nhdr); // the same for 32 bits

// A line of /proc/kallsyms: "ffffffff81000000 T _stext", and of a module "\t[name]" at its end.
struct Symbol {
	std::uint64_t address = 0;
	char type = 0;
	std::string_view name;
	std::string_view module; // "": none
};

std::optional<Symbol> symbol_in(std::string_view line)
{
	const std::size_t space = line.find(' ');
	if (space == std::string_view::npos || line.size() < space + 4)
		return std::nullopt;
	const auto address = parse_number(line.substr(0, space), 16);
	Symbol symbol;
	symbol.type = line[space + 1];
	if (!address || *address == 0)
		return std::nullopt;
	symbol.address = *address;
	symbol.name = line.substr(space + 3);
	const std::size_t tab = symbol.name.find('\t');
	if (tab == std::string_view::npos)
		return symbol;
	symbol.module = symbol.name.substr(tab + 1);
	symbol.name = symbol.name.substr(0, tab);
	if (symbol.module.size() > 2 && symbol.module.front() == '[' && symbol.module.back() == ']')
		symbol.module = symbol.module.substr(1, symbol.module.size() - 2);
	return symbol;
}

template <typename Take>
void each_line(std::string_view text, Take take)
{
	while (!text.empty())
		take(next_part(text, '\n'));
}

std::size_t underscores(std::string_view name)
{
	return std::min(name.find_first_not_of('_'), name.size());
}

bool is_code(const Symbol& symbol)
{
	return code_types.find(symbol.type) != std::string_view::npos;
}

// Of several names for one address, as perf chooses: code, not local, with few underscores before it, long.
bool is_better(const Symbol& a, const Symbol& b)
{
	if (is_code(a) != is_code(b))
		return is_code(a);
	const bool a_global = a.type < 'a', b_global = b.type < 'a';
	if (a_global != b_global)
		return a_global;
	if (underscores(a.name) != underscores(b.name))
		return underscores(a.name) < underscores(b.name);
	return a.name.size() > b.name.size();
}

bool is_nearer(const Symbol& a, const Symbol& b)
{
	return a.address != b.address ? a.address > b.address : is_better(a, b);
}

// Of each address, the symbol at it or next below. The list is long, the addresses are few: they are sorted, not it.
std::vector<std::optional<Symbol>> nearest_below(std::string_view text, const std::vector<std::uint64_t>& sorted)
{
	std::vector<std::optional<Symbol>> nearest(sorted.size());
	each_line(text, [&](std::string_view line) {
		const auto symbol = symbol_in(line);
		const auto above = symbol ? std::ranges::lower_bound(sorted, symbol->address) : sorted.end();
		if (above == sorted.end())
			return;
		auto& known = nearest[static_cast<std::size_t>(above - sorted.begin())];
		if (!known || is_nearer(*symbol, *known))
			known = symbol;
	});
	for (std::size_t i = 1; i < nearest.size(); i++)
		if (!nearest[i])
			nearest[i] = nearest[i - 1];
	return nearest;
}

// No symbol has a size, so that the next one ends it, whatever it is.
std::optional<KernelName> name_in(const std::optional<Symbol>& symbol, std::uint64_t address)
{
	if (!symbol || !is_code(*symbol))
		return std::nullopt;
	return KernelName{std::string(symbol->name), address - symbol->address, std::string(symbol->module)};
}

std::size_t padded(std::size_t bytes)
{
	return (bytes + 3) & ~std::size_t(3);
}

} // namespace

std::vector<std::optional<KernelName>> find_in_kallsyms(std::string_view text,
							const std::vector<std::uint64_t>& addresses)
{
	std::vector<std::uint64_t> sorted = addresses;
	std::ranges::sort(sorted);
	const auto nearest = nearest_below(text, sorted);
	std::vector<std::optional<KernelName>> names;
	names.reserve(addresses.size());
	for (const std::uint64_t address : addresses) {
		const auto at = std::ranges::lower_bound(sorted, address) - sorted.begin();
		names.push_back(name_in(nearest[static_cast<std::size_t>(at)], address));
	}
	return names;
}

std::uint64_t address_in_kallsyms(std::string_view text, std::string_view name)
{
	std::uint64_t address = 0;
	each_line(text, [&](std::string_view line) {
		if (!line.ends_with(name))
			return;
		const auto symbol = symbol_in(line);
		if (symbol && !address && symbol->name == name && symbol->module.empty())
			address = symbol->address;
	});
	return address;
}

std::uint64_t module_start_in(std::string_view modules, std::string_view name)
{
	std::uint64_t start = 0;
	each_line(modules, [&](std::string_view line) {
		const std::size_t at = line.rfind(" 0x");
		if (line.size() <= name.size() || !line.starts_with(name) || line[name.size()] != ' ' ||
		    at == std::string_view::npos)
			return;
		const std::string_view digits = line.substr(at + 3);
		start = parse_number(digits.substr(0, digits.find(' ')), 16).value_or(0);
	});
	return start;
}

std::string build_id_in(Bytes notes)
{
	while (notes.size() >= note_head_bytes) {
		const std::size_t name = padded(word_at(notes, 0)), id = word_at(notes, 4);
		const std::uint32_t type = word_at(notes, 8);
		notes = notes.subspan(note_head_bytes);
		if (name > notes.size() || id > notes.size() - name)
			break;
		if (type == NT_GNU_BUILD_ID && name == 4 && !std::memcmp(notes.data(), "GNU", 4))
			return digits_of(notes.subspan(name, id));
		notes = notes.subspan(std::min(notes.size(), name + padded(id)));
	}
	return "";
}

std::vector<std::optional<KernelName>> Kallsyms::find(const std::vector<std::uint64_t>& addresses)
{
	if (addresses.empty())
		return {};
	const auto text = read_text("/proc/kallsyms", most_kallsyms_bytes);
	return find_in_kallsyms(text ? std::string_view(*text) : std::string_view(), addresses);
}

std::vector<std::uint64_t> Kallsyms::addresses_of(const std::vector<std::string>& symbols)
{
	const auto text = read_text("/proc/kallsyms", most_kallsyms_bytes);
	std::vector<std::uint64_t> addresses;
	addresses.reserve(symbols.size());
	for (const std::string& symbol : symbols)
		addresses.push_back(text ? address_in_kallsyms(*text, symbol) : 0);
	return addresses;
}

std::vector<std::optional<KernelSignature>> Kallsyms::signatures(const std::vector<KernelName>& functions)
{
	return signatures_in_btf(functions, btf_folder);
}

std::string Kallsyms::syscall_name(std::uint32_t number, bool compat)
{
	return name_of_syscall(number, compat);
}

KernelModule Kallsyms::module(const std::string& name)
{
	const auto notes =
		read_text(name.empty() ? "/sys/kernel/notes" : "/sys/module/" + name + "/notes/.note.gnu.build-id");
	KernelModule module;
	if (notes)
		module.build_id =
			build_id_in(Bytes(reinterpret_cast<const std::uint8_t*>(notes->data()), notes->size()));
	if (name.empty())
		return module;
	if (const auto modules = read_text("/proc/modules"))
		module.start = module_start_in(*modules, name);
	return module;
}

} // namespace uwind

// SPDX-License-Identifier: GPL-2.0
// Names of kernel code, as /proc/kallsyms, /proc/modules and /sys show them now.
#include "io/kallsyms.h"

#include <algorithm>
#include <cstring>
#include <elf.h>

#include "base/text.h"
#include "io/kallsyms_text.h"
#include "io/kernel_types.h"
#include "io/syscall_names.h"
#include "io/text_file.h"

namespace uwind {
namespace {

constexpr std::size_t note_head_bytes = sizeof(Elf64_Nhdr); // the same for 32 bits

std::size_t padded(std::size_t bytes)
{
	return (bytes + 3) & ~std::size_t(3);
}

} // namespace

std::vector<std::optional<KernelName>> find_in_kallsyms(std::string_view text,
							const std::vector<std::uint64_t>& addresses)
{
	const auto symbols = symbols_in(text, [](std::string_view) { return true; });
	std::vector<std::optional<KernelName>> names;
	names.reserve(addresses.size());
	for (const std::uint64_t address : addresses) {
		auto found = std::upper_bound(
			symbols.begin(), symbols.end(), address,
			[](std::uint64_t a, const KernelSymbolLine& symbol) { return a < symbol.address; });
		if (found == symbols.begin()) {
			names.emplace_back();
			continue;
		}
		--found;
		if (!found->is_code()) { // no symbol has a size, so that the next one ends it, whatever it is
			names.emplace_back();
			continue;
		}
		names.push_back(
			KernelName{std::string(found->name), address - found->address, std::string(found->module)});
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
	const auto text = read_kallsyms();
	return find_in_kallsyms(text ? std::string_view(*text) : std::string_view(), addresses);
}

std::vector<std::uint64_t> Kallsyms::addresses_of(const std::vector<std::string>& symbols)
{
	const auto text = read_kallsyms();
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

std::string build_id_of_module(const std::string& name)
{
	const auto notes =
		read_text(name.empty() ? "/sys/kernel/notes" : "/sys/module/" + name + "/notes/.note.gnu.build-id");
	return notes ? build_id_in(Bytes(reinterpret_cast<const std::uint8_t*>(notes->data()), notes->size())) : "";
}

KernelModule Kallsyms::module(const std::string& name)
{
	KernelModule module;
	module.build_id = build_id_of_module(name);
	if (name.empty())
		return module;
	if (const auto modules = read_text("/proc/modules"))
		module.start = module_start_in(*modules, name);
	return module;
}

} // namespace uwind

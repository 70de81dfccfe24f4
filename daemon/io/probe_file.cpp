// SPDX-License-Identifier: GPL-2.0
// Reads where probes can be put into a program or a library.
#include "io/probe_file.h"

#include <cerrno>
#include <climits>
#include <cstdlib>
#include <fcntl.h>

#include "elf/probe_places.h"
#include "io/child.h"
#include "io/debug_file.h"

namespace uwind {
namespace {

constexpr std::size_t most_symbols = 4u << 20;

// With every link followed: the kernel keeps the probe with the file itself.
Result<std::string> absolute(const std::string& path)
{
	std::string found = path;
	if (path.find('/') == std::string::npos) {
		const auto program = find_program(path);
		if (!program)
			return Error{ENOENT, "no program is called '" + path + "': a library needs its whole path"};
		found = *program;
	}
	char resolved[PATH_MAX];
	if (!::realpath(found.c_str(), resolved))
		return errno_error(errno, found);
	return std::string(resolved);
}

// symbols: of the file itself or of its debug file, whose addresses are the same.
void add_functions(const ElfFile& file, const ElfFile& symbols, std::uint32_t type, std::vector<ProbeSymbol>& functions)
{
	const std::uint64_t thumb = file.arch() == Arch::arm ? 1 : 0;
	symbols.each_symbol(type, [&](const ElfSymbol& symbol) {
		// "malloc@@GLIBC_2.2.5" is malloc.
		const std::string_view name = symbol.name.substr(0, symbol.name.find('@'));
		if (GELF_ST_TYPE(symbol.info) != STT_FUNC || symbol.section == SHN_UNDEF || name.empty() ||
		    functions.size() >= most_symbols)
			return;
		if (const auto offset = offset_of_address(file, symbol.value & ~thumb))
			functions.push_back({std::string(name), *offset, symbol.bytes});
	});
}

std::vector<ProbeSymbol> functions_of(const ElfFile& file, const std::string& path)
{
	std::vector<ProbeSymbol> functions;
	add_functions(file, file, SHT_SYMTAB, functions);
	if (functions.empty())
		if (const DebugFile debug = find_debug_file(file, {path, debug_folder}); debug.elf)
			add_functions(file, *debug.elf, SHT_SYMTAB, functions);
	if (const ElfFile* const packed = functions.empty() ? file.packed_debug_file() : nullptr)
		add_functions(file, *packed, SHT_SYMTAB, functions);
	add_functions(file, file, SHT_DYNSYM, functions);
	return functions;
}

} // namespace

Result<ProbeFile> read_probe_file(const std::string& path)
{
	const auto place = absolute(path);
	if (!place)
		return place.error();
	const UniqueFd fd(::open(place->c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
	if (!fd)
		return errno_error(errno, *place);
	const auto file = ElfFile::open(fd.get());
	if (!file)
		return Error{EINVAL, file.error(*place).message};
	ProbeFile probes;
	probes.path = *place;
	probes.symbols = functions_of(*file, *place);
	for (const StapNote& note : stap_notes(*file)) {
		const auto offset = offset_of_address(*file, note.address);
		const auto semaphore = note.semaphore ? offset_of_address(*file, note.semaphore) : 0;
		if (offset && semaphore)
			probes.places.push_back({note.provider, note.name, *offset, *semaphore});
	}
	return probes;
}

} // namespace uwind

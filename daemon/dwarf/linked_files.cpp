// SPDX-License-Identifier: GPL-2.0
// Other files that a file's debug information is continued in.
#include "dwarf/linked_files.h"

#include <algorithm>
#include <dwarf.h>
#include <elfutils/libdwelf.h>
#include <memory>

#include "base/handle.h"
#include "base/text.h"

namespace uwind {
namespace {

using DwarfHandle = std::unique_ptr<Dwarf, FreeWith<&dwarf_end>>;

constexpr std::size_t max_units = 1 << 20;
constexpr std::ptrdiff_t max_build_id_bytes = 64;

std::string text_in(Dwarf_Die& unit, std::initializer_list<unsigned> names)
{
	Dwarf_Attribute attribute;
	for (const unsigned name : names)
		if (const char* text = dwarf_formstring(dwarf_attr(&unit, name, &attribute)))
			return text;
	return "";
}

struct Unit {
	std::uint8_t type = 0;
	std::uint64_t id = 0;
	Dwarf_Die die{};
};

// visit: whether to go on.
template <typename Visit>
void each_unit(int fd, const Visit& visit)
{
	const DwarfHandle dwarf(dwarf_begin(fd, DWARF_C_READ));
	Dwarf_CU* next = nullptr;
	for (std::size_t count = 0; dwarf && count < max_units; count++) {
		Unit unit;
		if (dwarf_get_units(dwarf.get(), next, &next, nullptr, nullptr, &unit.die, nullptr) != 0)
			return;
		if (dwarf_cu_info(unit.die.cu, nullptr, &unit.type, nullptr, nullptr, &unit.id, nullptr, nullptr) ==
			    0 &&
		    !visit(unit))
			return;
	}
}

} // namespace

std::optional<SharedDebug> shared_debug_of(Dwarf* dwarf)
{
	const char* name = nullptr;
	const void* id = nullptr;
	const std::ptrdiff_t length = dwelf_dwarf_gnu_debugaltlink(dwarf, &name, &id);
	if (length <= 0 || length > max_build_id_bytes)
		return std::nullopt;
	return SharedDebug{name,
			   digits_of(Bytes(static_cast<const std::uint8_t*>(id), static_cast<std::size_t>(length)))};
}

std::optional<SharedDebug> shared_debug_of(int fd)
{
	const DwarfHandle dwarf(dwarf_begin(fd, DWARF_C_READ));
	return dwarf ? shared_debug_of(dwarf.get()) : std::nullopt;
}

std::vector<SplitDebug> split_debug_of(int fd)
{
	std::vector<SplitDebug> found;
	each_unit(fd, [&](Unit& unit) {
		if (unit.type == DW_UT_skeleton)
			found.push_back({unit.id, text_in(unit.die, {DW_AT_dwo_name, DW_AT_GNU_dwo_name}),
					 text_in(unit.die, {DW_AT_comp_dir})});
		return true;
	});
	return found;
}

bool has_split_unit(int fd, std::uint64_t id)
{
	bool found = false;
	each_unit(fd, [&](const Unit& unit) {
		found = unit.type == DW_UT_split_compile && unit.id == id;
		return !found;
	});
	return found;
}

} // namespace uwind

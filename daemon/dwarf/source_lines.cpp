// SPDX-License-Identifier: GPL-2.0
// Functions and lines of source at addresses of a file.
#include "dwarf/source_lines.h"

#include <cerrno>
#include <dwarf.h>
#include <map>

#include "dwarf/scopes.h"
#include "dwarf/units.h"

namespace uwind {
namespace {

std::string text_of(const char* text)
{
	return text ? text : "";
}

// As linkers know it, else as the source has it.
std::string function_name(Dwarf_Die entry)
{
	Dwarf_Attribute attribute;
	for (const unsigned name : {DW_AT_linkage_name, DW_AT_MIPS_linkage_name})
		if (const char* text = dwarf_formstring(dwarf_attr_integrate(&entry, name, &attribute)))
			return text;
	return text_of(dwarf_diename(&entry));
}

SourcePlace line_at(Dwarf_Die unit, Dwarf_Addr address)
{
	SourcePlace place;
	int number = 0;
	Dwarf_Line* line = dwarf_getsrc_die(&unit, address);
	if (line && dwarf_lineno(line, &number) == 0 && number > 0) {
		place.line = static_cast<std::uint32_t>(number);
		place.file = text_of(dwarf_linesrc(line, nullptr, nullptr));
	}
	return place;
}

std::uint32_t number_in(Dwarf_Die& entry, unsigned name)
{
	Dwarf_Attribute attribute;
	Dwarf_Word value = 0;
	return dwarf_formudata(dwarf_attr(&entry, name, &attribute), &value) == 0 ? static_cast<std::uint32_t>(value)
										  : 0;
}

// Where an inlined function was called (DWARF 5, 3.3.8.2).
SourcePlace call_of(const DwarfUnit& unit, Dwarf_Die inlined)
{
	SourcePlace place;
	Dwarf_Die scopes = unit.scopes;
	Dwarf_Files* files = nullptr;
	std::size_t number_of_files = 0;
	const std::uint32_t file = number_in(inlined, DW_AT_call_file);
	if (dwarf_getsrcfiles(&scopes, &files, &number_of_files) == 0 && file < number_of_files)
		place.file = text_of(dwarf_filesrc(files, file, nullptr, nullptr));
	place.line = number_in(inlined, DW_AT_call_line);
	return place;
}

std::vector<SourcePlace> places_of(const DwarfUnit& unit, Dwarf_Addr address, const FunctionScopes& scopes)
{
	std::vector<SourcePlace> places;
	SourcePlace next = line_at(unit.lines, address);
	for (auto scope = scopes.rbegin(); scope != scopes.rend(); ++scope) {
		places.push_back(std::move(next));
		places.back().function = function_name(*scope);
		next = call_of(unit, *scope);
	}
	if (places.empty() && next.line)
		places.push_back(std::move(next));
	return places;
}

} // namespace

class SourceLines::File {
public:
	explicit File(OpenedDwarf dwarf) : dwarf_(std::move(dwarf)), units_(dwarf_.get()) {}

	const OpenedDwarf& dwarf() const { return dwarf_; }
	const DwarfUnits& units() const { return units_; }

private:
	const OpenedDwarf dwarf_;
	const DwarfUnits units_;
};

SourceLines::SourceLines(std::unique_ptr<File> file) : file_(std::move(file)) {}
SourceLines::~SourceLines() = default;
SourceLines::SourceLines(SourceLines&&) noexcept = default;
SourceLines& SourceLines::operator=(SourceLines&&) noexcept = default;

Result<SourceLines> SourceLines::open(std::shared_ptr<UniqueFd> fd, const FindSharedDebug& find)
{
	auto dwarf = OpenedDwarf::open(std::move(fd), find);
	if (!dwarf)
		return dwarf.error();
	auto file = std::make_unique<File>(std::move(*dwarf));
	if (file->units().empty())
		return Error{ENODATA, "its debug information has no code"};
	return SourceLines(std::move(file));
}

const std::vector<std::uint64_t>& SourceLines::section_addresses() const
{
	return file_->dwarf().section_addresses();
}

std::string SourceLines::lacks() const
{
	const DwarfUnits::Missing& missing = file_->units().missing();
	std::string text = file_->dwarf().lacks();
	if (missing.units)
		text += (text.empty() ? "" : "; ") + std::string("of ") + std::to_string(missing.units) +
			" units the debug information was split off, and is not there (" + missing.name + ")";
	return text;
}

std::vector<std::vector<SourcePlace>> SourceLines::at(const std::vector<std::uint64_t>& addresses)
{
	std::map<const DwarfUnit*, std::vector<std::size_t>> by_unit;
	for (std::size_t i = 0; i < addresses.size(); i++)
		if (const DwarfUnit* unit = file_->units().at(addresses[i]))
			by_unit[unit].push_back(i);
	std::vector<std::vector<SourcePlace>> places(addresses.size());
	for (const auto& [unit, indices] : by_unit) {
		std::vector<Dwarf_Addr> inside;
		for (const std::size_t index : indices)
			inside.push_back(addresses[index]);
		const auto scopes = scopes_at(unit->scopes, inside);
		for (std::size_t i = 0; i < indices.size(); i++)
			places[indices[i]] = places_of(*unit, inside[i], scopes[i]);
	}
	return places;
}

} // namespace uwind

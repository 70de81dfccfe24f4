// SPDX-License-Identifier: GPL-2.0
// Chooses between the two sources, and keeps one when the other is broken.
#include "tables/table_builder.h"

#include "elf/sections.h"
#include "tables/file_rows.h"
#include "tables/known/plt.h"
#include "tables/row_builder.h"
#include "tables/sframe_rows.h"

extern "C" {
#include "types.h"
}

#include <cerrno>

namespace uwind {
namespace {

// A usable .sframe: the section for the module, and the rows it stands for.
struct Sframe {
	SframeSection section;
	TableRows rows;
};

Result<Sframe> read_sframe(const ElfFile& file)
{
	if (word_bytes(file.arch()) == 4)
		return Error{ENODATA, ""}; // SFrame knows no 32-bit architecture
	const ElfFile::Found found = sframe_section(file);
	if (!found)
		return found.error();
	if (!*found)
		return Error{ENODATA, ""};
	Sframe result;
	result.section.bytes.assign((*found)->bytes.begin(), (*found)->bytes.end());
	result.section.address = (*found)->address;
	result.section.segments = file.segments();
	Result<TableRows> rows = lower_sframe(result.section, file.arch());
	if (!rows)
		return rows.error();
	result.rows = std::move(*rows);
	return result;
}

void add_note(std::string& note, const std::string& text)
{
	note += (note.empty() ? "" : "; ") + text;
}

TableContent complete(Sframe sframe, const Result<TableRows>& known, const ElfFile& file, std::string& note)
{
	if (!known)
		return std::move(sframe.section);
	TableRows filled = sframe.rows;
	const bool corrected = correct_plt(filled, *known, file);
	if (corrected)
		add_note(note, ".sframe has wrong rows for a PLT; they are from elsewhere");
	const std::uint64_t covered = covered_bytes(filled);
	fill_gaps(filled, *known);
	const std::uint64_t added = covered_bytes(filled) - covered;
	if (added)
		add_note(note, ".sframe says nothing about " + std::to_string(added) +
				       " bytes of code; their rows are from elsewhere");
	if (!added && !corrected)
		return std::move(sframe.section);
	number_by_use(filled);
	filled.inexpressible = known->inexpressible;
	return filled;
}

FileTable describe(const ElfFile& file)
{
	FileTable table;
	table.segments = file.segments();
	table.build_id = file.build_id();
	table.arch = file.arch();
	return table;
}

Status check_machine(const ElfFile& file, Arch machine)
{
	if (machine == Arch::none || file.arch() == machine || file.arch() == compat_of(machine))
		return Nothing{};
	return Error{ENOEXEC, std::string("it is for ") + arch_name(file.arch()) + ", not for this machine"};
}

// For the .debug_frame that the file itself was stripped of.
Result<TableRows> lower_with_debug_file(const ElfFile& file, const DebugFiles& debug_files)
{
	if (!debug_files || file.build_id().empty())
		return rows_of_file(file);
	const UniqueFd fd = debug_files(file.build_id());
	const Result<ElfFile> debug = ElfFile::open(fd.get());
	const bool fits = debug && debug->build_id() == file.build_id() && debug->arch() == file.arch();
	return rows_of_file(file, fits ? &*debug : nullptr);
}

} // namespace

Arch host_arch()
{
#if defined(__aarch64__)
	return Arch::arm64;
#elif defined(__x86_64__)
	return Arch::x86_64;
#else
	return Arch::none;
#endif
}

Result<FileTable> build_table(const ElfFile& file, SframeUse use, const DebugFiles& debug_files)
{
	FileTable table = describe(file);
	Result<Sframe> sframe = read_sframe(file);
	if (sframe && use == SframeUse::alone) {
		table.method = sframe->rows.method;
		table.content = std::move(sframe->section);
		return table;
	}
	Result<TableRows> rows = lower_with_debug_file(file, debug_files);
	if (sframe) {
		table.method = sframe->rows.method;
		table.content = complete(std::move(*sframe), rows, file, table.note);
		return table;
	}
	table.sframe_refused = sframe.error().code != ENODATA;
	if (table.sframe_refused)
		table.note = "not used: " + sframe.error().message;
	if (!rows)
		return table.note.empty() ? rows.error() : rows.error(table.note);
	table.method = rows->method;
	table.content = std::move(*rows);
	return table;
}

Result<FileTable> build_file_table(const ElfFile& file, Arch machine, const DebugFiles& debug_files)
{
	if (Status status = check_machine(file, machine); !status)
		return status.error();
	return build_table(file, SframeUse::completed, debug_files);
}

Result<TableRows> rows_of_table(const FileTable& table)
{
	if (const auto* rows = std::get_if<TableRows>(&table.content))
		return *rows;
	return lower_sframe(std::get<SframeSection>(table.content), table.arch);
}

namespace {

bool is_covered(const Rule& rule)
{
	return rule.kind != UW_RULE_NONE && rule.kind != UW_RULE_UNKNOWN;
}

} // namespace

std::uint64_t covered_bytes(const TableRows& table)
{
	std::uint64_t bytes = 0;
	for (std::size_t i = 0; i + 1 < table.rows.size(); i++)
		if (is_covered(table.rules[table.rows[i].rule]))
			bytes += table.rows[i + 1].start - table.rows[i].start;
	return bytes;
}

} // namespace uwind

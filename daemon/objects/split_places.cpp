// SPDX-License-Identifier: GPL-2.0
// Where debug information that was split off is. libdw looks for the name that a unit says in the folder of the file
// that has the unit, whatever that name is, and for nothing else that could be chosen. So that file is put into a
// folder that is deep enough for names with "..", and what was split off is linked from there.
#include "objects/split_places.h"

#include <cerrno>
#include <cstdio>
#include <filesystem>

#include "io/procfs.h"

namespace uwind {
namespace {

namespace fs = std::filesystem;

constexpr char deep[] = "1/2/3/4/5/6/7/8";

std::optional<FoundFile> opened_as(const fs::path& path, std::uint64_t id)
{
	auto there = Procfs().open_path(path);
	if (!there || !has_split_unit(there->fd.get(), id))
		return std::nullopt;
	auto elf = ElfFile::open_any(there->fd.get());
	if (!elf)
		return std::nullopt;
	return FoundFile{path, std::make_shared<UniqueFd>(std::move(there->fd)), std::move(*elf)};
}

// Where libdw looks below the folder of layout for a name. "": outside of it.
fs::path place_of(const fs::path& layout, const std::string& name)
{
	const fs::path place = (fs::path(deep) / name).lexically_normal();
	const bool inside =
		!name.empty() && !fs::path(name).is_absolute() && place.has_filename() && *place.begin() != "..";
	return inside ? layout / place : fs::path();
}

// first: why it cannot be done, of those before it.
void note(std::error_code& first, const std::error_code& error)
{
	if (!first && error && error != std::errc::file_exists)
		first = error;
}

std::error_code link_split(const fs::path& layout, const fs::path& files, int fd)
{
	std::error_code first, error;
	for (const SplitDebug& split : split_debug_of(fd)) {
		const fs::path file = files.string() + split_member(split.id), place = place_of(layout, split.name);
		if (place.empty() || !fs::exists(file, error))
			continue;
		fs::create_directories(place.parent_path(), error);
		note(first, error);
		fs::create_hard_link(file, place, error);
		note(first, error);
	}
	return first;
}

} // namespace

std::string split_member(std::uint64_t id)
{
	char text[32];
	std::snprintf(text, sizeof(text), ".dwo/%016llx.dwo", static_cast<unsigned long long>(id));
	return text;
}

std::optional<FoundFile> find_split(const std::string& beside, const SplitDebug& split)
{
	std::error_code error;
	const fs::path own = fs::canonical(beside, error);
	if (!error)
		if (auto found = opened_as(own.parent_path() / split.name, split.id))
			return found;
	return opened_as(fs::path(split.folder) / split.name, split.id);
}

Status lay_out_split(const std::string& folder, const std::string& build_id)
{
	const std::string file = folder + place_of_build_id(build_id);
	for (const std::string ending : {"", ".debug"}) {
		std::error_code error, ignored;
		if (!fs::exists(file + ending, ignored))
			continue;
		const fs::path layout = file + ".laid-out" + ending, own = layout / deep / "0";
		fs::create_directories(own.parent_path(), error);
		if (!error)
			fs::rename(file + ending, own, error);
		if (!error)
			fs::create_symlink(own, file + ending, error);
		const auto opened = error ? Result<OpenedFile>(Error{}) : Procfs().open_path(own);
		if (!error && opened)
			error = link_split(layout, file, opened->fd.get());
		if (error)
			return errno_error(error.value(), file);
	}
	return Nothing{};
}

} // namespace uwind

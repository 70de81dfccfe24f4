// SPDX-License-Identifier: GPL-2.0
// Where the files that a report names are: each is taken only if its build-id is that of the report.
#include "objects/code_search.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>

#include "base/text.h"
#include "io/procfs.h"

namespace uwind {
namespace {

std::optional<FoundFile> opened(UniqueFd fd, std::string path)
{
	const auto shared = std::make_shared<UniqueFd>(std::move(fd));
	if (!*shared)
		return std::nullopt;
	auto elf = ElfFile::open_any(shared->get());
	return elf ? std::optional(FoundFile{std::move(path), shared, std::move(*elf)}) : std::nullopt;
}

std::optional<FoundFile> opened(const std::string& path)
{
	auto there = Procfs().open_path(path);
	return there ? opened(std::move(there->fd), path) : std::nullopt;
}

// The file at that path, if it has that build-id.
std::optional<FoundFile> opened_as(const std::string& path, const std::string& build_id)
{
	auto file = opened(path);
	return file && file->elf.build_id() == build_id ? std::move(file) : std::nullopt;
}

std::string id_or_none(const std::string& build_id)
{
	return build_id.empty() ? "none" : build_id;
}

// other: what the path has instead, if it has anything.
std::optional<FoundFile> find_program(const CodePlaces& places, const CodeName& name, std::string& other)
{
	for (const std::string& root : places.roots) {
		auto file = opened(root + name.path);
		if (file && file->elf.build_id() == name.build_id)
			return file;
		if (file && other.empty())
			other = file->path + " has build-id " + id_or_none(file->elf.build_id());
	}
	if (is_build_id(name.build_id))
		for (const std::string& folder : places.debug_folders)
			if (auto file = opened_as(folder + place_of_build_id(name.build_id), name.build_id))
				return file;
	return std::nullopt;
}

// Without the program only its build-id says what its debug file is.
std::optional<FoundFile> find_debug(const FoundCode& found, const std::string& build_id, const std::string& folder,
				    std::string& refused)
{
	if (!found.program)
		return is_build_id(build_id) ? opened_as(folder + place_of_build_id(build_id) + ".debug", build_id)
					     : std::nullopt;
	DebugFile file = find_debug_file(found.program->elf, {found.program->path, folder});
	if (file.elf)
		return FoundFile{file.path, std::make_shared<UniqueFd>(std::move(file.fd)), std::move(*file.elf)};
	if (refused.empty())
		refused = file.refused;
	return std::nullopt;
}

Error nowhere(const std::string& other, const FoundCode& found, const CodeName& name)
{
	const std::string why =
		other.empty() ? "there is no such file"
			      : "it is another file by now (" + other + ", not " + id_or_none(name.build_id) + ")";
	const std::string said = found.refused.empty() ? "" : " (" + found.refused + ")";
	return {ENOENT, why + ", and no debug file of its build-id is there" + said};
}

} // namespace

bool has_debug_information(const ElfFile& file)
{
	return std::any_of(file.headers().begin(), file.headers().end(), [](const ElfHeader& header) {
		return header.name == ".debug_info" || header.name == ".zdebug_info";
	});
}

// What was sent is not what was asked for: the next server is not asked, since a client keeps what it was sent.
void CodeSearch::ask_online(FoundCode& found, const std::string& build_id) const
{
	const bool complete = found.debug || (found.program && has_debug_information(found.program->elf));
	if (!places_.online || complete || !is_build_id(build_id))
		return;
	const auto take = [&](Result<UniqueFd> sent) -> std::optional<FoundFile> {
		auto file = sent ? opened(std::move(*sent), "") : std::nullopt;
		if (file && file->elf.build_id() == build_id)
			return file;
		if (sent)
			found.refused =
				"a server has sent another file: " +
				(file ? "its build-id is " + id_or_none(file->elf.build_id()) : "it is no ELF file");
		else if (sent.error().code != ENOENT)
			found.refused = sent.error().message;
		return std::nullopt;
	};
	found.debug = take(places_.online->debug_file(build_id));
	if (!found.debug && !found.program)
		found.program = take(places_.online->program(build_id));
}

Result<FoundCode> CodeSearch::find(const CodeName& name)
{
	if (!name.kernel.empty())
		return find_kernel(name);
	FoundCode found;
	std::string other;
	found.program = find_program(places_, name, other);
	for (const std::string& folder : places_.debug_folders)
		if (!found.debug)
			found.debug = find_debug(found, name.build_id, folder, found.refused);
	ask_online(found, name.build_id);
	if (!found.program && !found.debug)
		return nowhere(other, found, name);
	if (found.debug)
		found.refused.clear();
	return found;
}

// What has no debug information says no more of a kernel's frames than the kernel did.
Result<FoundCode> CodeSearch::find_kernel(const CodeName& name)
{
	if (!is_build_id(name.build_id))
		return Error{ENOENT, "the report has no build-id of it"};
	FoundCode found;
	const auto look = [&](const std::string& path) {
		auto file = found.debug ? std::nullopt : opened_as(path, name.build_id);
		if (file && has_debug_information(file->elf))
			found.debug = std::move(file);
		else if (file && !found.program)
			found.program = std::move(file);
	};
	for (const std::string& folder : places_.debug_folders) {
		look(folder + place_of_build_id(name.build_id) + ".debug");
		look(folder + place_of_build_id(name.build_id));
	}
	for (const auto* folders : {&places_.debug_folders, &places_.roots})
		for (const std::string& folder : *folders)
			for (const std::string& path : kernel_files_.paths(folder, name.kernel, name.path))
				look(path);
	ask_online(found, name.build_id);
	if (!found.program && !found.debug)
		return Error{ENOENT, "no debug file of its build-id is there" +
					     (found.refused.empty() ? "" : " (" + found.refused + ")")};
	return found;
}

// The name is that of the machine on which the link was made: it may be below a folder of debug files here.
std::optional<FoundFile> CodeSearch::find_shared(const std::string& beside, const SharedDebug& shared)
{
	if (is_build_id(shared.build_id))
		for (const std::string& folder : places_.debug_folders)
			if (auto file =
				    opened_as(folder + place_of_build_id(shared.build_id) + ".debug", shared.build_id))
				return file;
	if (shared.name.starts_with("/")) {
		for (const std::string& root : places_.roots)
			if (auto file = opened_as(root + shared.name, shared.build_id))
				return file;
	} else if (!beside.empty()) {
		std::error_code error;
		const auto folder = std::filesystem::canonical(beside, error).parent_path();
		if (auto file = error ? std::nullopt : opened_as(folder / shared.name, shared.build_id))
			return file;
	}
	FoundCode found;
	ask_online(found, shared.build_id);
	return std::move(found.debug);
}

} // namespace uwind

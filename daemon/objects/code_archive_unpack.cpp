// SPDX-License-Identifier: GPL-2.0
// Unpacks archives of a report and its files, which anybody may have made: each name is one of those that the writer
// gives, and is given once.
#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <optional>
#include <set>
#include <sys/stat.h>

#include "base/text.h"
#include "objects/code_archive.h"
#include "objects/split_places.h"

namespace uwind {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t max_report_bytes = std::uint64_t{2} << 30;

bool is_hex(std::string_view text)
{
	return !text.empty() && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

// A file of the archive, by its name.
struct Member {
	std::string build_id;
	bool is_split = false;
};

// Nothing: the writer gives no such name.
std::optional<Member> member_of(std::string_view name)
{
	constexpr std::string_view folder = ".build-id/";
	if (!name.starts_with(folder))
		return std::nullopt;
	name.remove_prefix(folder.size());
	const std::string first(next_part(name, '/')), rest(next_part(name, '/')), split(name);
	std::string_view second = rest;
	const bool is_split = !split.empty();
	if (is_split && (!second.ends_with(".dwo") || split.size() != 20 || !split.ends_with(".dwo") ||
			 !is_hex(std::string_view(split).substr(0, 16))))
		return std::nullopt;
	for (const std::string_view ending : {".dwo", ".debug"})
		if (second.ends_with(ending) && is_split == (ending == ".dwo")) {
			second.remove_suffix(ending.size());
			break;
		}
	Member member{first + std::string(second), is_split};
	return first.size() == 2 && is_build_id(member.build_id) ? std::optional(member) : std::nullopt;
}

class Unpacker {
public:
	Unpacker(ArchiveReader reader, std::string folder) : reader_(std::move(reader)), folder_(std::move(folder)) {}

	// The report.
	Result<std::string> run(const std::string& path);

private:
	Status write(const std::string& name, const Member& member);

	ArchiveReader reader_;
	const std::string folder_;
	std::set<std::string> with_split_; // build-ids
};

Status Unpacker::write(const std::string& name, const Member& member)
{
	const fs::path path = fs::path(folder_) / name;
	std::error_code error;
	fs::create_directories(path.parent_path(), error);
	if (error)
		return errno_error(error.value(), path);
	const UniqueFd fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
	if (!fd && errno == EEXIST)
		return Error{EINVAL, "is there twice"};
	if (!fd)
		return errno_error(errno, path);
	if (member.is_split)
		with_split_.insert(member.build_id);
	return reader_.read_to(fd.get());
}

Result<std::string> Unpacker::run(const std::string& path)
{
	const auto head = reader_.next();
	if (!head)
		return head.error();
	if (!*head || **head != report_member)
		return Error{EINVAL, path + " has no report: `uwind archive` makes archives that do"};
	auto report = reader_.read(max_report_bytes);
	if (!report)
		return report;
	for (;;) {
		const auto name = reader_.next();
		if (!name)
			return name.error();
		if (!*name)
			break;
		const auto member = member_of(**name);
		if (!member)
			return Error{EINVAL, path + ": " + printable(**name) + " is no file of such an archive"};
		if (const Status written = write(**name, *member); !written)
			return written.error(path + ": " + **name);
	}
	for (const std::string& build_id : with_split_)
		if (const Status done = lay_out_split(folder_, build_id); !done)
			return done.error();
	return report;
}

} // namespace

Result<CodeArchive> CodeArchive::unpack(const std::string& path, ArchiveLimits limits)
{
	auto reader = ArchiveReader::open(path, limits);
	if (!reader)
		return reader.error();
	auto scratch = ScratchFolder::create();
	if (!scratch)
		return scratch.error();
	auto report = Unpacker(std::move(*reader), scratch->path()).run(path);
	if (!report)
		return report.error();
	return CodeArchive(std::move(*scratch), std::move(*report));
}

} // namespace uwind

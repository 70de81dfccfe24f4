// SPDX-License-Identifier: GPL-2.0
// The files that a recording's processes have mapped, as far as they are still there, and their tables.
#include "convert/recorded_files.h"

#include <cerrno>
#include <spdlog/spdlog.h>

#include "base/text.h"

namespace uwind {
namespace {

constexpr unsigned most_complaints = 20; // further ones are counted only
constexpr std::uint32_t no_device = ~0u;
constexpr std::uint64_t four_gib = 1ull << 32;

// Paths that the kernel gives to memory of no file, and files that have no path.
bool is_file(const std::string& path)
{
	for (const char* other : {"//anon", "/memfd:", "/dev/zero", "/SYSV", "/anon_hugepage"})
		if (path.starts_with(other))
			return false;
	return path.starts_with('/') || path == vdso_path;
}

std::size_t rows_of(const TableContent& content)
{
	const auto* rows = std::get_if<TableRows>(&content);
	return rows ? rows->rows.size() : 0;
}

} // namespace

RecordedFiles::RecordedFiles(const Ports& ports, Modules& modules, const Origin& origin)
    : ports_(ports), modules_(modules), shelf_(ports.unwinder), is_our_kernel_(origin.is_our_kernel),
      perf_folder_(origin.perf_folder), counts_({{"files_not_opened", 0},
						 {"files_changed", 0},
						 {"files_without_table", 0},
						 {"files_not_followed", 0},
						 {"tables_made", 0},
						 {"tables_kept", 0},
						 {"tables_rejected", 0},
						 {"sections_refused", 0}})
{
	shelf_.open();
	for (const PerfBuildId& entry : origin.build_ids)
		if (!entry.kernel)
			build_ids_[entry.path] = entry.build_id;
}

void RecordedFiles::complain(const std::string& count, const Error& error)
{
	counts_[count]++;
	spdlog::log(complaints_++ < most_complaints ? spdlog::level::warn : spdlog::level::debug, "{}", error.message);
}

std::string RecordedFiles::build_id_of(const RecordedMapping& mapping) const
{
	if (!mapping.build_id.empty())
		return mapping.build_id;
	const auto known = build_ids_.find(mapping.mapping.path);
	return known == build_ids_.end() ? "" : known->second;
}

Result<RecordedFiles::Found> RecordedFiles::open(const std::string& path)
{
	auto opened = path == vdso_path ? Result<OpenedFile>(OpenedFile{}) : ports_.processes.open_path(path);
	if (path == vdso_path) {
		auto vdso = ports_.processes.open_vdso();
		if (!vdso)
			return vdso.error();
		opened->fd = std::move(*vdso);
		opened->identity = {no_device, no_device, 0, 0, 0};
	}
	if (!opened)
		return opened.error();
	Found found{std::make_shared<UniqueFd>(std::move(opened->fd)), opened->identity, nullptr};
	auto object = ports_.objects.open(found.fd);
	if (!object)
		return object.error(path);
	found.object = std::move(*object);
	return found;
}

// ESTALE: it is not what was mapped. Without a build-id its inode says so, and of the vDSO the kernel; that of 32-bit
// programs is not ours.
Result<RecordedFiles::Found> RecordedFiles::checked(Result<Found> found, const RecordedFile& file) const
{
	if (!found)
		return found;
	const std::string now = found->object->facts().build_id;
	const std::uint64_t inode = found->identity.inode;
	if (!file.build_id.empty() && now != file.build_id)
		return Error{ESTALE, file.path + ": another file by now: its build-id is " +
					     (now.empty() ? "none" : now) + ", not " + file.build_id};
	if (!file.build_id.empty())
		return found;
	if (file.path == vdso_path && (!is_our_kernel_ || file.mapping.start < four_gib))
		return Error{ESTALE, "[vdso]: the recording does not say which one it was"};
	if (file.path != vdso_path && file.mapping.inode && inode != file.mapping.inode)
		return Error{ESTALE, file.path + ": another file by now: its inode is " + std::to_string(inode) +
					     ", not " + std::to_string(file.mapping.inode)};
	return found;
}

// By its path, else the copy that perf keeps.
Result<RecordedFiles::Found> RecordedFiles::find(const RecordedFile& file)
{
	auto found = checked(open(file.path), file);
	if (found || perf_folder_.empty() || file.build_id.size() < 4)
		return found;
	const std::string copy = perf_folder_ + "/.build-id/" + file.build_id.substr(0, 2) + "/" +
				 file.build_id.substr(2) + (file.path == vdso_path ? "/vdso" : "/elf");
	auto kept = checked(open(copy), file);
	return kept ? std::move(kept) : std::move(found);
}

// What is not there has only a name.
void RecordedFiles::look(RecordedFile& file)
{
	const auto found = find(file);
	if (!found)
		complain(found.error().code == ESTALE ? "files_changed" : "files_not_opened", found.error());
	FileIdentity identity{no_device, no_device, ++nameless_, 0, 0};
	if (found && found->identity.dev_major != no_device)
		identity = found->identity;
	ObjectFacts facts;
	facts.build_id = file.build_id;
	if (found)
		facts = found->object->facts();
	file.arch = facts.arch;
	file.module = modules_.add(identity, file.path).id;
	modules_.set_object(file.module, std::move(facts), found ? found->fd : nullptr);
}

RecordedFile* RecordedFiles::add(const Mapping& mapping, const std::string& path, const std::string& build_id)
{
	const Key key{path, build_id, mapping.inode};
	if (const auto known = files_.find(key); known != files_.end())
		return &known->second;
	if (files_.size() >= most_files) {
		counts_["files_not_followed"]++;
		return nullptr;
	}
	RecordedFile& file = files_[key];
	file.mapping = mapping;
	file.path = path;
	file.build_id = build_id;
	look(file);
	return &file;
}

RecordedFile* RecordedFiles::of(RecordedMapping& mapping)
{
	if (mapping.is_asked)
		return mapping.file;
	mapping.is_asked = true;
	const std::string path(without_deleted(mapping.mapping.path));
	if (is_file(path))
		mapping.file = add(mapping.mapping, path, build_id_of(mapping));
	return mapping.file;
}

void RecordedFiles::make_table(RecordedFile& file)
{
	const auto found = find(file);
	auto content = found ? found->object->table() : Result<FileContent>(found.error());
	if (!content) {
		counts_["files_without_table"]++;
		spdlog::debug("{}: no table: {}", file.path, content.error().message);
		return;
	}
	if (!content->sframe_refused.empty())
		complain("sections_refused", Error{EBADMSG, file.path + ": " + content->sframe_refused});
	const Method method = method_of(content->content);
	const std::size_t rows = rows_of(content->content);
	counts_[content->kept ? "tables_kept" : "tables_made"]++;
	shelf_.put(file.module, std::move(content->content));
	const auto table = shelf_.get(file.module);
	file.has_table = table != nullptr;
	if (table)
		modules_.set_table(file.module, method, 0, rows, table->bytes());
	else
		complain("tables_rejected", Error{EBADMSG, file.path + ": its table is broken"});
}

// One that gave way to others is made again.
std::shared_ptr<const UnwindTable> RecordedFiles::table_of(RecordedFile& file)
{
	if (file.arch == Arch::none || (file.is_asked && !file.has_table))
		return nullptr;
	if (file.is_asked)
		if (auto table = shelf_.get(file.module))
			return table;
	make_table(file);
	file.is_asked = true;
	modules_.set_table_known(file.module, 0);
	return shelf_.get(file.module);
}

} // namespace uwind

// SPDX-License-Identifier: GPL-2.0
// While sampling: opens the files that the module reports.
#include "app/file_opener.h"

#include <algorithm>
#include <spdlog/spdlog.h>

namespace uwind {

FileOpener::FileOpener(const Ports& ports, Modules& modules, ScannedFiles& scanned, EventCounter& events,
		       WorkQueue& queue, const TableShelf& shelf)
    : kernel_(ports.kernel), processes_(ports.processes), objects_(ports.objects), clock_(ports.clock),
      modules_(modules), scanned_(scanned), events_(events), queue_(queue), shelf_(shelf)
{
}

// The mapping that holds pc; of a file that was announced without its mapping or its
// path, any mapping of it.
std::optional<Mapping> FileOpener::locate(const FileJob& job)
{
	const auto mappings = processes_.mappings(job.tgid);
	if (!mappings)
		return std::nullopt;
	if (!job.module) {
		const Mapping* found = mapping_at(*mappings, job.pc);
		return found ? std::optional(*found) : std::nullopt;
	}
	const auto found = std::ranges::find_if(*mappings, [&](const Mapping& mapping) {
		return mapping.inode == job.mapping.inode && mapping.dev_major == job.mapping.dev_major &&
		       mapping.dev_minor == job.mapping.dev_minor;
	});
	return found == mappings->end() ? std::nullopt : std::optional(*found);
}

// Looks up what the module did not say. False: the file cannot be opened.
bool FileOpener::complete(FileJob& job)
{
	if (job.mapping.end != 0 && !job.mapping.path.empty())
		return true;
	auto mapping = locate(job);
	if (!mapping)
		return job.module.has_value();
	job.mapping = std::move(*mapping);
	if (job.module)
		modules_.set_path(*job.module, job.mapping.path);
	return true;
}

// The file gets no table, and this is known from now on.
void FileOpener::not_opened(const FileJob& job)
{
	if (!job.sampled)
		return;
	if (job.module)
		modules_.set_table_known(*job.module, clock_.boottime_ns());
	events_.count("files_not_opened");
}

// Another program's table serves the file, since before its first frame.
void FileOpener::adopt(const FileJob& job)
{
	modules_.set_table_known(*job.module, 0);
	const auto tables = kernel_.tables();
	if (!tables)
		return;
	const auto found = std::find_if(tables->begin(), tables->end(),
					[&](const TableInfo& table) { return table.file == job.file_number; });
	if (found != tables->end())
		modules_.set_table(*job.module, found->method, 0, found->rows, found->bytes);
}

void FileOpener::open_vdso(const FileJob& job)
{
	auto fd = processes_.open_vdso_of(job.tgid, job.mapping);
	if (!fd) {
		spdlog::debug("{}", fd.error().message);
		return not_opened(job);
	}
	OpenedModule vdso{*job.module, std::make_shared<UniqueFd>(std::move(*fd)), vdso_path, job.tgid, true, true};
	vdso = with_object(std::move(vdso), objects_, modules_);
	if (!job.make_table)
		return adopt(job);
	queue_.push(std::move(vdso));
}

// False: the file is known by another number.
bool FileOpener::add_unannounced(FileJob& job, const FileIdentity& identity)
{
	const auto added = modules_.add(identity, job.mapping.path);
	if (job.file_number)
		modules_.bind_unknown(job.file_number, added.id);
	job.module = added.id;
	return added.is_new;
}

void FileOpener::open(FileJob job)
{
	if (job.vdso)
		return open_vdso(job);
	if (!complete(job))
		return not_opened(job);
	if (!job.module && !job.file_number && modules_.of_mapping(job.mapping))
		return; // several stacks lack it
	auto file = processes_.open_mapped(job.tgid, job.mapping);
	if (!file) {
		spdlog::debug("{}", file.error().message);
		return not_opened(job);
	}
	if (!job.module && !add_unannounced(job, file->identity))
		return;
	OpenedModule mapped{
		*job.module, std::make_shared<UniqueFd>(std::move(file->fd)), job.mapping.path, job.tgid, false, true};
	mapped = with_object(std::move(mapped), objects_, modules_);
	if (!job.make_table)
		return adopt(job);
	scanned_.add(job.mapping);
	queue_.push(std::move(mapped));
	if (!shelf_.is_open())
		open_neighbours(job.tgid);
}

// A process whose program or library is new maps others that may soon be sampled: their tables are made before their
// first sample. Where that can be finished later, those that never are sampled need none.
void FileOpener::open_neighbours(std::uint32_t tgid)
{
	const auto mappings = processes_.mappings(tgid);
	if (!mappings)
		return;
	for (const Mapping& mapping : *mappings) {
		if (!queue_.has_room())
			return;
		if (!scanned_.add(mapping))
			continue;
		auto file = processes_.open_mapped(tgid, mapping);
		if (!file)
			continue;
		const auto added = modules_.add(file->identity, mapping.path);
		if (!added.is_new)
			continue;
		OpenedModule opened{added.id, std::make_shared<UniqueFd>(std::move(file->fd)), mapping.path};
		queue_.push(with_object(std::move(opened), objects_, modules_));
	}
}

} // namespace uwind

// SPDX-License-Identifier: GPL-2.0
// The tracker while sampling: files that the module reports.
#include <algorithm>
#include <cerrno>
#include <spdlog/spdlog.h>

#include "app/tracker.h"

namespace uwind {
namespace {

constexpr std::size_t max_jobs = 4096;
constexpr std::size_t max_unserved = 128; // files open and waiting for a table
constexpr std::size_t max_modules = 12'000;
constexpr std::size_t given_up_at_once = 1024;

} // namespace

void Tracker::note(const FileRecord& record)
{
	if (record.vdso && !record.compat && vdso_)
		return modules_.bind(record.number, *vdso_);
	FileIdentity identity = record.identity;
	if (record.vdso)
		identity.dev_major = ~0u; // no file, and not the other vDSO
	const auto added = modules_.add(identity, record.vdso ? vdso_path : record.mapping.path);
	modules_.bind(record.number, added.id);
	if (!added.is_new)
		return;
	Job job;
	job.vdso = record.vdso;
	job.id = added.id;
	job.file_number = record.number;
	job.tgid = record.tgid;
	job.mapping = record.mapping;
	job.make_table = record.no_table;
	push(std::move(job));
}

void Tracker::note_unknown(std::uint32_t file_number, std::uint32_t tgid, std::uint64_t pc)
{
	Job job;
	job.file_number = file_number;
	job.tgid = tgid;
	job.pc = pc;
	push(std::move(job));
}

void Tracker::push(Job job)
{
	std::lock_guard lock(mutex_);
	if (jobs_.size() >= max_jobs) {
		counts_["files_not_followed"]++;
		return;
	}
	jobs_.push_back(std::move(job));
	changed_.notify_all();
}

// Files are opened as soon as they are known; between two of them, and when
// there is none, one table is made. False: the end.
bool Tracker::take(Job& job)
{
	std::unique_lock lock(mutex_);
	busy_ = false;
	changed_.notify_all();
	changed_.wait(lock, [this] { return stopping_ || !jobs_.empty() || (!unserved_.empty() && !no_more_tables_); });
	if (stopping_)
		return false;
	busy_ = true;
	job = Job{};
	const bool room = unserved_.size() < max_unserved || no_more_tables_;
	if (room && !jobs_.empty()) {
		job = std::move(jobs_.front());
		jobs_.pop_front();
	}
	return true;
}

// Every sample of a file without a table is a stack cut short: be quick, even on
// a busy machine.
void Tracker::run()
{
	threads_.prefer_this_one();
	Job job;
	while (take(job)) {
		if (job.file_number) {
			open(std::move(job));
		} else if (!unserved_.empty()) {
			make_table(unserved_.front());
			unserved_.pop_front();
		}
	}
}

// The mapping that holds the address; or, if the file is known and only its
// mapping or its path is not, any of the file.
std::optional<Mapping> Tracker::locate(const Job& job)
{
	const auto mappings = processes_.mappings(job.tgid);
	if (!mappings)
		return std::nullopt;
	const auto found = std::find_if(mappings->begin(), mappings->end(), [&](const Mapping& mapping) {
		if (job.pc)
			return job.pc >= mapping.start && job.pc < mapping.end;
		return mapping.inode == job.mapping.inode && mapping.dev_major == job.mapping.dev_major &&
		       mapping.dev_minor == job.mapping.dev_minor;
	});
	return found == mappings->end() ? std::nullopt : std::optional(*found);
}

// What the module did not say is looked up. False: it cannot be opened.
bool Tracker::complete(Job& job)
{
	if (job.pc == 0 && job.mapping.end != 0 && !job.mapping.path.empty())
		return true;
	auto mapping = locate(job);
	if (!mapping)
		return job.pc == 0;
	job.mapping = std::move(*mapping);
	if (job.pc == 0)
		modules_.set_path(job.id, job.mapping.path);
	return true;
}

// There will be no table for it.
void Tracker::not_opened(const Job& job)
{
	if (job.pc == 0)
		modules_.set_table_known(job.id, clock_.boottime_ns());
	count("files_not_opened");
}

void Tracker::open_vdso(const Job& job)
{
	auto fd = processes_.open_vdso_of(job.tgid, job.mapping);
	if (!fd) {
		spdlog::debug("{}", fd.error().message);
		return not_opened(job);
	}
	Opened vdso = opened(job.id, std::move(*fd), vdso_path, job.tgid, true);
	if (!job.make_table)
		return adopt(job.id, job.file_number);
	unserved_.push_back(std::move(vdso));
}

void Tracker::open(Job job)
{
	if (job.vdso)
		return open_vdso(job);
	const bool was_unknown = job.pc != 0;
	if (!complete(job))
		return not_opened(job);
	auto file = processes_.open_mapped(job.tgid, job.mapping);
	if (!file) {
		spdlog::debug("{}", file.error().message);
		return not_opened(job);
	}
	if (was_unknown) {
		const auto added = modules_.add(file->identity, job.mapping.path);
		modules_.bind(job.file_number, added.id);
		if (!added.is_new)
			return;
		job.id = added.id;
	}
	Opened mapped = opened(job.id, std::move(file->fd), job.mapping.path, job.tgid);
	if (!job.make_table)
		return adopt(job.id, job.file_number);
	scan_first_time(job.mapping);
	unserved_.push_back(std::move(mapped));
	open_neighbours(job.tgid);
}

// A process whose program or library is new has others that will soon be hit:
// their tables are made before their first sample.
void Tracker::open_neighbours(std::uint32_t tgid)
{
	const auto mappings = processes_.mappings(tgid);
	if (!mappings)
		return;
	for (const Mapping& mapping : *mappings) {
		if (unserved_.size() >= max_unserved)
			return;
		if (!scan_first_time(mapping))
			continue;
		auto file = processes_.open_mapped(tgid, mapping);
		if (!file)
			continue;
		const auto added = modules_.add(file->identity, mapping.path);
		if (!added.is_new)
			continue;
		unserved_.push_back(opened(added.id, std::move(file->fd), mapping.path, 0));
	}
}

// Another program's table serves the file, since before its first frame.
void Tracker::adopt(ModuleId id, std::uint32_t file_number)
{
	modules_.set_table_known(id, 0);
	const auto tables = kernel_.tables();
	if (!tables)
		return;
	const auto found = std::find_if(tables->begin(), tables->end(),
					[&](const TableInfo& table) { return table.file == file_number; });
	if (found != tables->end())
		modules_.set_table(id, found->method, 0, found->rows, found->bytes);
}

void Tracker::finish(std::chrono::milliseconds timeout)
{
	std::unique_lock lock(mutex_);
	no_more_tables_ = true;
	changed_.notify_all();
	changed_.wait_for(lock, timeout, [this] { return jobs_.empty() && !busy_; });
}

void Tracker::next_period()
{
	modules_.next_period();
	if (modules_.size() < max_modules)
		return;
	for (const auto table : modules_.give_up_unused(given_up_at_once))
		if (kernel_.destroy_table(table))
			count("tables_given_up");
}

} // namespace uwind

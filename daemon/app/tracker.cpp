// SPDX-License-Identifier: GPL-2.0
// Gives files their tables.
#include "app/tracker.h"

namespace uwind {
namespace {

constexpr std::chrono::milliseconds stop_period(100); // how often stop() is asked
constexpr std::size_t max_modules = 12'000;
constexpr std::size_t given_up_at_once = 1024;

} // namespace

Tracker::Tracker(const Ports& ports, Modules& modules, TableShelf& shelf)
    : modules_(modules), maker_(ports, modules_, shelf, events_),
      registrar_(ports, modules_, scanned_, events_, queue_),
      workers_(ports.threads, queue_, FileOpener(ports, modules_, scanned_, events_, queue_, shelf), maker_)
{
}

void Tracker::register_targets(const std::vector<std::uint32_t>& pids, const std::string& program,
			       const StopRequested& stop)
{
	vdso_ = registrar_.register_vdso();
	if (!program.empty())
		registrar_.register_program(program);
	registrar_.register_processes(pids, stop);
	while (!queue_.wait_until_made(stop_period) && !stop())
		;
}

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
		return record.no_table ? queue_.miss(added.id) : void();
	FileJob job;
	job.module = added.id;
	job.file_number = record.number;
	job.tgid = record.tgid;
	job.mapping = record.mapping;
	job.make_table = record.no_table;
	job.vdso = record.vdso;
	push(std::move(job));
}

void Tracker::note_unannounced(std::uint32_t tgid, const Mapping& mapping)
{
	FileJob job;
	job.tgid = tgid;
	job.mapping = mapping;
	push(std::move(job));
}

void Tracker::note_unknown(std::uint32_t file_number, std::uint32_t tgid, std::uint64_t pc)
{
	FileJob job;
	job.file_number = file_number;
	job.tgid = tgid;
	job.pc = pc;
	push(std::move(job));
}

void Tracker::push(FileJob job)
{
	if (!queue_.push(std::move(job)))
		events_.count("files_not_followed");
}

void Tracker::finish(std::chrono::milliseconds timeout)
{
	queue_.drain(timeout);
}

void Tracker::next_period()
{
	modules_.next_period();
	if (modules_.size() >= max_modules)
		maker_.give_up_unused(given_up_at_once);
}

} // namespace uwind

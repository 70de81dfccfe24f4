// SPDX-License-Identifier: GPL-2.0
// Gives files their tables.
#include "app/tracker.h"

#include <cerrno>
#include <spdlog/spdlog.h>

namespace uwind {
namespace {

constexpr std::size_t give_up_at_once = 64;
constexpr std::size_t max_scanned = 65'536;
constexpr unsigned max_complaints = 20; // further ones are counted only

} // namespace

Tracker::Tracker(Kernel& kernel, Processes& processes, Objects& objects, Threads& threads, Clock& clock,
		 Modules& modules)
    : kernel_(kernel), processes_(processes), objects_(objects), threads_(threads), clock_(clock), modules_(modules),
      thread_([this] { run(); })
{
}

Tracker::~Tracker()
{
	{
		std::lock_guard lock(mutex_);
		stopping_ = true;
		changed_.notify_all();
	}
	thread_.join();
}

void Tracker::count(const std::string& what)
{
	std::lock_guard lock(mutex_);
	counts_[what]++;
}

Counts Tracker::counts()
{
	std::lock_guard lock(mutex_);
	return counts_;
}

// What is known of the file itself is kept, for offsets and names.
Tracker::Opened Tracker::opened(ModuleId id, UniqueFd fd, const std::string& path, std::uint32_t tgid, bool vdso)
{
	const auto shared = std::make_shared<UniqueFd>(std::move(fd));
	auto object = objects_.open(shared);
	modules_.set_object(id, object ? (*object)->facts() : ObjectFacts{}, shared);
	if (!object)
		return {id, shared, object.error(), path, tgid, vdso};
	return {id, shared, std::shared_ptr<const Object>(std::move(*object)), path, tgid, vdso};
}

// A full budget is met by giving up tables that the last period did not use.
Result<MadeTable> Tracker::create(const TableContent& content)
{
	auto made = kernel_.create_table(content);
	if (made || made.error().code != ENOSPC)
		return made;
	for (const auto table : modules_.give_up_unused(give_up_at_once))
		if (kernel_.destroy_table(table))
			count("tables_given_up");
	return kernel_.create_table(content);
}

Status Tracker::tie(const Opened& opened, std::uint32_t table)
{
	return opened.vdso ? kernel_.tie_table_to_vdso(table) : kernel_.tie_table(table, opened.fd->get());
}

// Someone else's table may serve the file already (EEXIST): as good as ours.
void Tracker::serve(const Opened& opened, const TableContent& content)
{
	const auto made = create(content);
	if (!made) {
		complain(opened, made.error());
		count(made.error().code == ENOSPC ? "tables_refused" : "tables_rejected");
		return;
	}
	const auto tied = tie(opened, made->table);
	if (!tied && tied.error().code != EEXIST) {
		complain(opened, tied.error());
		count("tables_rejected");
	}
	if (!tied)
		(void)kernel_.destroy_table(made->table);
	if (!tied && tied.error().code != EEXIST)
		return;
	modules_.set_table(opened.id, made->method, tied ? made->table : 0, made->rows, made->bytes);
	count(tied ? "tables_made" : "tables_shared");
}

// Whatever comes of it, stacks that end in this file from now on are the file's own fault.
void Tracker::make_table(const Opened& opened)
{
	look_for_table(opened);
	modules_.set_table_known(opened.id, clock_.boottime_ns());
}

void Tracker::look_for_table(const Opened& opened)
{
	const auto content = opened.object ? (*opened.object)->table() : Result<FileContent>(opened.object.error());
	if (content && !content->sframe_refused.empty()) {
		complain(opened, Error{EBADMSG, content->sframe_refused});
		count("sections_refused");
	}
	if (content)
		return serve(opened, content->content);
	complain(opened, content.error("no table"));
	count("files_without_table");
}

// What is broken in a file is for people to mend; what is missing, or full, is counted.
void Tracker::complain(const Opened& opened, const Error& error)
{
	const auto level =
		error.code == EBADMSG && complaints_++ < max_complaints ? spdlog::level::warn : spdlog::level::debug;
	if (opened.tgid)
		spdlog::log(level, "{}, mapped by process {}: {}", opened.path, opened.tgid, error.message);
	else
		spdlog::log(level, "{}: {}", opened.path, error.message);
}

void Tracker::register_vdso()
{
	auto fd = processes_.open_vdso();
	if (!fd) {
		spdlog::debug("{}", fd.error("no table for the vDSO").message);
		return;
	}
	vdso_ = modules_.add(FileIdentity{}, vdso_path).id;
	make_table(opened(*vdso_, std::move(*fd), vdso_path, 0, true));
}

// A file at such a path is probably served. If it is another file after all, the
// module will report it.
void Tracker::read_served_paths()
{
	const auto tables = kernel_.tables();
	if (!tables)
		return;
	for (const TableInfo& table : *tables)
		if (table.file && !table.path.empty())
			served_.insert(table.path);
}

bool Tracker::scan_first_time(const Mapping& mapping)
{
	if (scanned_.size() >= max_scanned)
		scanned_.clear();
	const auto device = std::uint64_t(mapping.dev_major) << 32 | mapping.dev_minor;
	return scanned_.emplace(device, mapping.inode).second;
}

void Tracker::register_mapping(std::uint32_t pid, const Mapping& mapping)
{
	if (!scan_first_time(mapping) || served_.contains(mapping.path))
		return;
	auto file = processes_.open_mapped(pid, mapping);
	if (!file) {
		spdlog::debug("{}", file.error().message);
		return count("files_not_opened");
	}
	const auto added = modules_.add(file->identity, mapping.path);
	if (!added.is_new)
		return;
	make_table(opened(added.id, std::move(file->fd), mapping.path, pid));
}

void Tracker::register_processes(const std::vector<std::uint32_t>& pids, const StopRequested& stop)
{
	read_served_paths();
	for (const auto pid : pids) {
		const auto mappings = processes_.mappings(pid);
		if (!mappings)
			continue; // gone, or a kernel thread
		for (const Mapping& mapping : *mappings) {
			if (stop())
				return;
			register_mapping(pid, mapping);
		}
	}
	served_.clear();
}

} // namespace uwind

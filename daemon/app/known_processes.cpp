// SPDX-License-Identifier: GPL-2.0
// What was told of processes' lives.
#include "app/known_processes.h"

#include "app/container.h"

namespace uwind {

void KnownProcesses::take(const LifeRecord& record)
{
	std::lock_guard lock(mutex_);
	std::visit([&](const auto& event) { note(event); }, record);
}

// It goes on with its parent's program.
void KnownProcesses::note(const ProcessForked& forked)
{
	const auto parent = images_.find(forked.parent);
	KnownProcess child = parent != images_.end() ? parent->second : KnownProcess{};
	child.comm = forked.comm;
	child.exited_ns.reset();
	child.details.parent_pid = forked.parent.pid;
	child.details.namespace_pid = forked.namespace_pid;
	keep(forked.image, std::move(child));
}

void KnownProcesses::note(const ProcessExecuted& executed)
{
	KnownProcess process{executed.exe, executed.comm, {}, executed.mount_namespace};
	process.details = {executed.parent_pid, executed.namespace_pid, executed.arguments, executed.cgroup, ""};
	ProcessImage before = executed.image;
	before.exec_id--;
	end(before);
	keep(executed.image, std::move(process));
}

void KnownProcesses::note(const ProcessExited& exited)
{
	const auto found = images_.find(exited.image);
	if (found == images_.end())
		return;
	found->second.exited_ns = exited.time_ns;
	end(exited.image);
}

void KnownProcesses::note(const ProcessRenamed& renamed)
{
	const auto found = images_.find(renamed.image);
	if (found != images_.end())
		found->second.comm = renamed.comm;
}

void KnownProcesses::add(const ProcessImage& image, KnownProcess process)
{
	std::lock_guard lock(mutex_);
	keep(image, std::move(process));
}

void KnownProcesses::keep(const ProcessImage& image, KnownProcess process)
{
	process.details.container = container_in(process.details.cgroup);
	if (images_.size() < max_images)
		images_.insert_or_assign(image, std::move(process));
	else
		not_kept_++;
}

void KnownProcesses::end(const ProcessImage& image)
{
	if (!images_.contains(image))
		return;
	over_.push_back(image);
	if (over_.size() <= max_over)
		return;
	images_.erase(over_.front());
	over_.pop_front();
}

std::optional<KnownProcess> KnownProcesses::find(const ProcessImage& image) const
{
	std::lock_guard lock(mutex_);
	const auto found = images_.find(image);
	return found == images_.end() ? std::nullopt : std::optional(found->second);
}

std::uint64_t KnownProcesses::not_kept() const
{
	std::lock_guard lock(mutex_);
	return not_kept_;
}

} // namespace uwind

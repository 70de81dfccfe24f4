// SPDX-License-Identifier: GPL-2.0
// The processes that samples are of.
#include "app/process_images.h"

#include "app/container.h"

namespace uwind {

ProcessImage ProcessImages::image_of(const ThreadRecord& thread)
{
	return {thread.tgid, thread.start_time_ns, thread.exec_id};
}

// /proc shows the process that has this number now. It is the sampled one only if
// it started at the same time.
std::optional<KnownProcess> ProcessImages::ask_proc(const ThreadRecord& thread)
{
	const auto facts = processes_.describe(thread.tgid);
	if (!facts || !started_at(*facts, thread.start_time_ns))
		return std::nullopt;
	KnownProcess process{facts->exe, facts->comm, {}};
	if (auto details = processes_.details(thread.tgid)) {
		process.details = std::move(*details);
		process.details.container = container_in(process.details.cgroup);
	}
	return process;
}

std::optional<KnownProcess> ProcessImages::asked_of(const ThreadRecord& thread)
{
	const ProcessImage image = image_of(thread);
	if (const auto before = asked_.find(image); before != asked_.end())
		return before->second;
	auto process = ask_proc(thread);
	if (process)
		remember(image, *process);
	return process;
}

void ProcessImages::remember(const ProcessImage& image, const KnownProcess& process)
{
	if (asked_first_.size() >= max_asked) {
		asked_.erase(asked_first_.front());
		asked_first_.pop_front();
	}
	asked_.emplace(image, process);
	asked_first_.push_back(image);
}

ReportProcess ProcessImages::describe(const ThreadRecord& thread)
{
	ReportProcess process;
	process.pid = thread.tgid;
	process.comm = thread.comm;
	process.start_time_ns = thread.start_time_ns;
	auto known = known_.find(image_of(thread));
	if (!known || known->exe.empty())
		known = asked_of(thread);
	if (!known)
		return process;
	process.exe = std::move(known->exe);
	process.details = std::move(known->details);
	if (thread.tid != thread.tgid)
		process.comm = std::move(known->comm);
	return process;
}

// Samples of one CPU arrive in order of time, those of two CPUs do not.
void ProcessImages::rename(Image& image, const ThreadRecord& thread, std::uint64_t time_ns)
{
	if (thread.tid != thread.tgid || time_ns < image.named_ns)
		return;
	image.named_ns = time_ns;
	image.process.comm = thread.comm;
}

std::optional<Index> ProcessImages::of(const ThreadRecord& thread, std::uint64_t time_ns)
{
	const ProcessImage image = image_of(thread);
	if (const auto found = indices_.find(image); found != indices_.end()) {
		rename(images_[found->second], thread, time_ns);
		return found->second;
	}
	if (images_.size() >= limit_)
		return std::nullopt;
	const auto index = static_cast<Index>(images_.size());
	images_.push_back({image, describe(thread), thread.tid == thread.tgid ? time_ns : 0});
	indices_.emplace(image, index);
	return index;
}

// It may have been told of after its first sample.
std::vector<ReportProcess> ProcessImages::take()
{
	std::vector<ReportProcess> processes;
	processes.reserve(images_.size());
	for (Image& image : images_) {
		if (auto known = known_.find(image.image)) {
			image.process.exit_time_ns = known->exited_ns;
			if (image.process.exe.empty()) {
				image.process.exe = std::move(known->exe);
				image.process.details = std::move(known->details);
			}
		}
		processes.push_back(std::move(image.process));
	}
	images_.clear();
	indices_.clear();
	return processes;
}

} // namespace uwind

// SPDX-License-Identifier: GPL-2.0
// The processes that samples are of: one for each image, since an exec opens a new one with the same pid.
#pragma once

#include <deque>
#include <map>
#include <optional>

#include "app/known_processes.h"
#include "model/records.h"
#include "model/report.h"
#include "port/processes.h"

namespace uwind {

class ProcessImages {
public:
	// So many that /proc was asked of are remembered: a service's reports have the same ones again and again.
	static constexpr std::size_t max_asked = 16'384;

	// known: what was told of processes, which may be gone.
	ProcessImages(Processes& processes, const KnownProcesses& known, std::size_t limit)
	    : processes_(processes), known_(known), limit_(limit)
	{
	}

	// Nothing: there is no room.
	std::optional<Index> of(const ThreadRecord& thread, std::uint64_t time_ns);
	ReportProcess& at(Index index) { return images_[index].process; }
	// Those since the last call, with what is known of them by now.
	std::vector<ReportProcess> take();

private:
	static ProcessImage image_of(const ThreadRecord& thread);

	struct Image {
		ProcessImage image;
		ReportProcess process;
		std::uint64_t named_ns = 0; // time of the sample that its name is from, CLOCK_BOOTTIME
	};

	ReportProcess describe(const ThreadRecord& thread);
	// Nothing: it is not there any more.
	std::optional<KnownProcess> ask_proc(const ThreadRecord& thread);
	std::optional<KnownProcess> asked_of(const ThreadRecord& thread);
	void remember(const ProcessImage& image, const KnownProcess& process);
	static void rename(Image& image, const ThreadRecord& thread, std::uint64_t time_ns);

	Processes& processes_;
	const KnownProcesses& known_;
	const std::size_t limit_;
	std::vector<Image> images_;
	std::map<ProcessImage, Index> indices_;
	std::map<ProcessImage, KnownProcess> asked_;
	std::deque<ProcessImage> asked_first_; // in the order in which they are forgotten
};

} // namespace uwind

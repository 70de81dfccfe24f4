// SPDX-License-Identifier: GPL-2.0
// What was told of processes' lives, for as long as somebody may ask.
#pragma once

#include <deque>
#include <map>
#include <mutex>
#include <optional>

#include "model/process_details.h"
#include "model/process_life.h"

namespace uwind {

struct KnownProcess {
	std::string exe; // "": not known
	std::string comm;
	ProcessDetails details;
	std::uint32_t mount_namespace = 0;           // 0: not known
	std::optional<std::uint64_t> exited_ns = {}; // CLOCK_BOOTTIME
};

// Safe to use from several threads.
class KnownProcesses {
public:
	// Of images that are over (by exit or exec), those that are over the longest are forgotten.
	static constexpr std::size_t max_over = 16'384;
	static constexpr std::size_t max_images = 262'144; // further ones are not remembered

	void take(const LifeRecord& record);
	// One that nobody has told of. Its container is found out.
	void add(const ProcessImage& image, KnownProcess process);
	// Nothing: it began before, or is forgotten.
	std::optional<KnownProcess> find(const ProcessImage& image) const;
	// Images that were not remembered, for want of room.
	std::uint64_t not_kept() const;

private:
	void note(const ProcessForked& forked);
	void note(const ProcessExecuted& executed);
	void note(const ProcessExited& exited);
	void note(const ProcessRenamed& renamed);
	void note(const FileMapped&) {}
	void keep(const ProcessImage& image, KnownProcess process);
	void end(const ProcessImage& image);

	mutable std::mutex mutex_; // guards what follows
	std::map<ProcessImage, KnownProcess> images_;
	std::deque<ProcessImage> over_;
	std::uint64_t not_kept_ = 0;
};

} // namespace uwind

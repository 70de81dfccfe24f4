// SPDX-License-Identifier: GPL-2.0
// Which mapped files were looked at, so that a file which many processes map is opened once.
#pragma once

#include <cstdint>
#include <mutex>
#include <set>
#include <utility>

#include "model/records.h"

namespace uwind {

// Safe to use from several threads.
class ScannedFiles {
public:
	// After that many files all are forgotten; Modules still knows those that have a table.
	static constexpr std::size_t limit = 65'536;

	// True: no mapping of this file was added before. It is known by device and inode.
	bool add(const Mapping& mapping)
	{
		const auto device = std::uint64_t(mapping.dev_major) << 32 | mapping.dev_minor;
		std::lock_guard lock(mutex_);
		if (files_.size() >= limit)
			files_.clear();
		return files_.emplace(device, mapping.inode).second;
	}

private:
	std::mutex mutex_; // guards files_
	std::set<std::pair<std::uint64_t, std::uint64_t>> files_;
};

} // namespace uwind

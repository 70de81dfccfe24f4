// SPDX-License-Identifier: GPL-2.0
// A folder for as long as a verb runs.
#pragma once

#include <string>
#include <sys/types.h>

#include "base/handle.h"
#include "base/result.h"

namespace uwind {

// Only its owner's. It is gone with all that is in it when this is destroyed, and also when the process is killed.
class ScratchFolder {
public:
	// In TMPDIR, else in /var/tmp, which is on a disk. Forks: before threads are started.
	static Result<ScratchFolder> create();
	ScratchFolder(ScratchFolder&& other) noexcept;
	ScratchFolder& operator=(ScratchFolder&&) = delete;
	~ScratchFolder();

	const std::string& path() const { return path_; }

private:
	ScratchFolder(std::string path, UniqueFd alive, pid_t remover)
	    : path_(std::move(path)), alive_(std::move(alive)), remover_(remover)
	{
	}

	std::string path_;
	UniqueFd alive_; // closed: the remover begins
	pid_t remover_;  // 0: it was moved from
};

} // namespace uwind

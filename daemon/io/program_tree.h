// SPDX-License-Identifier: GPL-2.0
// The ELF files below some folders.
#pragma once

#include <atomic>
#include <cstdint>
#include <dirent.h>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "port/program_files.h"

struct stat;

namespace uwind {

// In the order of the paths: the files that they name, and all that lies below the folders that they name. Links are
// followed; a folder is entered once, and a file is given once, whatever names they have. Only regular files are
// opened, and no file system of the kernel's own is entered (proc, sysfs and others), where to open a file may have
// effects.
class ProgramTree : public ProgramFiles {
public:
	struct Limits {
		std::size_t names = 4u << 20;     // that are looked at
		std::size_t folders = 1u << 18;   // that are entered
		std::size_t files = 1u << 18;     // that are given
		std::uint64_t bytes = 4ull << 30; // of a file
	};

	// changed_since_s: since 1970; files whose contents, name or mode were not changed since then are left out.
	explicit ProgramTree(std::vector<std::string> paths, std::int64_t changed_since_s = 0);
	ProgramTree(std::vector<std::string> paths, std::int64_t changed_since_s, const Limits& limits);

	std::optional<Result<ProgramFile>> next() override;
	void stop() override { ended_ = true; }

private:
	enum class Origin { named, below };
	using Found = std::optional<Result<ProgramFile>>; // nothing: go on
	using Identity = std::pair<std::uint64_t, std::uint64_t>;

	Found step();
	Found enter(const std::string& path);
	Found look_at_next_in_folder();
	Found look_at(const std::string& path, Origin origin);
	Found look_at_file(const std::string& path, const struct stat& status, Origin origin);
	Found end_at_limit(const std::string& path, const std::string& what);

	const std::vector<std::string> paths_;
	const std::int64_t changed_since_s_;
	const Limits limits_;
	std::size_t next_path_ = 0;
	std::size_t names_ = 0;
	std::vector<std::string> waiting_; // folders to be entered, the next one last
	std::string folder_path_;          // of the one that is being read
	std::unique_ptr<DIR, FreeWith<&closedir>> folder_;
	std::set<Identity> folders_, files_; // that were met
	std::atomic<bool> ended_ = false;
};

} // namespace uwind

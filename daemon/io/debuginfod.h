// SPDX-License-Identifier: GPL-2.0
// Debug files that servers have: debuginfod(8) of elfutils, through its own library, which only who asks servers needs.
#pragma once

#include <cstdint>
#include <memory>

#include "port/online_files.h"

namespace uwind {

struct DebuginfodLimits {
	std::uint64_t file_bytes = std::uint64_t{4} << 30;
	unsigned silent_seconds = 30; // until a server has sent something
	unsigned seconds = 3600;      // of one file
};

// Files go to the library's own cache (~/.cache/debuginfod_client), and are taken from there. DEBUGINFOD_TIMEOUT,
// DEBUGINFOD_MAXTIME and DEBUGINFOD_MAXSIZE, where they are set, apply in place of these limits. After a server could
// not be asked, none is asked again.
class Debuginfod : public OnlineFiles {
public:
	// urls: as in DEBUGINFOD_URLS, with spaces between them. ENOENT: the library is not installed; the message says
	// which package has it. Changes the environment: before threads are started.
	static Result<std::shared_ptr<Debuginfod>> open(const std::string& urls, DebuginfodLimits limits = {});
	~Debuginfod() override;

	Result<UniqueFd> debug_file(const std::string& build_id) override;
	Result<UniqueFd> program(const std::string& build_id) override;

private:
	struct Library;
	Debuginfod(std::unique_ptr<Library> library, std::uint64_t most_bytes);
	template <typename Find>
	Result<UniqueFd> find(Find function, const std::string& build_id);

	const std::unique_ptr<Library> library_;
	const std::uint64_t most_bytes_; // of a file
	Status gives_up_ = Nothing{};
};

} // namespace uwind

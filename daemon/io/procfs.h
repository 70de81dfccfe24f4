// SPDX-License-Identifier: GPL-2.0
// Processes as /proc shows them.
#pragma once

#include "port/processes.h"

namespace uwind {

class Procfs : public Processes {
public:
	std::vector<std::uint32_t> pids() override;
	Result<std::vector<Mapping>> mappings(std::uint32_t pid) override;
	Result<ProcessFacts> describe(std::uint32_t pid) override;
	Result<ProcessDetails> details(std::uint32_t pid) override;
	Result<StackRoom> stack_room(std::uint32_t pid) override;
	Result<OpenedFile> open_mapped(std::uint32_t pid, const Mapping& mapping) override;
	Result<OpenedFile> open_path(const std::string& path) override;
	Result<UniqueFd> open_vdso() override;
	Result<UniqueFd> open_vdso_of(std::uint32_t pid, const Mapping& mapping) override;
	Host host() override;
};

// The start time in the text of /proc/PID/stat, in clock ticks.
std::optional<std::uint64_t> start_ticks_in(std::string_view stat);

// A path that /proc shows of a process, as the process itself sees it, whose root is that folder (chroot).
std::string below_root(std::string_view path, const std::string& root);

} // namespace uwind

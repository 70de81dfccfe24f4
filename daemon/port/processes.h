// SPDX-License-Identifier: GPL-2.0
// Processes and the files that they map, as /proc shows them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/handle.h"
#include "base/result.h"
#include "model/host.h"
#include "model/process_details.h"
#include "model/records.h"
#include "model/stack_room.h"

namespace uwind {

struct ProcessFacts {
	std::string exe; // "": unknown
	std::string comm;
	std::uint64_t start_time_ns = 0; // CLOCK_BOOTTIME, rounded down to start_tick_ns
};

constexpr std::uint64_t start_tick_ns = 10'000'000;

// Of the process that started then, and not of another one that has its number by now. start_time_ns: exact.
inline bool started_at(const ProcessFacts& facts, std::uint64_t start_time_ns)
{
	return facts.start_time_ns == start_time_ns - start_time_ns % start_tick_ns;
}

struct OpenedFile {
	UniqueFd fd;
	FileIdentity identity; // device numbers are those of the mapping
	std::string path;      // absolute and without links, as in mappings; "": not known
};

class Processes {
public:
	virtual ~Processes() = default;

	virtual std::vector<std::uint32_t> pids() = 0;
	// The executable mappings of files, without the vDSO.
	virtual Result<std::vector<Mapping>> mappings(std::uint32_t pid) = 0;
	virtual Result<ProcessFacts> describe(std::uint32_t pid) = 0;
	// All but the container.
	virtual Result<ProcessDetails> details(std::uint32_t pid) = 0;
	// Of its first thread.
	virtual Result<StackRoom> stack_room(std::uint32_t pid) = 0;
	// The mapped file, even if it was deleted or replaced since; by its path if
	// the process is gone. Regular files only. ESTALE: another file has that path
	// now.
	virtual Result<OpenedFile> open_mapped(std::uint32_t pid, const Mapping& mapping) = 0;
	virtual Result<OpenedFile> open_path(const std::string& path) = 0;
	// A file with the contents of the kernel's vDSO, for processes of our own word size.
	virtual Result<UniqueFd> open_vdso() = 0;
	// The same for the vDSO that this process maps there.
	virtual Result<UniqueFd> open_vdso_of(std::uint32_t pid, const Mapping& mapping) = 0;
	virtual Host host() = 0;
};

} // namespace uwind

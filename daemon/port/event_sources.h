// SPDX-License-Identifier: GPL-2.0
// What a machine says of its events: sysfs, tracefs, files with probes. Changes nothing.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/event.h"

namespace uwind {

// A function in an ELF file.
struct ProbeSymbol {
	std::string name;
	std::uint64_t offset = 0; // file offset
	std::uint64_t bytes = 0;  // 0: not known
};

// A static probe (USDT, .note.stapsdt) in an ELF file.
struct ProbePlace {
	std::string provider, name;
	std::uint64_t offset = 0;           // file offset
	std::uint64_t semaphore_offset = 0; // file offset; 0: it has none
};

struct ProbeFile {
	std::string path; // absolute
	std::vector<ProbeSymbol> symbols;
	std::vector<ProbePlace> places;
};

class EventSources {
public:
	virtual ~EventSources() = default;

	// The text of a file in /proc, /sys or tracefs: up to a few MiB.
	virtual Result<std::string> read(const std::string& path) = 0;
	// The names in a folder there, sorted.
	virtual Result<std::vector<std::string>> list(const std::string& folder) = 0;
	// Where tracefs is mounted. ENOENT: the kernel has none; ENODEV: it is not mounted; EACCES: it is not readable.
	virtual Result<std::string> tracing() = 0;
	// perf_event_open(2), closed at once. EACCES, EPERM: this user may not; other errors: no such event.
	virtual Status try_event(const EventSpec& event) = 0;
	// A program or library; a name without a slash is looked up in PATH. ENOENT: no such file; EINVAL: no
	// ELF file.
	virtual Result<ProbeFile> probe_file(const std::string& path) = 0;
};

} // namespace uwind

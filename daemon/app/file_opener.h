// SPDX-License-Identifier: GPL-2.0
// While sampling: opens the files that the module reports.
#pragma once

#include <optional>

#include "app/counts.h"
#include "app/modules.h"
#include "app/ports.h"
#include "app/scanned_files.h"
#include "app/table_shelf.h"
#include "app/work_queue.h"

namespace uwind {

// Safe to use from several threads. Holds nothing of its own: what it learns goes to modules, scanned and events,
// and files that need a table go back to the queue.
class FileOpener {
public:
	FileOpener(const Ports& ports, Modules& modules, ScannedFiles& scanned, EventCounter& events, WorkQueue& queue,
		   const TableShelf& shelf);

	// If samples that lack a table are lost (shelf is not open), also opens other files that the process maps: they
	// may soon be sampled too.
	// A file that cannot be opened counts as files_not_opened.
	void open(FileJob job);

private:
	void open_vdso(const FileJob& job);
	void open_neighbours(std::uint32_t tgid);
	bool add_unannounced(FileJob& job, const FileIdentity& identity);
	std::optional<Mapping> locate(const FileJob& job);
	bool complete(FileJob& job);
	void adopt(const FileJob& job);
	void not_opened(const FileJob& job);

	Kernel& kernel_;
	Processes& processes_;
	Objects& objects_;
	Clock& clock_;
	Modules& modules_;
	ScannedFiles& scanned_;
	EventCounter& events_;
	WorkQueue& queue_;
	const TableShelf& shelf_;
};

} // namespace uwind

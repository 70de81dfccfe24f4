// SPDX-License-Identifier: GPL-2.0
// The kernel module as the application sees it: tables and one session.
#pragma once

#include <chrono>
#include <optional>

#include "base/result.h"
#include "model/records.h"
#include "model/session.h"
#include "model/table_content.h"

namespace uwind {

// A table that the module has accepted.
struct MadeTable {
	std::uint32_t table = 0;
	std::uint32_t rows = 0;
	std::uint64_t bytes = 0;
	Method method = Method::NONE;
};

// Safe to use from several threads. Tables and the session end with the object.
class Kernel {
public:
	virtual ~Kernel() = default;

	virtual const ModuleVersion& version() const = 0;

	virtual Result<MadeTable> create_table(const TableContent& content) = 0;
	virtual Status destroy_table(std::uint32_t table) = 0;
	// EEXIST: the file has a table already.
	virtual Status tie_table(std::uint32_t table, int fd) = 0;
	virtual Status tie_table_to_vdso(std::uint32_t table) = 0;
	virtual Result<std::vector<TableInfo>> tables() = 0;
	virtual Result<ModuleStats> module_stats() = 0;

	// One session at a time. It starts disabled.
	virtual Result<StartedSession> start_session(const SessionOptions& options) = 0;
	virtual Status enable_session() = 0;
	virtual Result<SessionStats> session_stats() = 0;
	// The module also sends what it still buffers.
	virtual Result<SessionStats> stop_session() = 0;
};

// Records that the module sends to this program. One thread receives.
class RecordStream {
public:
	virtual ~RecordStream() = default;

	// Nothing: no message arrived in time. An error is final.
	virtual Result<std::optional<RecordBatch>> receive(std::chrono::milliseconds timeout) = 0;
	// Any thread may: receive() waits no more, or the next time it would wait.
	virtual void interrupt() = 0;
	// How often the socket's buffer overflowed. Any thread may ask.
	virtual std::uint64_t overruns() const = 0;
};

} // namespace uwind

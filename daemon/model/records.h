// SPDX-License-Identifier: GPL-2.0
// What the module sends, as structs.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <variant>
#include <vector>

#include "model/event.h"
#include "model/unfinished.h"
#include "model/words.h"

namespace uwind {

struct StackFrame {
	std::uint64_t pc = 0;
	std::uint64_t offset = 0; // of pc in the file, or in the range's own space
	std::uint32_t file = 0;   // number of a FileRecord; 0: no file
	std::optional<std::uint32_t> stack_bytes;
	Method method = Method::NONE;
};

// A stretch of a stack, innermost frame first. Stacks with the same outer frames may share
// below: a copy of all frames of many records may need far more memory.
struct StackPart {
	std::vector<StackFrame> frames;
	std::shared_ptr<const StackPart> below; // the stretch of its callers; null: none
	Stop stop = Stop::NONE;                 // why the whole stack ends
	std::size_t parts = 1;                  // this stretch and those below
	std::size_t depth = 0;                  // frames in all of them
	bool finished_later = false;            // not all of it was found by the module
};

// A thread, during one exec of its process.
struct ThreadRecord {
	std::uint64_t start_time_ns = 0; // of the process, CLOCK_BOOTTIME
	std::uint64_t exec_id = 0;
	std::uint32_t tgid = 0;
	std::uint32_t tid = 0;
	std::string comm;
};

// The answer to one request.
struct StackRecord : ThreadRecord {
	std::uint64_t cookie = 0;
	std::uint64_t time_ns = 0; // CLOCK_BOOTTIME
	std::uint32_t cpu = 0;
	std::uint32_t weight = 0; // triggers that have no EventRecord
	std::uint32_t events = 0; // EventRecords with this cookie
	std::uint64_t triggers() const { return std::uint64_t(weight) + events; }
	std::optional<Loss> lost;                     // why there is no stack
	std::uint8_t word_bits = 64;                  // 32, or 0: not known (lost only)
	std::shared_ptr<const StackPart> stack;       // null: lost
	std::shared_ptr<const Unfinished> unfinished; // null: the walk cannot be gone on with
};

// A time that a thread was off its CPU, or the wakeup that ended it.
struct OffCpuRecord {
	bool preempted = false; // it could have gone on
	bool iowait = false;
	bool compat = false;    // the system call is one of the 32-bit ABI
	bool still = false;     // it has not come back
	bool is_waker = false;  // the event is the wakeup, in the waker
	bool interrupt = false; // of a wakeup: the thread was only interrupted
	char state = '?';       // as in /proc/PID/stat
	std::optional<std::uint32_t> syscall;
	std::uint64_t woken_ns = 0; // CLOCK_BOOTTIME; 0: not known
	std::uint64_t wake = 0;     // number of the wakeup; 0: it is not noted
};

// A call of a function of the kernel.
struct CallRecord {
	std::uint64_t function = 0; // an address in it
	bool returned = false;
	std::uint64_t duration_ns = 0, value = 0; // returned only
	std::array<std::uint64_t, most_arguments> arguments{};
};

// One time that one of several counters has fired.
struct EventRecord : ThreadRecord {
	std::uint64_t cookie = 0;  // of its StackRecord; 0: there is none
	std::uint64_t time_ns = 0; // CLOCK_BOOTTIME
	std::uint64_t period = 0;  // events that it stands for
	std::uint32_t cpu = 0;
	std::optional<std::uint8_t> counter; // nothing: a BPF program or a module requested the stack
	std::optional<Loss> lost;            // why there is no cookie; nothing: or it has no stack in user space
	std::shared_ptr<const StackPart> kernel_stack; // null: the task was in user space, or none was wanted
	std::optional<OffCpuRecord> off_cpu;           // nothing: another kind of event
	std::optional<CallRecord> call;                // the same
};

// Identifies a file, whatever its path. A file's table is valid while all of this stays equal.
struct FileIdentity {
	std::uint32_t dev_major = 0;
	std::uint32_t dev_minor = 0;
	std::uint64_t inode = 0;
	std::uint64_t bytes = 0;
	std::uint64_t mtime_ns = 0;

	bool operator==(const FileIdentity&) const = default;
	bool operator<(const FileIdentity& other) const { return tied() < other.tied(); }

private:
	std::tuple<std::uint32_t, std::uint32_t, std::uint64_t, std::uint64_t, std::uint64_t> tied() const
	{
		return {dev_major, dev_minor, inode, bytes, mtime_ns};
	}
};

// An executable mapping of a file in some process.
struct Mapping {
	std::uint64_t start = 0;
	std::uint64_t end = 0;
	std::uint64_t pgoff = 0; // file offset of start, bytes
	std::uint32_t dev_major = 0;
	std::uint32_t dev_minor = 0;
	std::uint64_t inode = 0;
	std::string path; // as the process sees it, without " (deleted)"
};

// Null: there is none of them.
inline const Mapping* mapping_at(const std::vector<Mapping>& mappings, std::uint64_t address)
{
	for (const Mapping& mapping : mappings)
		if (address >= mapping.start && address < mapping.end)
			return &mapping;
	return nullptr;
}

// A file that frames lie in: announced once, before its first frame.
struct FileRecord {
	std::uint32_t number = 0;
	bool no_table = false; // a miss: no program registered a table
	bool vdso = false;
	bool compat = false; // the vDSO of 32-bit processes
	std::uint32_t tgid = 0;
	Mapping mapping;
	FileIdentity identity;
};

using Record = std::variant<StackRecord, FileRecord, EventRecord>;

// One message. Session 0: none; only the counters are set.
struct RecordBatch {
	std::uint32_t session = 0;
	std::uint64_t sequence = 0;
	std::vector<Record> records;
	std::uint64_t malformed = 0; // records that could not be read
	std::uint64_t unknown = 0;   // records of an unknown type
};

} // namespace uwind

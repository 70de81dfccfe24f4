// SPDX-License-Identifier: GPL-2.0
// What each process maps, at the moment of the record that was taken last.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <unordered_map>

#include "model/perf_records.h"

namespace uwind {

struct RecordedFile;

// Executable memory. end is above start.
struct RecordedMapping {
	Mapping mapping;
	std::string build_id;         // "": not known
	RecordedFile* file = nullptr; // once somebody has asked for it; lives as long as RecordedFiles
	bool is_asked = false;        // for that
};

// By start; none overlaps another.
using RecordedCode = std::map<std::uint64_t, RecordedMapping>;

// Null: there is none.
RecordedMapping* mapping_at(RecordedCode& code, std::uint64_t address);

// A process, from one exec to the next.
struct RecordedImage {
	std::uint32_t pid = 0;
	std::uint64_t start_time_ns = 0; // by the recording's clock; 0: before it
	std::uint64_t exec_id = 0;       // how many there were since then
	std::string comm;
	std::string exe; // what it mapped first; "": not known
	bool has_exited = false;
	std::shared_ptr<RecordedCode> code =
		std::make_shared<RecordedCode>(); // shared with children that changed nothing
};

// For one thread.
class AddressSpaces {
public:
	struct Limits {
		std::size_t processes = 1u << 18;
		std::size_t mappings = 4u << 20; // of all processes, those that share them counted once
		std::size_t exited = 1024;       // that are still known
	};

	explicit AddressSpaces(Limits limits) : limits_(limits) {}
	AddressSpaces() : AddressSpaces(Limits{}) {}

	void take(const PerfMapping& record);
	void take(const PerfName& record);
	void take(const PerfFork& record);
	void take(const PerfExit& record);
	// Null: there is no room for it.
	RecordedImage* of(std::uint32_t pid);
	// Records that were left out for want of room.
	std::uint64_t not_kept() const { return not_kept_; }

private:
	RecordedCode* own_code(RecordedImage& image);
	void drop_code(RecordedImage& image);
	void begin_again(RecordedImage& image);

	const Limits limits_;
	std::unordered_map<std::uint32_t, RecordedImage> images_;
	std::deque<std::uint32_t> exited_; // the longest first
	std::size_t mappings_ = 0;
	std::uint64_t not_kept_ = 0;
};

} // namespace uwind

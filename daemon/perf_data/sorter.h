// SPDX-License-Identifier: GPL-2.0
// Puts records in the order of their times.
#pragma once

#include <map>
#include <optional>

#include "perf_data/raw_records.h"

namespace uwind::perf_data {

// perf writes what one CPU has noted after what another has. A mark ends each round over all CPUs: what comes after it
// is not older than the newest record before the mark before it.
class Sorter {
public:
	static constexpr std::size_t usual_limit = 256u << 20;

	struct Record {
		std::uint32_t type = 0;
		std::uint16_t misc = 0;
		std::optional<std::uint32_t> event; // which of the recording's it is of; nothing: it does not say
		std::vector<std::uint8_t> body;
	};

	// limit: bytes that wait. Above it, half of them go on, and some may then come too late.
	explicit Sorter(std::size_t limit = usual_limit) : limit_(limit) {}

	// Records with the same time keep their order.
	void add(const RawRecord& record, std::optional<std::uint32_t> event, std::uint64_t time_ns);
	// The mark.
	void end_round();
	// There is no further record.
	void end();
	// The next that no other one can come before. Nothing: that is not known yet.
	std::optional<Record> next();
	// Records that came after one with a later time had gone on.
	std::uint64_t late() const { return late_; }

private:
	const std::size_t limit_;
	std::multimap<std::uint64_t, Record> waiting_; // by time
	std::size_t bytes_ = 0;
	std::uint64_t ready_ns_ = 0;  // up to here no record is to come
	std::uint64_t newest_ns_ = 0; // of all records
	std::uint64_t round_ns_ = 0;  // of those before the last mark
	std::uint64_t gone_ns_ = 0;   // the newest that went on
	std::uint64_t late_ = 0;
	bool halve_ = false;
};

} // namespace uwind::perf_data

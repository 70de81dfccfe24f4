// SPDX-License-Identifier: GPL-2.0
// The data of a perf.data file, record by record, as they stand there.
#pragma once

#include <optional>

#include "base/byte_cursor.h"
#include "perf_data/file_bytes.h"

namespace uwind::perf_data {

struct RawRecord {
	std::uint32_t type = 0;
	std::uint16_t misc = 0;
	Bytes body; // after its head; valid until the next record is read
};

class RawRecords {
public:
	// data lies in the file, which outlives this.
	RawRecords(const FileBytes& file, const Part& data)
	    : file_(file), next_(data.offset), end_(data.offset + data.bytes)
	{
	}

	// Nothing: there is no further one. EINVAL: it is broken, and with it the rest.
	Result<std::optional<RawRecord>> next();

private:
	Status fill(std::uint64_t bytes);
	Status skip_trace(const RawRecord& record);
	Error broken(const std::string& what) const;

	const FileBytes& file_;
	std::uint64_t next_; // offset of the next record
	const std::uint64_t end_;
	std::vector<std::uint8_t> window_; // bytes of the file from window_at_ on
	std::uint64_t window_at_ = 0;
};

} // namespace uwind::perf_data

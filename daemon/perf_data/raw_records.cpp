// SPDX-License-Identifier: GPL-2.0
// The data of a perf.data file, record by record, as they stand there.
#include "perf_data/raw_records.h"

#include <algorithm>

#include "perf_data/format.h"

namespace uwind::perf_data {
namespace {

constexpr std::uint64_t window_bytes = 1u << 20; // more than a record has

} // namespace

Error RawRecords::broken(const std::string& what) const
{
	return file_.wrong("the record at offset " + std::to_string(next_) + " " + what);
}

// The window holds so many bytes from next_ on, which are in the data.
Status RawRecords::fill(std::uint64_t bytes)
{
	if (next_ >= window_at_ && next_ + bytes <= window_at_ + window_.size())
		return Nothing{};
	auto read = file_.read({next_, std::min(window_bytes, end_ - next_)}, "the data", window_bytes);
	if (!read)
		return read.error();
	window_ = std::move(*read);
	window_at_ = next_;
	return Nothing{};
}

// A record of hardware's traces is followed by them.
Status RawRecords::skip_trace(const RawRecord& record)
{
	const std::uint64_t bytes = ByteCursor(record.body).u64();
	if (bytes > end_ - next_)
		return broken("says that " + std::to_string(bytes) + " bytes follow, more than there are");
	next_ += bytes;
	return Nothing{};
}

Result<std::optional<RawRecord>> RawRecords::next()
{
	if (next_ == end_)
		return std::optional<RawRecord>();
	if (end_ - next_ < record_head_bytes)
		return broken("is cut off");
	if (auto filled = fill(record_head_bytes); !filled)
		return filled.error();
	ByteCursor head(window_, next_ - window_at_);
	RawRecord record{head.u32(), head.u16(), {}};
	const std::uint16_t size = head.u16();
	if (size < record_head_bytes)
		return broken("says that it has " + std::to_string(size) + " bytes");
	if (size > end_ - next_)
		return broken("is cut off");
	if (auto filled = fill(size); !filled)
		return filled.error();
	record.body = Bytes(window_).subspan(next_ - window_at_ + record_head_bytes, size - record_head_bytes);
	if (record.type == record_compressed || record.type == record_compressed_2)
		return broken("is compressed: record without -z (--compression-level)");
	next_ += size;
	if (record.type == record_auxtrace)
		if (auto skipped = skip_trace(record); !skipped)
			return skipped.error();
	return std::optional(record);
}

} // namespace uwind::perf_data

// SPDX-License-Identifier: GPL-2.0
// Puts records in the order of their times.
#include "perf_data/sorter.h"

#include <algorithm>

namespace uwind::perf_data {
namespace {

constexpr std::size_t node_bytes = 96; // about what the map takes for each

std::size_t bytes_of(const Sorter::Record& record)
{
	return record.body.size() + node_bytes;
}

} // namespace

void Sorter::add(const RawRecord& raw, std::optional<std::uint32_t> event, std::uint64_t time_ns)
{
	late_ += time_ns < gone_ns_;
	newest_ns_ = std::max(newest_ns_, time_ns);
	Record record{raw.type, raw.misc, event, {raw.body.begin(), raw.body.end()}};
	bytes_ += bytes_of(record);
	waiting_.emplace(time_ns, std::move(record));
	halve_ = halve_ || bytes_ > limit_;
}

void Sorter::end_round()
{
	ready_ns_ = std::max(ready_ns_, round_ns_);
	round_ns_ = newest_ns_;
}

void Sorter::end()
{
	ready_ns_ = newest_ns_;
}

std::optional<Sorter::Record> Sorter::next()
{
	halve_ = halve_ && bytes_ > limit_ / 2;
	const auto first = waiting_.begin();
	if (first == waiting_.end() || (first->first > ready_ns_ && !halve_))
		return std::nullopt;
	gone_ns_ = std::max(gone_ns_, first->first);
	bytes_ -= bytes_of(first->second);
	Record record = std::move(first->second);
	waiting_.erase(first);
	return record;
}

} // namespace uwind::perf_data

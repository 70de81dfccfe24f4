// SPDX-License-Identifier: GPL-2.0
// From the bytes of a UWIND_A_RECORDS attribute to records.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "model/records.h"

namespace uwind {

// Reads the records of one message, attribute by attribute. A record may refer by number to
// earlier records, also of earlier attributes. Appends to batch.records and its counters. A
// record that contradicts itself is counted and left out; an impossible length also ends the
// attribute.
class RecordReader {
public:
	explicit RecordReader(RecordBatch& batch) : batch_(batch) {}

	void read(std::span<const std::uint8_t> bytes);
	// Among them were bytes of somebody's stack.
	bool has_read_stacks() const { return has_read_stacks_; }

private:
	using Bytes = std::span<const std::uint8_t>;
	using Stack = std::shared_ptr<const StackPart>;

	// False: the record is malformed.
	bool read_one(std::uint16_t type, Bytes bytes);
	bool read_thread(Bytes bytes);
	bool read_stack(Bytes bytes);
	bool read_sample(Bytes bytes);
	bool read_next(Bytes bytes);
	bool add_sample(StackRecord sample, std::uint16_t thread_number, std::uint16_t stack_number);
	bool read_event(Bytes bytes);
	bool read_off_cpu(Bytes bytes);
	bool read_call(Bytes bytes);
	bool read_unfinished(Bytes bytes);
	bool read_file(Bytes bytes);
	const Stack* stack(std::uint16_t number) const;
	const ThreadRecord* thread(std::uint16_t number) const;
	bool is_free(std::uint16_t number) const { return number && !stack(number) && !thread(number); }

	RecordBatch& batch_;
	std::optional<StackRecord> last_sample_;       // without what a record names by number
	std::shared_ptr<const Unfinished> unfinished_; // the next sample's
	std::optional<OffCpuRecord> off_cpu_;          // the next event's
	std::optional<CallRecord> call_;               // the same
	bool has_read_stacks_ = false;
	std::vector<Stack> stacks_; // by number; null: there is none
	// By number.
	std::unordered_map<std::uint16_t, ThreadRecord> threads_;
};

} // namespace uwind

// SPDX-License-Identifier: GPL-2.0
// The tables that all profiles of an OTLP message share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "export/mappings.h"
#include "export/otlp.pb.h"
#include "export/tally.h"
#include "model/report.h"

namespace uwind {

// Frames of all stacks that such a message has: a message of protobuf is less than 2 GiB.
inline constexpr std::size_t otlp_max_frames = 268'435'456;

// Entry 0 of each table is empty and stands for none; no table has an entry twice.
class OtlpDictionary {
public:
	explicit OtlpDictionary(const Report& report, std::size_t max_frames = otlp_max_frames);

	std::int32_t string(const std::string& text);
	std::int32_t attribute(const char* key, const std::string& value);
	std::int32_t attribute(const char* key, std::int64_t value);
	// Of the kernel's frames, then the thread's. 0: there is no room for it.
	std::int32_t stack(const BothStacks& stacks);

	// With the dictionary alone.
	const otlp::ProfilesData& message() const { return message_; }

private:
	template <typename Row>
	using Table = google::protobuf::RepeatedPtrField<Row>;
	using Places = std::unordered_map<std::string, std::int32_t>; // by an entry's bytes

	template <typename Row>
	static std::int32_t place(Places& places, Table<Row>& table, const Row& row);
	std::int32_t attribute(const char* key, const otlp::AnyValue& value);
	std::int32_t mapping(const ReportFrame& frame, std::uint64_t address);
	std::int32_t function(const ReportInlined& function);
	std::int32_t location(Index frame, bool is_return);
	std::int32_t new_location(Index frame, bool is_return);
	void add_frames(const ReportStack& stack, otlp::Stack& row);

	const Report& report_;
	const std::size_t max_frames_;
	std::size_t frames_ = 0;
	const Mappings files_;
	otlp::ProfilesData message_;
	otlp::ProfilesDictionary& tables_;
	Places strings_, attributes_, mappings_, functions_, locations_, stacks_;
	std::vector<std::int32_t> location_of_;       // by frame, and whether it is in a call; 0: none yet
	std::map<BothStacks, std::int32_t> stack_of_; // those of the report may differ, and have the same locations
};

} // namespace uwind

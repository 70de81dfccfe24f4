// SPDX-License-Identifier: GPL-2.0
// What each event's records hold, and which event a record is of.
#pragma once

#include <optional>
#include <unordered_map>

#include "base/byte_cursor.h"
#include "perf_data/file_header.h"
#include "perf_data/format.h"

namespace uwind::perf_data {

// Parts of perf_event_attr that are needed to read records.
struct Attribute {
	std::uint32_t type = 0;
	std::uint64_t config = 0;
	bool is_frequency = false;
	std::uint64_t rate = 0;
	std::uint64_t sample_type = 0;
	std::uint64_t read_format = 0;
	std::uint64_t branch_type = 0;
	std::uint64_t user_registers = 0;
	bool ids_everywhere = false; // sample_id_all
	bool user_only = false;
	std::optional<std::uint32_t> clock;
};

// At least one, at most that many.
inline constexpr std::size_t most_attributes = 256;
// Of all events together: one for each CPU or thread.
inline constexpr std::size_t most_ids = 4u << 20;

class Attributes {
public:
	// EINVAL: they are broken, or their records cannot be told apart.
	static Result<Attributes> read(const FileBytes& file, const FileHeader& header);

	const std::vector<Attribute>& all() const { return all_; }
	// By the id that a record of that type begins or ends with. Nothing: it has none of them.
	std::optional<std::uint32_t> event_of(std::uint32_t type, Bytes body) const;
	// What the record is read by.
	const Attribute& of(std::optional<std::uint32_t> event) const { return all_[event.value_or(0)]; }

private:
	Status add(const FileBytes& file, Bytes entry);
	Status add_ids(const FileBytes& file, const Part& part);
	bool find_ids();
	bool are_alike() const;

	std::vector<Attribute> all_;
	std::unordered_map<std::uint64_t, std::uint32_t> events_;
	// Bytes from a sample's begin, and from the end of other records, to the id.
	std::optional<std::size_t> from_begin_, from_end_;
};

// The time that the record has: of a sample in it, of others at its end. Nothing: it has none.
std::optional<std::uint64_t> time_of(const Attribute& attribute, std::uint32_t type, Bytes body);
// How many bytes of other records than samples come after their own.
std::size_t trailer_bytes(const Attribute& attribute);

} // namespace uwind::perf_data

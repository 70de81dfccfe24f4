// SPDX-License-Identifier: GPL-2.0
// What each event's records hold, and which event a record is of.
#include "perf_data/attributes.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace uwind::perf_data {
namespace {

// What other records than samples end with, in this order; each takes eight bytes.
constexpr std::uint64_t in_trailer[] = {PERF_SAMPLE_TID,       PERF_SAMPLE_TIME, PERF_SAMPLE_ID,
					PERF_SAMPLE_STREAM_ID, PERF_SAMPLE_CPU,  PERF_SAMPLE_IDENTIFIER};
// What samples begin with, the same.
constexpr std::uint64_t in_sample[] = {PERF_SAMPLE_IDENTIFIER, PERF_SAMPLE_IP,   PERF_SAMPLE_TID,
				       PERF_SAMPLE_TIME,       PERF_SAMPLE_ADDR, PERF_SAMPLE_ID};

// Of a sample, from its begin. Nothing: it is not there.
std::optional<std::size_t> place_in_sample(std::uint64_t sample_type, std::uint64_t what)
{
	std::size_t place = 0;
	if (!(sample_type & what))
		return std::nullopt;
	for (const std::uint64_t part : in_sample) {
		if (part == what)
			return place;
		place += sample_type & part ? 8 : 0;
	}
	return std::nullopt;
}

// Of another record, from its end.
std::optional<std::size_t> place_in_trailer(const Attribute& attribute, std::uint64_t what)
{
	std::size_t place = 0;
	if (!attribute.ids_everywhere || !(attribute.sample_type & what))
		return std::nullopt;
	for (const std::uint64_t part : in_trailer)
		if (part == what || place)
			place += attribute.sample_type & part ? 8 : 0;
	return place;
}

std::optional<std::size_t> id_in_sample(const Attribute& attribute)
{
	const bool fixed = attribute.sample_type & PERF_SAMPLE_IDENTIFIER;
	return place_in_sample(attribute.sample_type, fixed ? PERF_SAMPLE_IDENTIFIER : PERF_SAMPLE_ID);
}

std::optional<std::size_t> id_in_trailer(const Attribute& attribute)
{
	const bool fixed = attribute.sample_type & PERF_SAMPLE_IDENTIFIER;
	return place_in_trailer(attribute, fixed ? PERF_SAMPLE_IDENTIFIER : PERF_SAMPLE_ID);
}

std::optional<std::uint64_t> number_at(Bytes body, std::optional<std::size_t> from_begin,
				       std::optional<std::size_t> from_end)
{
	if (from_end && *from_end > body.size())
		return std::nullopt;
	const std::optional<std::size_t> place = from_end ? body.size() - *from_end : from_begin;
	if (!place)
		return std::nullopt;
	ByteCursor cursor(body, *place);
	const std::uint64_t number = cursor.u64();
	return cursor.ok() ? std::optional(number) : std::nullopt;
}

// The kernel's struct only grows.
Attribute attribute_in(Bytes bytes)
{
	perf_event_attr raw{};
	std::memcpy(&raw, bytes.data(), std::min(bytes.size(), sizeof(raw)));
	Attribute attribute;
	attribute.type = raw.type;
	attribute.config = raw.config;
	attribute.is_frequency = raw.freq;
	attribute.rate = raw.sample_freq;
	attribute.sample_type = raw.sample_type;
	attribute.read_format = raw.read_format;
	attribute.branch_type = raw.branch_sample_type;
	attribute.user_registers = raw.sample_regs_user;
	attribute.ids_everywhere = raw.sample_id_all;
	attribute.user_only = raw.exclude_kernel;
	if (raw.use_clockid)
		attribute.clock = static_cast<std::uint32_t>(raw.clockid);
	return attribute;
}

} // namespace

Status Attributes::add_ids(const FileBytes& file, const Part& part)
{
	if (part.bytes % sizeof(std::uint64_t))
		return file.wrong("the ids of an event are no whole numbers");
	const auto bytes =
		file.read(part, "the list of an event's ids", (most_ids - events_.size()) * sizeof(std::uint64_t));
	if (!bytes)
		return bytes.error();
	for (ByteCursor cursor(*bytes); !cursor.done();)
		events_[cursor.u64()] = static_cast<std::uint32_t>(all_.size());
	return Nothing{};
}

// The attribute, padded, and where its ids are.
Status Attributes::add(const FileBytes& file, Bytes entry)
{
	const std::size_t room = entry.size() - sizeof(Part);
	const std::size_t size = word_at(entry, 4);
	if (size > room || (size && size < PERF_ATTR_SIZE_VER0))
		return file.wrong("an event says that it takes " + std::to_string(size) + " bytes, but has " +
				  std::to_string(room));
	ByteCursor cursor(entry, room);
	const std::uint64_t offset = cursor.u64();
	if (auto added = add_ids(file, {offset, cursor.u64()}); !added)
		return added;
	all_.push_back(attribute_in(entry.first(size ? size : PERF_ATTR_SIZE_VER0)));
	return Nothing{};
}

bool Attributes::are_alike() const
{
	return std::ranges::all_of(all_, [&](const Attribute& other) {
		return other.sample_type == all_[0].sample_type && other.read_format == all_[0].read_format &&
		       other.branch_type == all_[0].branch_type && other.user_registers == all_[0].user_registers &&
		       other.ids_everywhere == all_[0].ids_everywhere;
	});
}

// False: those of several events are in different places.
bool Attributes::find_ids()
{
	from_begin_ = id_in_sample(all_[0]);
	from_end_ = id_in_trailer(all_[0]);
	return std::ranges::all_of(all_, [&](const Attribute& other) {
		return id_in_sample(other) == from_begin_ && id_in_trailer(other) == from_end_;
	});
}

Result<Attributes> Attributes::read(const FileBytes& file, const FileHeader& header)
{
	const std::uint64_t each = header.attribute_bytes;
	if (!header.attributes.bytes || header.attributes.bytes % each)
		return file.wrong("its list of events has " + std::to_string(header.attributes.bytes) +
				  " bytes, which are no whole events of " + std::to_string(each));
	const auto bytes = file.read(header.attributes, "the list of events", most_attributes * each);
	if (!bytes)
		return bytes.error();
	Attributes attributes;
	for (std::size_t at = 0; at < bytes->size(); at += each)
		if (auto added = attributes.add(file, Bytes(*bytes).subspan(at, each)); !added)
			return added.error();
	const bool same_places = attributes.find_ids();
	if (attributes.are_alike() || (same_places && attributes.from_begin_))
		return attributes;
	return file.wrong("records of several events cannot be told apart: record each of them by itself");
}

std::optional<std::uint32_t> Attributes::event_of(std::uint32_t type, Bytes body) const
{
	const bool is_sample = type == PERF_RECORD_SAMPLE;
	const auto id = number_at(body, is_sample ? from_begin_ : std::nullopt, is_sample ? std::nullopt : from_end_);
	const auto found = id ? events_.find(*id) : events_.end();
	if (found != events_.end())
		return found->second;
	return all_.size() == 1 ? std::optional(0u) : std::nullopt;
}

std::optional<std::uint64_t> time_of(const Attribute& attribute, std::uint32_t type, Bytes body)
{
	if (type == PERF_RECORD_SAMPLE)
		return number_at(body, place_in_sample(attribute.sample_type, PERF_SAMPLE_TIME), std::nullopt);
	return number_at(body, std::nullopt, place_in_trailer(attribute, PERF_SAMPLE_TIME));
}

std::size_t trailer_bytes(const Attribute& attribute)
{
	std::size_t bytes = 0;
	for (const std::uint64_t part : in_trailer)
		bytes += attribute.ids_everywhere && attribute.sample_type & part ? 8 : 0;
	return bytes;
}

} // namespace uwind::perf_data

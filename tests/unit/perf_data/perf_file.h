// SPDX-License-Identifier: GPL-2.0
// Builds perf.data files, knowing nothing of the reader.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <linux/perf_event.h>
#include <string>
#include <vector>

namespace perf_file {

// Little-endian numbers and texts, one after the other.
struct Blob {
	std::vector<std::uint8_t> bytes;

	template <typename T>
	Blob& number(T value)
	{
		const auto* begin = reinterpret_cast<const std::uint8_t*>(&value);
		bytes.insert(bytes.end(), begin, begin + sizeof(value));
		return *this;
	}
	Blob& u64(std::uint64_t value) { return number(value); }
	Blob& u32(std::uint32_t value) { return number(value); }
	Blob& u16(std::uint16_t value) { return number(value); }
	Blob& u8(std::uint8_t value) { return number(value); }
	Blob& all(const std::vector<std::uint8_t>& more)
	{
		bytes.insert(bytes.end(), more.begin(), more.end());
		return *this;
	}
	// With NULs after it, up to a multiple of eight bytes.
	Blob& text(const std::string& text)
	{
		bytes.insert(bytes.end(), text.begin(), text.end());
		bytes.resize(bytes.size() + 8 - text.size() % 8);
		return *this;
	}
	// After its length.
	Blob& counted(const std::string& text)
	{
		u32(static_cast<std::uint32_t>(text.size() + 1));
		bytes.insert(bytes.end(), text.begin(), text.end());
		return u8(0);
	}
};

struct Event {
	perf_event_attr attr{};
	std::vector<std::uint64_t> ids;
	std::string name = "cpu-clock";
};

// An event whose samples have what is named in sample_type, and other records the same at their end.
inline Event event(std::uint64_t sample_type)
{
	Event event;
	event.attr.type = PERF_TYPE_SOFTWARE;
	event.attr.size = sizeof(perf_event_attr);
	event.attr.sample_type = sample_type;
	event.attr.sample_id_all = 1;
	event.attr.freq = 1;
	event.attr.sample_freq = 99;
	return event;
}

inline std::vector<std::uint8_t> record(std::uint32_t type, std::uint16_t misc, const Blob& body)
{
	Blob blob;
	blob.u32(type).u16(misc).u16(static_cast<std::uint16_t>(8 + body.bytes.size())).all(body.bytes);
	return blob.bytes;
}

struct File {
	std::vector<Event> events;
	Blob data;
	std::vector<std::pair<unsigned, Blob>> sections; // by ascending feature
	std::string machine = "x86_64";

	File& add(std::uint32_t type, std::uint16_t misc, const Blob& body)
	{
		data.all(record(type, misc, body));
		return *this;
	}
	File& end_round() { return add(68, 0, {}); }

	std::vector<std::uint8_t> bytes() const;
	void write(const std::string& path) const
	{
		const auto all = bytes();
		std::ofstream(path, std::ios::binary)
			.write(reinterpret_cast<const char*>(all.data()), static_cast<std::streamsize>(all.size()));
	}
};

inline constexpr std::size_t header_bytes = 104, part_bytes = 16;

// Header, ids, events, data, table of sections, sections.
inline std::vector<std::uint8_t> File::bytes() const
{
	std::vector<std::pair<unsigned, Blob>> all = sections;
	Blob arch, names;
	arch.counted(machine);
	names.u32(static_cast<std::uint32_t>(events.size())).u32(sizeof(perf_event_attr));
	Blob ids, attributes;
	for (const Event& event : events) {
		const std::size_t at = header_bytes + ids.bytes.size();
		for (const std::uint64_t id : event.ids)
			ids.u64(id);
		attributes.number(event.attr).u64(at).u64(8 * event.ids.size());
		names.number(event.attr).u32(static_cast<std::uint32_t>(event.ids.size())).counted(event.name);
		for (const std::uint64_t id : event.ids)
			names.u64(id);
	}
	all.emplace_back(6, arch);
	all.emplace_back(12, names);
	std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
	std::uint64_t bits[4] = {};
	for (const auto& section : all)
		bits[section.first / 64] |= 1ull << section.first % 64;
	Blob out;
	const std::size_t attributes_at = header_bytes + ids.bytes.size();
	const std::size_t data_at = attributes_at + attributes.bytes.size();
	std::memcpy((out.bytes.resize(8), out.bytes.data()), "PERFILE2", 8);
	out.u64(header_bytes).u64(sizeof(perf_event_attr) + part_bytes);
	out.u64(attributes_at).u64(attributes.bytes.size()).u64(data_at).u64(data.bytes.size()).u64(0).u64(0);
	for (const std::uint64_t word : bits)
		out.u64(word);
	out.all(ids.bytes).all(attributes.bytes).all(data.bytes);
	std::size_t at = out.bytes.size() + all.size() * part_bytes;
	for (const auto& [feature, blob] : all) {
		out.u64(at).u64(blob.bytes.size());
		at += blob.bytes.size();
	}
	for (const auto& [feature, blob] : all)
		out.all(blob.bytes);
	return out.bytes;
}

// What records other than samples end with, if the events have TID and TIME alone.
inline Blob& trailer(Blob& blob, std::uint32_t pid, std::uint64_t time_ns)
{
	return blob.u32(pid).u32(pid).u64(time_ns);
}

} // namespace perf_file

// SPDX-License-Identifier: GPL-2.0
// A table in a file of the cache.
#include "objects/table_file.h"

#include <algorithm>
#include <cstring>

namespace uwind {
namespace {

constexpr std::string_view form = "uwtable2";

constexpr std::size_t padding(std::size_t size)
{
	return -size % sizeof(std::uint64_t);
}

class Writer {
public:
	void number(std::uint64_t value) { raw(&value, sizeof(value)); }
	void digest(const Digest::Value& value) { raw(value.data(), value.size()); }
	void stamp(const FileStamp& value) { raw(&value, sizeof(value)); }
	void text(const std::string& value) { array(value); }
	template <typename Array>
	void array(const Array& values)
	{
		const std::size_t size = values.size() * sizeof(*values.data());
		number(values.size());
		raw(values.data(), size);
		bytes.resize(bytes.size() + padding(size));
	}
	void content(const SframeSection& section)
	{
		array(section.bytes);
		number(section.address);
		array(section.segments);
	}
	void content(const TableRows& rows)
	{
		array(rows.rows);
		array(rows.rules);
		number(rows.method);
		number(static_cast<std::uint64_t>(rows.arch));
		number(rows.inexpressible.size());
		for (const auto& [reason, count] : rows.inexpressible) {
			text(reason);
			number(count);
		}
	}

	std::vector<std::uint8_t> bytes;

private:
	void raw(const void* from, std::size_t size)
	{
		const auto* begin = static_cast<const std::uint8_t*>(from);
		bytes.insert(bytes.end(), begin, begin + size);
	}
};

// What is missing is read as nothing; cursor.ok() says so.
class Reader {
public:
	explicit Reader(Bytes bytes) : cursor(bytes) {}

	std::uint64_t number() { return cursor.u64(); }
	Digest::Value digest()
	{
		Digest::Value value{};
		const Bytes taken = cursor.take(value.size());
		std::copy(taken.begin(), taken.end(), value.begin());
		return value;
	}
	FileStamp stamp()
	{
		FileStamp value;
		if (const Bytes taken = cursor.take(sizeof(value)); !taken.empty())
			std::memcpy(&value, taken.data(), sizeof(value));
		return value;
	}
	template <typename Array>
	Array array()
	{
		using Value = typename Array::value_type;
		const std::uint64_t count = number();
		if (count > cursor.left() / sizeof(Value)) {
			cursor.fail();
			return {};
		}
		const Bytes taken = cursor.take(count * sizeof(Value));
		cursor.skip(padding(taken.size()));
		const auto* const values = reinterpret_cast<const Value*>(taken.data());
		return Array(values, values + count);
	}
	SframeSection section()
	{
		SframeSection section;
		section.bytes = array<std::vector<std::uint8_t>>();
		section.address = number();
		section.segments = array<std::vector<Segment>>();
		return section;
	}
	TableRows rows()
	{
		TableRows rows;
		rows.rows = array<std::vector<Row>>();
		rows.rules = array<std::vector<Rule>>();
		rows.method = static_cast<std::uint32_t>(number());
		rows.arch = static_cast<Arch>(number());
		for (std::uint64_t left = number(); left && cursor.ok(); left--) {
			std::string reason = array<std::string>();
			rows.inexpressible[std::move(reason)] = number();
		}
		return rows;
	}

	ByteCursor cursor;
};

Digest::Value digest_of(Bytes bytes, const Digest::Key& key)
{
	Digest digest(key);
	digest.add(bytes);
	return digest.value();
}

} // namespace

std::vector<std::uint8_t> bytes_of(const KeptTable& table, const Digest::Key& key)
{
	Writer writer;
	writer.bytes.assign(form.begin(), form.end());
	writer.digest({});
	writer.array(table.places);
	writer.digest(table.digest);
	writer.stamp(table.stamp.value_or(FileStamp{}));
	writer.text(table.content.sframe_refused);
	writer.number(table.content.content.index());
	std::visit([&](const auto& content) { writer.content(content); }, table.content.content);
	const Digest::Value digest = digest_of(Bytes(writer.bytes).subspan(form.size() + sizeof(digest)), key);
	std::ranges::copy(digest, writer.bytes.begin() + form.size());
	return std::move(writer.bytes);
}

std::optional<KeptTable> table_in(Bytes bytes, const Digest::Key& key)
{
	Reader reader(bytes);
	const Bytes word = reader.cursor.take(form.size());
	const Digest::Value digest = reader.digest();
	if (!reader.cursor.ok() || !std::equal(word.begin(), word.end(), form.begin()) ||
	    digest != digest_of(bytes.subspan(reader.cursor.position()), key))
		return std::nullopt;
	KeptTable table;
	table.places = reader.array<std::vector<ReadLog::Place>>();
	table.digest = reader.digest();
	if (const FileStamp stamp = reader.stamp(); stamp != FileStamp{})
		table.stamp = stamp;
	table.content.sframe_refused = reader.array<std::string>();
	if (reader.number() == 0)
		table.content.content = reader.section();
	else
		table.content.content = reader.rows();
	table.content.kept = true;
	return reader.cursor.ok() && reader.cursor.done() ? std::optional(std::move(table)) : std::nullopt;
}

} // namespace uwind

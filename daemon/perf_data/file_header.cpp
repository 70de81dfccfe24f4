// SPDX-License-Identifier: GPL-2.0
// The beginning of a perf.data file: where its parts are.
#include "perf_data/file_header.h"

#include <algorithm>
#include <string_view>

#include "base/byte_cursor.h"
#include "perf_data/format.h"

namespace uwind::perf_data {
namespace {

constexpr std::uint64_t header_bytes = 104;
constexpr std::uint64_t pipe_header_bytes = 16;
constexpr std::uint64_t part_bytes = 16;
constexpr std::uint64_t least_attribute_bytes = PERF_ATTR_SIZE_VER0 + part_bytes;
constexpr std::uint64_t most_attribute_bytes = 4096;

Part part_at(ByteCursor& cursor)
{
	const std::uint64_t offset = cursor.u64();
	return {offset, cursor.u64()};
}

// The first eight bytes.
Status check_magic(const FileBytes& file, std::string_view magic)
{
	if (magic == "PERFILE2")
		return Nothing{};
	if (magic == "2ELIFREP")
		return file.wrong("comes from a machine of the other byte order: convert it on one of that kind");
	if (magic == "PERFFILE")
		return file.wrong("comes from a perf older than Linux 2.6.35, whose files are not read");
	return file.wrong("is no perf.data file");
}

Status check_size(const FileBytes& file, std::uint64_t size)
{
	if (size == pipe_header_bytes)
		return file.wrong("was written to a pipe, which has no index: record to a file (perf record -o FILE)");
	if (size < header_bytes)
		return file.wrong("has a header of " + std::to_string(size) + " bytes, fewer than " +
				  std::to_string(header_bytes));
	return Nothing{};
}

Status check_parts(const FileBytes& file, const FileHeader& header)
{
	if (header.attribute_bytes < least_attribute_bytes || header.attribute_bytes > most_attribute_bytes)
		return file.wrong("says that an event takes " + std::to_string(header.attribute_bytes) + " bytes");
	if (!file.holds(header.attributes))
		return file.wrong("its list of events is cut off");
	if (!header.data.bytes)
		return file.wrong("has no data: perf record was not ended as it should be (by a signal that it "
				  "cannot catch?)");
	if (!file.holds(header.data))
		return file.wrong("its data are cut off: it was not copied completely");
	return Nothing{};
}

std::vector<unsigned> set_bits(Bytes bitmap)
{
	std::vector<unsigned> bits;
	for (unsigned bit = 0; bit < number_of_features; bit++)
		if (bitmap[bit / 8] >> bit % 8 & 1)
			bits.push_back(bit);
	return bits;
}

// The table of sections stands after the data, in the order of their bits.
Status read_features(const FileBytes& file, const std::vector<unsigned>& bits, FileHeader& header)
{
	const Part table{header.data.offset + header.data.bytes, bits.size() * part_bytes};
	const auto bytes = file.read(table, "the table of sections", number_of_features * part_bytes);
	if (!bytes)
		return bytes.error();
	ByteCursor cursor(*bytes);
	for (const unsigned bit : bits) {
		header.features[bit] = part_at(cursor);
		if (!file.holds(header.features[bit]))
			return file.wrong("section " + std::to_string(bit) + " is cut off");
	}
	return Nothing{};
}

Status check_features(const FileBytes& file, const FileHeader& header)
{
	if (header.features.contains(feature_compressed))
		return file.wrong("is compressed: record without -z (--compression-level)");
	if (header.features.contains(feature_dir_format))
		return file.wrong("is one of several files of perf record --threads: record without that");
	return Nothing{};
}

} // namespace

Result<FileHeader> read_file_header(const FileBytes& file)
{
	if (file.size() < pipe_header_bytes)
		return file.wrong("is no perf.data file: it has only " + std::to_string(file.size()) + " bytes");
	const auto bytes = file.read({0, std::min(file.size(), header_bytes)}, "the header", header_bytes);
	if (!bytes)
		return bytes.error();
	if (auto is = check_magic(file, {reinterpret_cast<const char*>(bytes->data()), 8}); !is)
		return is.error();
	ByteCursor cursor(*bytes, 8);
	if (auto is = check_size(file, cursor.u64()); !is)
		return is.error();
	FileHeader header;
	header.attribute_bytes = cursor.u64();
	header.attributes = part_at(cursor);
	header.data = part_at(cursor);
	cursor.skip(part_bytes);
	const Bytes bitmap = cursor.take(number_of_features / 8);
	if (!cursor.ok())
		return file.wrong("the header is cut off");
	if (auto is = check_parts(file, header); !is)
		return is.error();
	if (auto read = read_features(file, set_bits(bitmap), header); !read)
		return read.error();
	if (auto is = check_features(file, header); !is)
		return is.error();
	return header;
}

} // namespace uwind::perf_data

// SPDX-License-Identifier: GPL-2.0
// Decoding records: what is right arrives, what contradicts itself is counted.
#include <catch2/catch.hpp>

#include <cstring>

#include "io/records.h"
#include "uwind.h"

using namespace uwind;

namespace {

using Blob = std::vector<std::uint8_t>;

template <typename T>
void append(Blob& blob, const T& value)
{
	const auto* bytes = reinterpret_cast<const std::uint8_t*>(&value);
	blob.insert(blob.end(), bytes, bytes + sizeof(value));
}

uwind_record_stack stack_head(std::uint32_t frames)
{
	uwind_record_stack head{};
	head.record.type = UWIND_RECORD_STACK;
	head.record.bytes = sizeof(head) + frames * sizeof(uwind_frame);
	head.cookie = 0x1122334455667788;
	head.tgid = 5;
	head.tid = 6;
	head.weight = 2;
	head.stop = UWIND_STOP_ZERO_RA;
	head.word_bits = 64;
	head.nr_frames = frames;
	std::memset(head.comm, 'x', sizeof(head.comm)); // without a NUL
	return head;
}

Blob stack_blob(const uwind_record_stack& head, std::uint32_t frames)
{
	Blob blob;
	append(blob, head);
	for (std::uint32_t i = 0; i < frames; i++)
		append(blob, uwind_frame{0x1000 + i, 0x10 + i, 3, i ? ~0u : 48, UWIND_METHOD_PC, {}});
	return blob;
}

Blob file_blob(std::uint32_t path_bytes, const std::string& path)
{
	uwind_record_file head{};
	head.record.type = UWIND_RECORD_FILE;
	head.file = 9;
	head.flags = UWIND_FILE_NO_TABLE;
	head.tgid = 5;
	head.path_bytes = path_bytes;
	head.start = 0x400000;
	head.end = 0x500000;
	head.inode = 77;
	head.dev_major = 8;
	head.bytes = 1000;
	head.ctime_ns = 123;
	std::string padded = path;
	padded.resize((path.size() + 8) / 8 * 8);
	head.record.bytes = sizeof(head) + padded.size();
	Blob blob;
	append(blob, head);
	blob.insert(blob.end(), padded.begin(), padded.end());
	return blob;
}

RecordBatch decode(const Blob& blob)
{
	RecordBatch batch;
	decode_records(blob, batch);
	return batch;
}

} // namespace

TEST_CASE("a stack record keeps all that it says")
{
	const auto batch = decode(stack_blob(stack_head(2), 2));
	REQUIRE(batch.records.size() == 1);
	const auto& stack = std::get<StackRecord>(batch.records[0]);
	CHECK(stack.cookie == 0x1122334455667788);
	CHECK(stack.comm == std::string(16, 'x'));
	CHECK(stack.stop == Stop::ZERO_RA);
	CHECK_FALSE(stack.lost);
	REQUIRE(stack.frames.size() == 2);
	CHECK(stack.frames[0].stack_bytes == 48u);
	CHECK_FALSE(stack.frames[1].stack_bytes);
	CHECK(stack.frames[1].pc == 0x1001);
	CHECK(stack.frames[1].method == Method::PC);
	CHECK(batch.malformed == 0);
}

TEST_CASE("a file record keeps all that it says")
{
	const auto batch = decode(file_blob(7, std::string("/bin/a\0", 7)));
	REQUIRE(batch.records.size() == 1);
	const auto& file = std::get<FileRecord>(batch.records[0]);
	CHECK(file.number == 9);
	CHECK(file.no_table);
	CHECK_FALSE(file.vdso);
	CHECK(file.mapping.path == "/bin/a");
	CHECK(file.mapping.end == 0x500000);
	CHECK(file.identity == FileIdentity{8, 0, 77, 1000, 123});
}

TEST_CASE("a lost request says why")
{
	auto head = stack_head(0);
	head.lost = 1 + UWIND_LOSS_EXIT;
	const auto batch = decode(stack_blob(head, 0));
	CHECK(std::get<StackRecord>(batch.records.at(0)).lost == Loss::EXIT);
}

TEST_CASE("records that lie at odd addresses are read as well")
{
	Blob blob{0};
	const Blob record = stack_blob(stack_head(1), 1);
	blob.insert(blob.end(), record.begin(), record.end());
	RecordBatch batch;
	decode_records(std::span(blob).subspan(1), batch);
	CHECK(batch.records.size() == 1);
}

TEST_CASE("a record of an unknown type is skipped, the next one read")
{
	Blob blob;
	append(blob, uwind_record{16, 99, 0});
	append(blob, std::uint64_t(0));
	const Blob next = stack_blob(stack_head(0), 0);
	blob.insert(blob.end(), next.begin(), next.end());
	const auto batch = decode(blob);
	CHECK(batch.unknown == 1);
	CHECK(batch.records.size() == 1);
}

TEST_CASE("a record that contradicts itself is counted, the next one read")
{
	auto head = stack_head(1);
	SECTION("more frames than it has room for")
	{
		head.nr_frames = 2;
	}
	SECTION("as many frames as a number can say")
	{
		head.nr_frames = ~0u;
	}
	SECTION("a word size that does not exist")
	{
		head.word_bits = 16;
	}
	SECTION("lost, and yet with frames")
	{
		head.lost = 1;
	}
	Blob blob = stack_blob(head, 1);
	const Blob next = stack_blob(stack_head(0), 0);
	blob.insert(blob.end(), next.begin(), next.end());
	const auto batch = decode(blob);
	CHECK(batch.malformed == 1);
	CHECK(batch.records.size() == 1);
}

TEST_CASE("a file record whose path reaches behind it is malformed")
{
	CHECK(decode(file_blob(9, std::string("/bin/a\0", 7))).malformed == 1);
	CHECK(decode(file_blob(~0u, "/bin/a")).malformed == 1);
}

TEST_CASE("a path without its NUL ends where its bytes do")
{
	const auto batch = decode(file_blob(8, "/bin/abc"));
	CHECK(std::get<FileRecord>(batch.records.at(0)).mapping.path == "/bin/abc");
}

TEST_CASE("a file record without a number is malformed")
{
	Blob blob = file_blob(7, std::string("/bin/a\0", 7));
	std::memset(blob.data() + offsetof(uwind_record_file, file), 0, 4);
	CHECK(decode(blob).malformed == 1);
}

TEST_CASE("a record too short for its type is malformed")
{
	for (const std::uint16_t type : {UWIND_RECORD_STACK, UWIND_RECORD_FILE}) {
		Blob blob;
		append(blob, uwind_record{8, type, 0});
		CHECK(decode(blob).malformed == 1);
	}
}

TEST_CASE("an impossible length ends the reading")
{
	const std::uint32_t length = GENERATE(0u, 4u, 12u, 32u, ~0u, ~0u - 7);
	Blob blob;
	append(blob, uwind_record{length, UWIND_RECORD_STACK, 0});
	append(blob, std::uint64_t(0));
	append(blob, std::uint64_t(0));
	const auto batch = decode(blob);
	CHECK(batch.malformed == 1);
	CHECK(batch.records.empty());
}

TEST_CASE("a record cut off anywhere is malformed, and reads nothing behind its end")
{
	const Blob whole = stack_blob(stack_head(2), 2);
	for (std::size_t length = 1; length < whole.size(); length++) {
		const Blob cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length));
		const auto batch = decode(cut);
		CHECK(batch.malformed == 1);
		CHECK(batch.records.empty());
	}
	CHECK(decode({}).malformed == 0);
}

// SPDX-License-Identifier: GPL-2.0
// Messages as they may arrive: whole, cut off anywhere, and with lengths that lie.
#include <algorithm>
#include <catch2/catch.hpp>

#include <cstring>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <vector>

#include "io/message.h"
#include "unit/io/record_blob.h"
#include "uwind.h"

using namespace uwind;

namespace {

constexpr int family = 33;

using Blob = std::vector<std::uint8_t>;

void put_attribute(Blob& blob, std::uint16_t type, const void* data, std::uint16_t bytes)
{
	const nlattr attribute{static_cast<std::uint16_t>(NLA_HDRLEN + bytes), type};
	const auto* head = reinterpret_cast<const std::uint8_t*>(&attribute);
	const auto* body = static_cast<const std::uint8_t*>(data);
	blob.insert(blob.end(), head, head + sizeof(attribute));
	blob.insert(blob.end(), body, body + bytes);
	blob.resize((blob.size() + 3) & ~std::size_t(3));
}

nlmsghdr header_of(const Blob& message)
{
	nlmsghdr header;
	std::memcpy(&header, message.data(), sizeof(header));
	return header;
}

void set_header(Blob& message, const nlmsghdr& header)
{
	std::memcpy(message.data(), &header, sizeof(header));
}

// An attribute for each blob.
Blob message_of(const std::vector<RecordBlob>& records)
{
	Blob message(NLMSG_HDRLEN + GENL_HDRLEN);
	const std::uint32_t session = 7;
	const std::uint64_t sequence = 41;
	put_attribute(message, UWIND_A_SESSION, &session, sizeof(session));
	put_attribute(message, UWIND_A_SEQ, &sequence, sizeof(sequence));
	for (const RecordBlob& blob : records)
		put_attribute(message, UWIND_A_RECORDS, blob.bytes.data(), blob.bytes.size());
	nlmsghdr header{};
	header.nlmsg_len = static_cast<std::uint32_t>(message.size());
	header.nlmsg_type = family;
	set_header(message, header);
	message[NLMSG_HDRLEN] = UWIND_CMD_RECORDS;
	return message;
}

// A sample that is lost, in an attribute behind that of its thread.
Blob good_message()
{
	return message_of({RecordBlob().thread(1), RecordBlob().sample(1, 0)});
}

// From memory that ends where the bytes do.
RecordBatch records_of(const Blob& message)
{
	Blob exact(message.begin(), message.end());
	exact.shrink_to_fit();
	return decode_message(exact, family);
}

} // namespace

TEST_CASE("a message's session, number and records arrive")
{
	const RecordBatch batch = records_of(good_message());
	CHECK(batch.session == 7);
	CHECK(batch.sequence == 41);
	CHECK(batch.records.size() == 1);
	CHECK(batch.malformed == 0);
}

TEST_CASE("of a message with bytes of a stack nothing is left where it was received")
{
	const bool broken = GENERATE(false, true);
	auto head = RecordBlob::unfinished_head();
	head.file = broken ? 0 : head.file;
	Blob message = message_of({RecordBlob().unfinished(head)});
	CHECK(decode_message(message, family).malformed == broken);
	CHECK(std::all_of(message.begin() + NLMSG_HDRLEN + GENL_HDRLEN, message.end(),
			  [](auto byte) { return !byte; }));
}

TEST_CASE("a message that is cut off anywhere is malformed")
{
	const Blob good = good_message();
	for (std::size_t length = 0; length < good.size(); length++) {
		const RecordBatch batch = records_of(Blob(good.begin(), good.begin() + static_cast<long>(length)));
		INFO(length);
		CHECK(batch.malformed == 1);
		CHECK(batch.records.empty());
	}
}

TEST_CASE("a message whose header is cut to its datagram is malformed, or lacks its last record")
{
	const Blob good = good_message();
	for (std::size_t length = 0; length < good.size(); length++) {
		Blob cut(good.begin(), good.begin() + static_cast<long>(std::max<std::size_t>(length, NLMSG_HDRLEN)));
		nlmsghdr header = header_of(cut);
		header.nlmsg_len = static_cast<std::uint32_t>(length);
		set_header(cut, header);
		INFO(length);
		const bool lacks_last = length == good.size() - NLA_HDRLEN - sizeof(uwind_record_sample);
		CHECK(records_of(cut).malformed == (lacks_last ? 0 : 1));
		CHECK(records_of(cut).records.empty());
	}
}

TEST_CASE("an attribute that reaches behind its message is malformed")
{
	Blob message = good_message();
	const std::uint16_t lies =
		GENERATE(std::uint16_t(0), std::uint16_t(1), std::uint16_t(3), std::uint16_t(5), std::uint16_t(0xffff));
	const std::size_t at =
		GENERATE(std::size_t(NLMSG_HDRLEN + GENL_HDRLEN), std::size_t(NLMSG_HDRLEN + GENL_HDRLEN + 8));
	std::memcpy(message.data() + at, &lies, sizeof(lies));
	CHECK(records_of(message).malformed == 1);
}

TEST_CASE("what is not for us is not malformed")
{
	Blob other_family = good_message(), other_command = good_message();
	nlmsghdr header = header_of(other_family);
	header.nlmsg_type = NLMSG_ERROR;
	set_header(other_family, header);
	other_command[NLMSG_HDRLEN] = UWIND_CMD_ATTACH;
	for (const Blob& message : {other_family, other_command}) {
		CHECK(records_of(message).malformed == 0);
		CHECK(records_of(message).records.empty());
	}
}

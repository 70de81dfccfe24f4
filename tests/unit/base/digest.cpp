// SPDX-License-Identifier: GPL-2.0
// Digests, compared with the example of RFC 8439, 2.5.2.
#include <catch2/catch.hpp>

#include <algorithm>
#include <set>
#include <vector>

#include "base/digest.h"
#include "base/text.h"

using namespace uwind;

namespace {

Bytes bytes_of(std::string_view text)
{
	return Bytes(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
}

Digest::Value digest_of(std::string_view one, std::string_view other)
{
	const Digest::Key key({1});
	Digest digest(key);
	digest.add_text(one);
	digest.add_text(other);
	return digest.value();
}

} // namespace

TEST_CASE("a digest of few bytes is Poly1305 of all that was added")
{
	const Digest::Key key({0x85, 0xd6, 0xbe, 0x78, 0x57, 0x55, 0x6d, 0x33, 0x7f, 0x44, 0x52,
			       0xfe, 0x42, 0xd5, 0x06, 0xa8, 0x01, 0x03, 0x80, 0x8a, 0xfb, 0x0d,
			       0xb2, 0xfd, 0x4a, 0xbf, 0xf6, 0xaf, 0x41, 0x49, 0xf5, 0x1b});
	Digest digest(key);
	digest.add(bytes_of("Cryptographic Forum "));
	digest.add(bytes_of("Research Group"));
	CHECK(digits_of(digest.value()) == "a8061dc1305136c6c22b8baf0c0127a9");
}

TEST_CASE("texts that join to the same one have another digest")
{
	CHECK(digest_of("ab", "c") != digest_of("a", "bc"));
	CHECK(digest_of("ab", "c") == digest_of("ab", "c"));
}

TEST_CASE("a digest does not depend on how its bytes are split")
{
	std::vector<std::uint8_t> bytes(5000);
	for (std::size_t i = 0; i < bytes.size(); i++)
		bytes[i] = static_cast<std::uint8_t>(i * i >> 3);
	const Digest::Key key({1, 2, 3});
	Digest whole(key);
	whole.add(bytes);
	const Digest::Value expected = whole.value();
	for (const std::size_t part : {1, 7, 1000, 1023, 1024, 1025, 2048, 4999}) {
		Digest digest(key);
		for (std::size_t at = 0; at < bytes.size(); at += part)
			digest.add(Bytes(bytes).subspan(at, std::min(part, bytes.size() - at)));
		CHECK(digest.value() == expected);
	}
}

TEST_CASE("each byte of a block, and its length, make another digest")
{
	std::vector<std::uint8_t> bytes(Digest::block_bytes + 16);
	const Digest::Key key({1, 2, 3});
	std::set<Digest::Value> seen;
	const auto add = [&](Bytes some) {
		Digest digest(key);
		digest.add(some);
		return seen.insert(digest.value()).second;
	};
	for (std::size_t length = 0; length < bytes.size(); length++)
		CHECK(add(Bytes(bytes).first(length)));
	for (std::uint8_t& byte : bytes) {
		byte = 1;
		CHECK(add(bytes));
		byte = 0;
	}
}

// SPDX-License-Identifier: GPL-2.0
// Digests, compared with the example of RFC 8439, 2.5.2.
#include <catch2/catch.hpp>

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
	Digest digest(Digest::Key{1});
	digest.add_text(one);
	digest.add_text(other);
	return digest.value();
}

} // namespace

TEST_CASE("a digest is Poly1305 of all that was added")
{
	Digest digest({0x85, 0xd6, 0xbe, 0x78, 0x57, 0x55, 0x6d, 0x33, 0x7f, 0x44, 0x52, 0xfe, 0x42, 0xd5, 0x06, 0xa8,
		       0x01, 0x03, 0x80, 0x8a, 0xfb, 0x0d, 0xb2, 0xfd, 0x4a, 0xbf, 0xf6, 0xaf, 0x41, 0x49, 0xf5, 0x1b});
	digest.add(bytes_of("Cryptographic Forum "));
	digest.add(bytes_of("Research Group"));
	CHECK(digits_of(digest.value()) == "a8061dc1305136c6c22b8baf0c0127a9");
}

TEST_CASE("texts that join to the same one have another digest")
{
	CHECK(digest_of("ab", "c") != digest_of("a", "bc"));
	CHECK(digest_of("ab", "c") == digest_of("ab", "c"));
}

// SPDX-License-Identifier: GPL-2.0
// A digest under a secret key: who does not know the key cannot make other bytes that have the same.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string_view>

#include "base/byte_cursor.h"
#include "base/handle.h"

struct gcry_mac_handle;

namespace uwind {

// Poly1305 (RFC 8439, 2.5) of all that is added. One key serves many digests, so that neither it nor they may be
// shown to others.
class Digest {
public:
	using Key = std::array<std::uint8_t, 32>;
	using Value = std::array<std::uint8_t, 16>;

	explicit Digest(const Key& key);
	void add(Bytes bytes);
	void add_number(std::uint64_t number);
	void add_text(std::string_view text); // and its length: "a", "bc" are not "ab", "c"
	// Nothing is added any more.
	Value value();

private:
	static void close(gcry_mac_handle* handle);
	std::unique_ptr<gcry_mac_handle, FreeWith<&Digest::close>> handle_;
};

} // namespace uwind

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

// Poly1305 (RFC 8439, 2.5) of all that is added, in which 16 bytes stand for each whole KiB: the NH of it, with 64-bit
// words as in VMAC. That is NHPoly1305, as Adiantum has it, and takes a fifth of the instructions. One key serves many
// digests, so that neither it nor they may be shown to others.
class Digest {
public:
	using Secret = std::array<std::uint8_t, 32>;
	using Value = std::array<std::uint8_t, 16>;
	static constexpr std::size_t block_bytes = 1024;

	struct Key {
		explicit Key(const Secret& secret);
		bool operator==(const Key&) const = default;

		Secret secret;                                                        // Poly1305's
		std::array<std::uint64_t, block_bytes / sizeof(std::uint64_t)> words; // NH's: they follow from it
	};

	// The key must outlive the digest.
	explicit Digest(const Key& key);
	void add(Bytes bytes);
	void add_number(std::uint64_t number);
	void add_text(std::string_view text); // and its length: "a", "bc" are not "ab", "c"
	// Nothing is added any more.
	Value value();

private:
	static void close(gcry_mac_handle* handle);
	void compress(Bytes block);
	void pass_sums_on();

	const Key& key_;
	std::unique_ptr<gcry_mac_handle, FreeWith<&Digest::close>> handle_;
	std::array<std::uint8_t, block_bytes> begun_; // of a block that is not whole yet
	std::size_t begun_bytes_ = 0;
	std::uint64_t blocks_ = 0;
	std::array<Value, 32> sums_; // of the last blocks: the library takes them together
	std::size_t nr_sums_ = 0;
};

} // namespace uwind

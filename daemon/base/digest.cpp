// SPDX-License-Identifier: GPL-2.0
// A digest under a secret key, by libgcrypt.
#include "base/digest.h"

#include <algorithm>
#include <cstring>
#include <gcrypt.h>
#include <new>

namespace uwind {
namespace {

__extension__ using Wide = unsigned __int128;

// Once, before anything else of the library. It need not lock the key into memory.
void begin_library()
{
	static const bool begun = [] {
		gcry_check_version(nullptr);
		gcry_control(GCRYCTL_DISABLE_SECMEM);
		gcry_control(GCRYCTL_INITIALIZATION_FINISHED);
		return true;
	}();
	static_cast<void>(begun);
}

std::uint64_t word(const std::uint8_t* at)
{
	std::uint64_t value = 0;
	std::memcpy(&value, at, sizeof(value));
	return value;
}

} // namespace

// The words are ChaCha20's stream for the secret.
Digest::Key::Key(const Secret& from) : secret(from), words{}
{
	begin_library();
	gcry_cipher_hd_t cipher = nullptr;
	if (gcry_cipher_open(&cipher, GCRY_CIPHER_CHACHA20, GCRY_CIPHER_MODE_STREAM, 0))
		throw std::bad_alloc(); // the algorithm is always there
	gcry_cipher_setkey(cipher, secret.data(), secret.size());
	gcry_cipher_encrypt(cipher, words.data(), sizeof(words), nullptr, 0);
	gcry_cipher_close(cipher);
}

Digest::Digest(const Key& key) : key_(key)
{
	begin_library();
	gcry_mac_hd_t handle = nullptr;
	if (gcry_mac_open(&handle, GCRY_MAC_POLY1305, 0, nullptr))
		throw std::bad_alloc(); // the algorithm is always there
	handle_.reset(handle);
	gcry_mac_setkey(handle, key.secret.data(), key.secret.size());
}

void Digest::close(gcry_mac_handle* handle)
{
	gcry_mac_close(handle);
}

void Digest::compress(Bytes block)
{
	Wide sum = 0;
	for (std::size_t i = 0; i < key_.words.size(); i += 2) {
		const std::uint8_t* const at = block.data() + i * sizeof(std::uint64_t);
		sum += Wide{word(at) + key_.words[i]} * (word(at + sizeof(std::uint64_t)) + key_.words[i + 1]);
	}
	std::memcpy(sums_[nr_sums_++].data(), &sum, sizeof(sum));
	blocks_++;
	if (nr_sums_ == sums_.size())
		pass_sums_on();
}

void Digest::pass_sums_on()
{
	gcry_mac_write(handle_.get(), sums_.data(), nr_sums_ * sizeof(Value));
	nr_sums_ = 0;
}

// What is whole is not copied.
void Digest::add(Bytes bytes)
{
	while (!bytes.empty()) {
		const std::size_t part = std::min(bytes.size(), block_bytes - begun_bytes_);
		if (part < block_bytes)
			std::memcpy(begun_.data() + begun_bytes_, bytes.data(), part);
		begun_bytes_ += part;
		if (begun_bytes_ == block_bytes) {
			compress(part < block_bytes ? Bytes(begun_) : bytes.first(part));
			begun_bytes_ = 0;
		}
		bytes = bytes.subspan(part);
	}
}

void Digest::add_number(std::uint64_t number)
{
	add({reinterpret_cast<const std::uint8_t*>(&number), sizeof(number)});
}

void Digest::add_text(std::string_view text)
{
	add_number(text.size());
	add({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
}

// Without the number of blocks, bytes might stand for a block.
Digest::Value Digest::value()
{
	pass_sums_on();
	gcry_mac_write(handle_.get(), begun_.data(), begun_bytes_);
	if (blocks_)
		gcry_mac_write(handle_.get(), &blocks_, sizeof(blocks_));
	Value value{};
	std::size_t bytes = value.size();
	gcry_mac_read(handle_.get(), value.data(), &bytes);
	return value;
}

} // namespace uwind

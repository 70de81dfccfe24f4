// SPDX-License-Identifier: GPL-2.0
// A digest under a secret key, by libgcrypt.
#include "base/digest.h"

#include <gcrypt.h>
#include <new>

namespace uwind {
namespace {

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

} // namespace

Digest::Digest(const Key& key)
{
	begin_library();
	gcry_mac_hd_t handle = nullptr;
	if (gcry_mac_open(&handle, GCRY_MAC_POLY1305, 0, nullptr))
		throw std::bad_alloc(); // the algorithm is always there
	handle_.reset(handle);
	gcry_mac_setkey(handle, key.data(), key.size());
}

void Digest::close(gcry_mac_handle* handle)
{
	gcry_mac_close(handle);
}

void Digest::add(Bytes bytes)
{
	gcry_mac_write(handle_.get(), bytes.data(), bytes.size());
}

void Digest::add_number(std::uint64_t number)
{
	gcry_mac_write(handle_.get(), &number, sizeof(number));
}

void Digest::add_text(std::string_view text)
{
	add_number(text.size());
	gcry_mac_write(handle_.get(), text.data(), text.size());
}

Digest::Value Digest::value()
{
	Value value{};
	std::size_t bytes = value.size();
	gcry_mac_read(handle_.get(), value.data(), &bytes);
	return value;
}

} // namespace uwind

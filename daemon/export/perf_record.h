// SPDX-License-Identifier: GPL-2.0
// Bytes of a perf.data file, as this machine writes numbers: readers swap them if they need to.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "perf_data/format.h"

namespace uwind {

// Numbers and texts, one after the other.
class PerfBytes {
public:
	template <typename T>
	PerfBytes& number(T value)
	{
		bytes_.append(reinterpret_cast<const char*>(&value), sizeof(value));
		return *this;
	}
	PerfBytes& u64(std::uint64_t value) { return number(value); }
	PerfBytes& u32(std::uint32_t value) { return number(value); }
	PerfBytes& u16(std::uint16_t value) { return number(value); }
	PerfBytes& u8(std::uint8_t value) { return number(value); }
	PerfBytes& add(std::string_view bytes)
	{
		bytes_ += bytes;
		return *this;
	}
	// With NULs behind it, one at least, up to a multiple of eight bytes.
	PerfBytes& text(std::string_view text)
	{
		bytes_ += text;
		bytes_.append(8 - text.size() % 8, '\0');
		return *this;
	}
	// The same behind its length.
	PerfBytes& counted(std::string_view text_)
	{
		u32(static_cast<std::uint32_t>(text_.size() + 8 - text_.size() % 8));
		return text(text_);
	}

	const std::string& bytes() const { return bytes_; }
	std::size_t size() const { return bytes_.size(); }

private:
	std::string bytes_;
};

// A record: type, misc, its whole size, and the body, whose size is a multiple of eight.
inline std::string perf_record(std::uint32_t type, unsigned misc, const PerfBytes& body)
{
	PerfBytes head;
	head.u32(type).u16(static_cast<std::uint16_t>(misc));
	head.u16(static_cast<std::uint16_t>(perf_data::record_head_bytes + body.size()));
	return head.bytes() + body.bytes();
}

} // namespace uwind

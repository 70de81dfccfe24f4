// SPDX-License-Identifier: GPL-2.0
// A stretch of x86 code. Places in it are bytes, counted from its first.
#pragma once

#include "base/byte_cursor.h"
#include "model/table_rows.h"
#include "tables/code/x86/flow.h"
#include "tables/isa/x86/instruction.h"

namespace uwind {

class X86Text {
public:
	X86Text(Bytes code, std::uint64_t address, Arch arch) : code_(code), address_(address), arch_(arch) {}

	Arch arch() const { return arch_; }
	std::size_t places() const { return code_.size(); }
	std::uint64_t address_of(std::int64_t at) const { return address_ + static_cast<std::uint64_t>(at); }
	bool has(std::int64_t at) const { return at >= 0 && at < static_cast<std::int64_t>(code_.size()); }
	X86Instruction decode(std::size_t at) const { return decode_x86(code_.subspan(at), arch_ == Arch::x86_64); }
	bool is_blank(std::size_t at) const { return is_blank_x86(code_.subspan(at)); }
	// So is the end of the stretch.
	bool is_padding(std::size_t at) const
	{
		return at >= code_.size() || is_padding_x86(decode(at), code_.subspan(at));
	}

private:
	const Bytes code_;
	const std::uint64_t address_;
	const Arch arch_;
};

} // namespace uwind

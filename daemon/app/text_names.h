// SPDX-License-Identifier: GPL-2.0
// Names of the kernel's code by address, and addresses by name.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/text_log.h"

namespace uwind {

class TextNames {
public:
	struct Place {
		const TextSymbol* symbol = nullptr; // null: none
		std::uint64_t offset = 0;
	};

	// Besides the earlier ones; a later one of the same address takes its place.
	void add(const std::vector<TextSymbol>& symbols);
	// The last symbol at or before this address.
	Place at(std::uint64_t address) const;
	// The first symbol after it.
	const TextSymbol* after(std::uint64_t address) const;
	// "vfs_read+0x4", "tun_chr_open [tun]"; "": none.
	std::string text(std::uint64_t address) const;
	// Of a symbol, or SYMBOL+OFFSET, or hexadecimal digits. Nothing: there is none.
	std::optional<std::uint64_t> address_of(std::string_view text) const;

private:
	std::vector<TextSymbol> symbols_; // by address
};

} // namespace uwind

// SPDX-License-Identifier: GPL-2.0
// A table as the walk looks it up.
#pragma once

#include "port/unwinder.h"

extern "C" {
#include "table.h"
}

namespace uwind {

class PackedTable : public UnwindTable {
public:
	// The draft is valid. method: that of its frames.
	PackedTable(const uw_draft& draft, std::uint32_t method, uw_arch arch);
	std::size_t bytes() const override { return memory_.size() * sizeof(std::uint64_t); }

	const uw_table& table() const { return table_; }
	std::uint32_t method() const { return method_; }
	uw_arch arch() const { return arch_; }

private:
	std::vector<std::uint64_t> memory_;
	uw_table table_{};
	std::uint32_t method_;
	uw_arch arch_;
};

// EBADMSG: it is broken.
Result<std::shared_ptr<const PackedTable>> pack(const TableContent& content);

} // namespace uwind

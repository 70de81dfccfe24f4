// SPDX-License-Identifier: GPL-2.0
// The kernel module's walk, of what it has sent.
#pragma once

#include "port/unwinder.h"

namespace uwind {

class CoreUnwinder : public Unwinder {
public:
	Result<std::shared_ptr<const UnwindTable>> table(const TableContent& content) override;
	GoneOn go_on(const Unfinished& unfinished, std::vector<StackFrame> before,
		     const std::vector<CodeMapping>& mappings, std::uint32_t max_frames) override;
};

} // namespace uwind

// SPDX-License-Identifier: GPL-2.0
// Files that are fetched by their build-id.
#pragma once

#include <string>

#include "base/handle.h"
#include "base/result.h"

namespace uwind {

class OnlineFiles {
public:
	virtual ~OnlineFiles() = default;

	// The separate debug file of that build-id (hex). Its contents are what somebody sent: the caller compares the
	// build-id. ENOENT: nobody has it. Other errors: nobody could be asked; the message says who and why.
	virtual Result<UniqueFd> debug_file(const std::string& build_id) = 0;
	// The program itself; the same.
	virtual Result<UniqueFd> program(const std::string& build_id) = 0;
};

} // namespace uwind

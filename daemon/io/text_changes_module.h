// SPDX-License-Identifier: GPL-2.0
// How the kernel's text changes, by uwind's module (UWIND_IOC_WATCH_TEXT).
#pragma once

#include <memory>

#include "base/handle.h"
#include "io/text_records.h"
#include "port/text_changes.h"

namespace uwind {

class TextChangesModule : public TextChanges {
public:
	// On x86-64, modules are all that it knows of: start() says EOPNOTSUPP to anything else.
	enum class What { MODULES, MODULES_AND_CHANGES };

	explicit TextChangesModule(What what);

	Status start() override;
	Result<std::vector<TextEvent>> read(std::chrono::milliseconds timeout) override;
	void interrupt() override;
	void stop() override;

private:
	Result<bool> wait(std::chrono::milliseconds timeout);
	Status read_now();

	const What what_;
	UniqueFd interrupted_; // an eventfd
	UniqueFd watch_;
	TextRecords records_;
	std::chrono::steady_clock::time_point read_at_; // when there was something to read
	std::vector<std::uint8_t> buffer_;
};

} // namespace uwind

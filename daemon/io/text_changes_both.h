// SPDX-License-Identifier: GPL-2.0
// Changes of the kernel's text of two sources, in the order of time.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "port/text_changes.h"

namespace uwind {

class TextChangesBoth : public TextChanges {
public:
	// Mostly the first one has something to tell: it is waited for.
	TextChangesBoth(std::unique_ptr<TextChanges> first, std::unique_ptr<TextChanges> second)
	    : first_(std::move(first)), second_(std::move(second))
	{
	}

	Status start() override;
	Result<std::vector<TextEvent>> read(std::chrono::milliseconds timeout) override;
	void interrupt() override { first_->interrupt(); }
	void stop() override;

private:
	Status take(TextChanges& source, std::chrono::milliseconds timeout);

	std::unique_ptr<TextChanges> first_, second_;
	std::vector<TextEvent> held_; // later than what the other one may still have to tell
};

} // namespace uwind

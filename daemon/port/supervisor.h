// SPDX-License-Identifier: GPL-2.0
// Whoever started the service and watches over it.
#pragma once

#include <string>

namespace uwind {

class Supervisor {
public:
	virtual ~Supervisor() = default;

	// Stacks are being taken, with the settings that hold now.
	virtual void ready() = 0;
	// The settings are being read again; ready() ends that.
	virtual void reloading() = 0;
	virtual void stopping() = 0;
	virtual void status(const std::string& text) = 0;
	// To be called by whoever does the work, again and again: may be called often.
	virtual void alive() = 0;
};

} // namespace uwind

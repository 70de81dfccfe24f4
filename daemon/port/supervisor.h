// SPDX-License-Identifier: GPL-2.0
// The program that started the service and supervises it: systemd, as a rule.
#pragma once

#include <string>

namespace uwind {

class Supervisor {
public:
	virtual ~Supervisor() = default;

	// The service samples, with its present settings.
	virtual void ready() = 0;
	// The service reads its settings again; ready() ends that.
	virtual void reloading() = 0;
	virtual void stopping() = 0;
	virtual void status(const std::string& text) = 0;
	// A sign of life from the thread that does the work. May be called often.
	virtual void alive() = 0;
};

} // namespace uwind

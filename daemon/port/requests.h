// SPDX-License-Identifier: GPL-2.0
// What people ask of a running service.
#pragma once

namespace uwind {

class Requests {
public:
	virtual ~Requests() = default;

	// It is to end. Stays true.
	virtual bool stop() = 0;
	// The settings are to be read again; true once per request.
	virtual bool take_reload() = 0;
};

} // namespace uwind

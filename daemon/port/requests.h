// SPDX-License-Identifier: GPL-2.0
// What signals ask of the running service.
#pragma once

namespace uwind {

class Requests {
public:
	virtual ~Requests() = default;

	// To end. Stays true.
	virtual bool stop() = 0;
	// To read its settings again; true once per request.
	virtual bool take_reload() = 0;
};

} // namespace uwind

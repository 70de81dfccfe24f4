// SPDX-License-Identifier: GPL-2.0
// The real outside of a recording, opened in the order that the module asks for.
#pragma once

#include <memory>

#include "io/clock.h"
#include "io/device.h"
#include "io/netlink.h"
#include "io/procfs.h"
#include "io/threads.h"

namespace uwind {

struct Machine {
	std::unique_ptr<Device> device;
	std::unique_ptr<NetlinkStream> stream;
	Procfs processes;
	SystemClock clock;
	SystemThreads threads;

	// With the stream attached to the device.
	static Result<std::unique_ptr<Machine>> open();
};

// Allows as many open files as the hard limit does, up to most.
void raise_file_limit(std::size_t most);

} // namespace uwind

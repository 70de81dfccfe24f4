// SPDX-License-Identifier: GPL-2.0
// The real ports of a recording, opened in the order that the module requires.
#pragma once

#include <memory>

#include "io/clock.h"
#include "io/device.h"
#include "io/generated_code.h"
#include "io/kallsyms.h"
#include "io/kernel_regions.h"
#include "io/netlink.h"
#include "io/process_lives.h"
#include "io/procfs.h"
#include "io/threads.h"

namespace uwind {

struct Machine {
	std::unique_ptr<Device> device;
	std::unique_ptr<NetlinkStream> stream;
	Procfs processes;
	SystemClock clock;
	SystemThreads threads;
	Kallsyms kernel_names;
	SystemKernelRegions kernel_regions;
	BpfProcessLives lives;
	SystemGeneratedCode generated_code;

	// Also attaches the stream to the device.
	static Result<std::unique_ptr<Machine>> open();
};

// Raises the limit of open files to the hard limit, but not above most.
void raise_file_limit(std::size_t most);

} // namespace uwind

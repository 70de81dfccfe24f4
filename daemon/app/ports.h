// SPDX-License-Identifier: GPL-2.0
// The outside of a recording.
#pragma once

#include "port/clock.h"
#include "port/generated_code.h"
#include "port/kernel.h"
#include "port/kernel_names.h"
#include "port/kernel_regions.h"
#include "port/objects.h"
#include "port/process_lives.h"
#include "port/processes.h"
#include "port/threads.h"
#include "port/unwinder.h"

namespace uwind {

struct Ports {
	Kernel& kernel;
	RecordStream& stream;
	Processes& processes;
	Objects& objects;
	Clock& clock;
	Threads& threads;
	Unwinder& unwinder;
	KernelNames& kernel_names;
	KernelRegions& kernel_regions;
	ProcessLives& lives;
	GeneratedCode& generated_code;
};

} // namespace uwind

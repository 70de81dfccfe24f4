// SPDX-License-Identifier: GPL-2.0
// Priorities of this process's threads.
#include "io/threads.h"

#include <sys/resource.h>
#include <unistd.h>

namespace uwind {
namespace {

constexpr int preferred_nice = -10;

} // namespace

// On Linux each thread has its own nice value. Without CAP_SYS_NICE nothing changes.
void SystemThreads::prefer_this_one()
{
	(void)::setpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()), preferred_nice);
}

} // namespace uwind

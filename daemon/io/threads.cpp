// SPDX-License-Identifier: GPL-2.0
// Threads of this process under the system's scheduler.
#include "io/threads.h"

#include <sys/resource.h>
#include <unistd.h>

namespace uwind {
namespace {

constexpr int preferred_nice = -10;

} // namespace

// On Linux nice is a thread's own. Without CAP_SYS_NICE all stays as it is.
void SystemThreads::prefer_this_one()
{
	(void)::setpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()), preferred_nice);
}

} // namespace uwind

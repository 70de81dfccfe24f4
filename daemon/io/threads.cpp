// SPDX-License-Identifier: GPL-2.0
// Priorities of this process's threads.
#include "io/threads.h"

#include <algorithm>
#include <sched.h>
#include <sys/resource.h>
#include <thread>
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

// Its reads from disks wait, too: the kernel takes their class from the policy.
int SystemThreads::make_this_one_wait()
{
	const sched_param none{};
	(void)::sched_setscheduler(0, SCHED_IDLE, &none);
	return ::gettid();
}

// That needs CAP_SYS_NICE, or RLIMIT_NICE as the unit has it.
void SystemThreads::let_run(int thread)
{
	const sched_param none{};
	(void)::sched_setscheduler(thread, SCHED_OTHER, &none);
}

// More than 1024 processors do not fit the set.
unsigned usable_processors()
{
	cpu_set_t set;
	if (::sched_getaffinity(0, sizeof(set), &set))
		return std::max(std::thread::hardware_concurrency(), 1u);
	return static_cast<unsigned>(CPU_COUNT(&set));
}

} // namespace uwind

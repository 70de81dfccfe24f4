// SPDX-License-Identifier: GPL-2.0
// SIGINT, SIGTERM and SIGHUP as requests that the program polls.
#include "io/stop_signals.h"

#include <cerrno>
#include <csignal>
#include <sys/signalfd.h>
#include <unistd.h>

namespace uwind {
namespace {

sigset_t stop_set()
{
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	return set;
}

} // namespace

// A shell starts background commands with SIGINT ignored, and an ignored signal never
// arrives. SIGHUP stays ignored under nohup, unless it means to reload.
Result<StopSignals> StopSignals::catch_them(Hangup hangup)
{
	const sigset_t set = stop_set();
	if (::sigprocmask(SIG_BLOCK, &set, nullptr) < 0)
		return errno_error(errno, "block signals");
	::signal(SIGINT, SIG_DFL);
	::signal(SIGTERM, SIG_DFL);
	if (hangup == Hangup::reloads)
		::signal(SIGHUP, SIG_DFL);
	UniqueFd fd(::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
	if (!fd)
		return errno_error(errno, "catch signals");
	return StopSignals(std::move(fd), hangup);
}

void StopSignals::look()
{
	signalfd_siginfo info{};
	while (!signal_ && ::read(fd_.get(), &info, sizeof(info)) == sizeof(info)) {
		if (info.ssi_signo == SIGHUP && hangup_ == Hangup::reloads)
			reload_ = true;
		else
			signal_ = static_cast<int>(info.ssi_signo);
	}
}

int StopSignals::arrived()
{
	look();
	return signal_;
}

bool StopSignals::take_reload()
{
	look();
	return std::exchange(reload_, false);
}

void StopSignals::release_in_child()
{
	const sigset_t set = stop_set();
	::sigprocmask(SIG_UNBLOCK, &set, nullptr);
}

} // namespace uwind

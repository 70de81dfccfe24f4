// SPDX-License-Identifier: GPL-2.0
#include "stepping.h"

#include "exclusive.h"
#include "traced.h"

#include <sys/ptrace.h>
#include <sys/wait.h>

#include <csignal>
#include <fstream>
#include <string>

namespace truth {

Stepping::Stepping(pid_t pid) : pid_(pid), target_(static_cast<std::uint32_t>(pid), arch_of(pid)), shadow_(arch_of(pid))
{
	read_registers(pid, regs_);
}

// The masks of /proc/PID/status: SigBlk and SigCgt.
bool Stepping::handled(int signal) const
{
	std::ifstream status("/proc/" + std::to_string(pid_) + "/status");
	const std::uint64_t bit = 1ull << (signal - 1);
	std::uint64_t blocked = ~0ull, caught = 0;
	for (std::string line; std::getline(status, line);) {
		if (line.rfind("SigBlk:", 0) == 0)
			blocked = std::stoull(line.substr(7), nullptr, 16);
		else if (line.rfind("SigCgt:", 0) == 0)
			caught = std::stoull(line.substr(7), nullptr, 16);
	}
	return caught & ~blocked & bit;
}

bool Stepping::send(int signal)
{
	return !signal_ && handled(signal) && kill(pid_, signal) == 0;
}

// With a signal it stops where the handler begins; before a signal it stops as well.
bool Stepping::run(int signal)
{
	const std::vector<std::uint64_t> ends = signal ? std::vector<std::uint64_t>{} : exclusive_ends(regs_, target_);
	int status = 0;
	stopped_by_signal_ = false;
	if (!ends.empty())
		return run_to(pid_, ends);
	if (ptrace(PTRACE_SINGLESTEP, pid_, nullptr, signal) != 0 || waitpid(pid_, &status, 0) != pid_ ||
	    !WIFSTOPPED(status))
		return false;
	if (WSTOPSIG(status) != SIGTRAP) {
		stopped_by_signal_ = true;
		signal_ = WSTOPSIG(status);
	}
	return true;
}

bool Stepping::step()
{
	const uw_regs before = regs_;
	const int signal = signal_;
	const bool caught = signal && handled(signal);
	signal_ = 0;
	if (!run(signal) || !read_registers(pid_, regs_))
		return false;
	target_.forget_memory();
	if (caught)
		shadow_.deliver(signal, before, regs_, target_);
	else if (!stopped_by_signal_)
		shadow_.note(before, regs_, target_);
	return true;
}

} // namespace truth

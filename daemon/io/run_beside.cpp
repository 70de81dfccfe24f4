// SPDX-License-Identifier: GPL-2.0
// Measures beside a command that was started for it, or for a time.
#include "io/run_beside.h"

#include <algorithm>
#include <csignal>
#include <thread>

#include "base/exit_code.h"

namespace uwind {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds look_around(100); // how often signals and the command are checked
constexpr milliseconds grace(2000);      // time for a command to end after a signal

bool runs(std::optional<Child>& child)
{
	return child && !child->ended();
}

// Until the child has ended or the time is over: nothing, and there is none.
Status step_until(std::optional<Child>& child, StopSignals* signals, std::optional<Clock::time_point> end,
		  const Step& step)
{
	while (!child || !child->ended()) {
		const auto now = Clock::now();
		if ((signals && signals->arrived()) || (end && now >= *end))
			return Nothing{};
		milliseconds time = look_around;
		if (end)
			time = std::min(time, std::chrono::ceil<milliseconds>(*end - now));
		if (auto stepped = step(time); !stepped)
			return stepped;
	}
	return Nothing{};
}

Status wait(milliseconds time)
{
	std::this_thread::sleep_for(time);
	return Nothing{};
}

// The same, but the time is waited for even if step() fails.
Status wait_until(std::optional<Child>& child, std::optional<Clock::time_point> end, const Step& step)
{
	const auto stepped = step_until(child, nullptr, end, step);
	if (!stepped)
		static_cast<void>(step_until(child, nullptr, end, wait));
	return stepped;
}

// The command has ended, whatever is returned.
Status end_command(std::optional<Child>& child, int signal, const Step& step)
{
	child->send(signal);
	const auto asked = wait_until(child, Clock::now() + grace, step);
	if (!runs(child))
		return asked;
	child->send(SIGKILL);
	const auto killed = wait_until(child, std::nullopt, asked ? step : Step(wait));
	return asked ? killed : asked;
}

} // namespace

Result<int> run_beside(std::optional<Child>& child, StopSignals& signals, double duration_s, const Step& step)
{
	std::optional<Clock::time_point> end;
	if (duration_s > 0)
		end = Clock::now() +
		      std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(duration_s));
	if (child && !signals.arrived())
		if (auto executed = child->execute(); !executed)
			return executed.error();
	const auto stepped = step_until(child, &signals, end, step);
	if (!runs(child))
		return !stepped ? Result<int>(stepped.error()) : child ? *child->ended() : int(exit_ok);
	const int signal = signals.arrived() ? signals.arrived() : SIGTERM;
	const auto ended = end_command(child, signal, stepped ? step : Step(wait));
	if (!stepped || !ended)
		return stepped ? ended.error() : stepped.error();
	return int(exit_ok);
}

} // namespace uwind

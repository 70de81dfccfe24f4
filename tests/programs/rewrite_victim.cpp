// SPDX-License-Identifier: GPL-2.0
// Leaves and rewrites its stack in every way that a program has: it returns, throws, jumps out of frames, changes to other
// stacks and back, calls siblings whose frames lie in the same places, and is interrupted by signals. Ends after the seconds in its
// argument.
#include <alloca.h>
#include <signal.h>
#include <sys/time.h>
#include <ucontext.h>

#include <csetjmp>
#include <stdexcept>

#include "work.h"

#define KEPT __attribute__((noinline))

namespace {

constexpr unsigned int deepest = 24;

std::jmp_buf place;
ucontext_t main_context, coroutines[2];
alignas(16) char stacks[2][64 << 10];

KEPT uint64_t jumper(unsigned int depth, uint64_t x)
{
	x = work_mix(x | 1, 60);
	if (depth == 0 && x)
		std::longjmp(place, 1);
	return depth == 0 ? x : jumper(depth - 1, x) + 1;
}

KEPT uint64_t jumps(uint64_t x)
{
	volatile uint64_t kept = x;
	if (setjmp(place))
		return kept + 1;
	return jumper(static_cast<unsigned int>(x % deepest), x);
}

KEPT uint64_t thrower(unsigned int depth, uint64_t x)
{
	x = work_mix(x | 1, 60);
	if (depth == 0)
		throw std::runtime_error("thrown");
	return thrower(depth - 1, x) + 1;
}

KEPT uint64_t throws(uint64_t x)
{
	try {
		return thrower(static_cast<unsigned int>(x % deepest), x);
	} catch (const std::exception& error) {
		return x + static_cast<uint64_t>(error.what()[0]);
	}
}

// Which one is called at each depth is a bit of x: the frames have the same sizes, and other return addresses.
KEPT uint64_t right(unsigned int depth, uint64_t x);

KEPT uint64_t left(unsigned int depth, uint64_t x)
{
	const uint64_t mixed = work_mix(x | 1, 60);
	if (depth == 0)
		return mixed;
	return (x & 1 ? left(depth - 1, x >> 1) : right(depth - 1, x >> 1)) + mixed;
}

KEPT uint64_t right(unsigned int depth, uint64_t x)
{
	const uint64_t mixed = work_mix(x | 2, 60);
	if (depth == 0)
		return mixed;
	return (x & 1 ? right(depth - 1, x >> 1) : left(depth - 1, x >> 1)) - mixed;
}

// The frame's size is known at run time only.
KEPT uint64_t sized(unsigned int depth, uint64_t x)
{
	const unsigned int bytes = 16 * (1 + static_cast<unsigned int>(x % 8));
	volatile char* area = static_cast<volatile char*>(alloca(bytes));
	area[0] = static_cast<char>(x);
	return (depth ? sized(depth - 1, work_mix(x | 1, 60)) : x) + static_cast<uint64_t>(area[0]);
}

void coroutine(int number)
{
	for (uint64_t x = 1;; x = work_mix(x | 1, 3)) {
		work_sink = work_sink + (number ? left(12, x) : sized(8, x));
		swapcontext(&coroutines[number], number ? &main_context : &coroutines[1]);
	}
}

void make_coroutines()
{
	for (int i = 0; i < 2; i++) {
		getcontext(&coroutines[i]);
		coroutines[i].uc_stack.ss_sp = stacks[i];
		coroutines[i].uc_stack.ss_size = sizeof(stacks[i]);
		makecontext(&coroutines[i], reinterpret_cast<void (*)()>(coroutine), 1, i);
	}
}

void interrupted(int)
{
	work_sink = work_sink + right(6, work_sink);
}

void want_signals()
{
	struct sigaction action {};
	action.sa_handler = interrupted;
	sigaction(SIGALRM, &action, nullptr);
	const itimerval often{ { 0, 3000 }, { 0, 3000 } };
	setitimer(ITIMER_REAL, &often, nullptr);
}

KEPT void one_turn(uint64_t x)
{
	work_sink = work_sink + jumps(x) + throws(x) + left(deepest, x) + sized(deepest, x);
	swapcontext(&main_context, &coroutines[0]);
}

} // namespace

int main(int argc, char** argv)
{
	const double end = work_clock(CLOCK_BOOTTIME) + work_seconds(argc, argv);
	uint64_t x = 88172645463325252;
	make_coroutines();
	want_signals();
	WORK_UNTIL(CLOCK_BOOTTIME, end)
		one_turn(x = work_mix(x | 1, 1));
}

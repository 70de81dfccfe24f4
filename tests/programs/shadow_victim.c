// SPDX-License-Identifier: GPL-2.0
// Works with a shadow stack, which it switches on for itself: arm64's guarded control stack.
//
// Usage: shadow_victim VERB SECONDS
//   honest     recursion, callbacks from the C library, and a signal's handler on a stack of its own
//   signalled  one signal after the other, so that the kernel writes its registers all the time
//   liar       a function that overwrites the return address in its frame while it works, and mends it
//
// Exit status 77: there are no shadow stacks here. The process has the verb's name.
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/time.h>

#include "work.h"

#define NO_SHADOW_STACK 77
#define SIGNAL_US       5000

#ifndef PR_SET_SHADOW_STACK_STATUS
#define PR_SET_SHADOW_STACK_STATUS 75
#define PR_SHADOW_STACK_ENABLE     1
#endif

// Whoever calls this must not return: older frames are not on the shadow stack. A call of prctl() could not return either.
static inline __attribute__((always_inline)) int switch_on(void)
{
#ifdef __aarch64__
	register long x0 __asm__("x0") = PR_SET_SHADOW_STACK_STATUS, x8 __asm__("x8") = 167; // prctl
	register long x1 __asm__("x1") = PR_SHADOW_STACK_ENABLE, x2 __asm__("x2") = 0, x3 __asm__("x3") = 0,
			 x4 __asm__("x4") = 0;

	__asm__ volatile("svc #0" : "+r"(x0) : "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x8) : "memory");
	return x0 == 0;
#else
	return 0;
#endif
}

static void on_signal(int signal)
{
	for (int i = 0; i < 200; i++)
		work_sink += work_recurse(8, (uint64_t)(signal + i));
}

static void handle(int signal, void (*handler)(int))
{
	static char stack[64 << 10];
	const stack_t other = { .ss_sp = stack, .ss_size = sizeof(stack) };
	const struct sigaction action = { .sa_handler = handler, .sa_flags = SA_ONSTACK | SA_RESTART };

	sigaltstack(&other, NULL);
	sigaction(signal, &action, NULL);
}

static void start_signals(void)
{
	const struct itimerval often = { { 0, SIGNAL_US }, { 0, SIGNAL_US } };

	handle(SIGVTALRM, on_signal);
	setitimer(ITIMER_VIRTUAL, &often, NULL);
}

static __attribute__((noinline)) void be_honest(double end)
{
	unsigned int turn = 0;

	start_signals();
	WORK_UNTIL(CLOCK_MONOTONIC, end) {
		work_sink += work_recurse(turn % 40, turn) + work_sort(turn);
		turn++;
	}
}

static void on_brief_signal(int signal)
{
	work_sink += (uint64_t)signal;
}

static __attribute__((noinline)) void be_signalled(double end)
{
	handle(SIGUSR1, on_brief_signal);
	WORK_UNTIL(CLOCK_MONOTONIC, end)
		raise(SIGUSR1);
}

// Nobody calls it.
static __attribute__((noinline)) void innocent(void)
{
	work_sink += work_recurse(3, 3);
	work_sink++;
}

static __attribute__((noipa)) void lie(uint64_t *saved, double end)
{
	const uint64_t truth = *saved;

	*saved = (uint64_t)(uintptr_t)innocent + 8;
	while (work_clock(CLOCK_MONOTONIC) < end)
		work_sink += work_recurse(8, 8);
	*saved = truth;
}

// Its return address lies behind the frame pointer that it has saved.
static __attribute__((noinline, optimize("no-omit-frame-pointer"))) void be_a_liar(double end)
{
	lie((uint64_t *)__builtin_frame_address(0) + 1, end);
	work_sink++;
}

int main(int argc, char **argv)
{
	const double end = work_clock(CLOCK_MONOTONIC) + (argc > 2 ? atof(argv[2]) : 1e6);

	if (argc < 2)
		return 2;
	prctl(PR_SET_NAME, argv[1]);
	if (!switch_on())
		return NO_SHADOW_STACK;
	if (!strcmp(argv[1], "liar"))
		be_a_liar(end);
	else if (!strcmp(argv[1], "signalled"))
		be_signalled(end);
	else
		be_honest(end);
	exit(0);
}

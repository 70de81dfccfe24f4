// SPDX-License-Identifier: GPL-2.0
// Calls through a null pointer, from some depth, and works in the handler of the fault.
//
// Usage: null_victim here|aside SECONDS
//   here   the handler has the stack of the call
//   aside  it has one of its own, which lies in the program's data
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "work.h"

#define CALLERS 12

static int (*volatile nothing)(int);
static double until;

static void on_fault(int number)
{
	(void)number;
	while (work_clock(CLOCK_MONOTONIC) < until)
		for (int i = 0; i < 200; i++)
			work_sink += work_recurse(8, (uint64_t)i);
	_exit(0);
}

/* What is behind the call keeps it from becoming a jump. */
static __attribute__((noinline)) int call_nothing(int depth)
{
	volatile int pad[5] = { depth };

	return (depth ? call_nothing(depth - 1) : nothing(depth)) + pad[0];
}

int main(int argc, char **argv)
{
	static char room[256 << 10];
	stack_t other = { .ss_sp = room, .ss_size = sizeof(room) };
	struct sigaction action = { .sa_handler = on_fault, .sa_flags = SA_ONSTACK };

	if (argc != 3)
		return 2;
	until = work_clock(CLOCK_MONOTONIC) + atof(argv[2]);
	if (!strcmp(argv[1], "aside") && sigaltstack(&other, NULL))
		return 1;
	if (sigaction(SIGSEGV, &action, NULL))
		return 1;
	return call_nothing(CALLERS);
}

// SPDX-License-Identifier: GPL-2.0
// Forks a child that works for a tenth of a second in the parent's code and forks once more itself; again and again.
//
// Usage: fork_victim [SECONDS [BRIEF]]     BRIEF: children that it has before, which do nothing
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "work.h"

static __attribute__((noinline)) void child_work(void)
{
	double end = work_clock(CLOCK_BOOTTIME) + 0.1;

	WORK_UNTIL(CLOCK_BOOTTIME, end)
		work_sink += work_recurse(15, 1);
}

static void generation(int left)
{
	pid_t child = fork();

	if (child == 0) {
		child_work();
		if (left > 0)
			generation(left - 1);
		_exit(0);
	}
	if (child > 0)
		waitpid(child, NULL, 0);
}

/* A process without memory of its own costs little to make. */
static void brief(void)
{
	pid_t child = vfork();

	if (child == 0)
		_exit(0);
	if (child > 0)
		waitpid(child, NULL, 0);
}

int main(int argc, char **argv)
{
	double end;

	for (long left = argc > 2 ? atol(argv[2]) : 0; left > 0; left--)
		brief();
	end = work_clock(CLOCK_BOOTTIME) + work_seconds(argc, argv);
	while (work_clock(CLOCK_BOOTTIME) < end)
		generation(1);
	return 0;
}

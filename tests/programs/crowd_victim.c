// SPDX-License-Identifier: GPL-2.0
// Keeps a crowd of processes that live for some milliseconds each, so that memory maps begin and end all the time.
//
// Usage: crowd_victim [SECONDS [NUMBER]]: NUMBER at a time, 64 if not given.
#include <sys/wait.h>
#include <unistd.h>

#include "work.h"

// By processor time, so that each is sampled however many want to run.
static void live_shortly(int number)
{
	double end = work_clock(CLOCK_PROCESS_CPUTIME_ID) + 0.002 + 0.0005 * (number % 8);

	WORK_UNTIL(CLOCK_PROCESS_CPUTIME_ID, end)
		work_sink += work_recurse(9, 1);
	_exit(0);
}

int main(int argc, char **argv)
{
	double end = work_clock(CLOCK_BOOTTIME) + work_seconds(argc, argv);
	int most = argc > 2 ? atoi(argv[2]) : 64, living = 0, begun = 0;

	while (work_clock(CLOCK_BOOTTIME) < end) {
		pid_t child = fork();

		if (child == 0)
			live_shortly(begun);
		living += child > 0;
		begun++;
		if (living == most && wait(NULL) > 0)
			living--;
	}
	while (wait(NULL) > 0)
		;
	return 0;
}

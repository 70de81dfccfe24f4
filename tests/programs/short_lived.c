// SPDX-License-Identifier: GPL-2.0
// Starts processes that live for about ten milliseconds each, one behind the other; a line for each that has ended.
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "work.h"

static void live_shortly(void)
{
	double end = work_clock(CLOCK_BOOTTIME) + 0.01;

	WORK_UNTIL(CLOCK_BOOTTIME, end)
		work_sink += work_recurse(9, 1);
	_exit(0);
}

int main(int argc, char **argv)
{
	double end = work_clock(CLOCK_BOOTTIME) + work_seconds(argc, argv);

	setvbuf(stdout, NULL, _IOLBF, 0);
	while (work_clock(CLOCK_BOOTTIME) < end) {
		if (fork() == 0)
			live_shortly();
		if (wait(NULL) > 0)
			puts("lived");
	}
	return 0;
}

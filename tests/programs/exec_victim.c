// SPDX-License-Identifier: GPL-2.0
// Works for a fifth of a second, then executes itself again, until the time in its argument has come.
//
// Usage: exec_victim [SECONDS]; it calls itself with "@" and the end in seconds since boot.
#include <stdio.h>
#include <unistd.h>

#include "work.h"

static double end_of(int argc, char **argv)
{
	if (argc > 1 && argv[1][0] == '@')
		return atof(argv[1] + 1);
	return work_clock(CLOCK_BOOTTIME) + work_seconds(argc, argv);
}

int main(int argc, char **argv)
{
	double end = end_of(argc, argv), now = work_clock(CLOCK_BOOTTIME), pause = now + 0.2;
	char again[64], program[256] = "";

	WORK_UNTIL(CLOCK_BOOTTIME, pause)
		work_sink += work_recurse(12, 1);
	if (pause >= end)
		return 0;
	snprintf(again, sizeof(again), "@%.3f", end);
	if (readlink("/proc/self/exe", program, sizeof(program) - 1) > 0)
		execl(program, argv[0], again, (char *)NULL);
	perror("exec_victim");
	return 1;
}

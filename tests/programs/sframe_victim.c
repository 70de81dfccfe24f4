// SPDX-License-Identifier: GPL-2.0
// Recurses 60 deep and sorts by callback; its own code carries .sframe, the C library's does not.
#include "work.h"

static __attribute__((noinline)) uint64_t outer(unsigned int turn)
{
	return work_recurse(20 + turn % 41, turn) + work_sort(turn);
}

int main(int argc, char **argv)
{
	double end = work_clock(CLOCK_BOOTTIME) + work_seconds(argc, argv);
	unsigned int turn = 0;

	WORK_UNTIL(CLOCK_BOOTTIME, end)
		work_sink += outer(turn++);
	return 0;
}

// SPDX-License-Identifier: GPL-2.0
// Works at the end of DEPTH calls, always by the same way there ("same") or each time by another ("other").
//
// Usage: deep_victim same|other DEPTH SECONDS
//
// The process has the verb's name.
#include <pthread.h>
#include <string.h>

#include "work.h"

static __attribute__((noinline)) uint64_t turn_left(unsigned int depth, uint64_t way);
static __attribute__((noinline)) uint64_t turn_right(unsigned int depth, uint64_t way);

static __attribute__((noinline)) uint64_t deep_work(uint64_t x)
{
	return work_mix(x | 1, 20000);
}

static inline uint64_t go_on(unsigned int depth, uint64_t way)
{
	uint64_t next = way >> 1 | way << 63;

	if (depth == 0)
		return deep_work(way);
	return way & 1 ? turn_left(depth - 1, next) : turn_right(depth - 1, next);
}

/* Two functions of different size, so that they stay two; what follows the call keeps it from becoming a loop. */
static uint64_t turn_left(unsigned int depth, uint64_t way)
{
	volatile uint64_t room[2] = { way };

	return go_on(depth, way) + room[0];
}

static uint64_t turn_right(unsigned int depth, uint64_t way)
{
	volatile uint64_t room[6] = { way };

	return go_on(depth, way) + room[0];
}

int main(int argc, char **argv)
{
	double end;
	uint64_t way = 0x123456789abcdefull;
	int same;

	if (argc != 4)
		return 2;
	pthread_setname_np(pthread_self(), argv[1]);
	same = strcmp(argv[1], "same") == 0;
	end = work_clock(CLOCK_BOOTTIME) + atof(argv[3]);
	while (work_clock(CLOCK_BOOTTIME) < end) {
		work_sink += turn_left((unsigned int)atoi(argv[2]), way);
		if (!same)
			way = work_mix(way, 3);
	}
	return 0;
}

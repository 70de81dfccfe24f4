// SPDX-License-Identifier: GPL-2.0
// Works at the end of DEPTH calls: always by the same way there ("same"), each time by another ("other"), or by one that
// only the last five calls change ("inner").
//
// Usage: deep_victim same|inner|other DEPTH SECONDS
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

/* The bits of the last calls, if there are so many calls. */
static uint64_t last_bits(unsigned int depth)
{
	return depth < 5 ? 0 : 31ull << (depth - 5) % 64;
}

int main(int argc, char **argv)
{
	double end;
	uint64_t way = 0x123456789abcdefull, random = way, changes;
	unsigned int depth;

	if (argc != 4)
		return 2;
	pthread_setname_np(pthread_self(), argv[1]);
	depth = (unsigned int)atoi(argv[2]);
	changes = strcmp(argv[1], "same") == 0 ? 0 : strcmp(argv[1], "inner") == 0 ? last_bits(depth) : ~0ull;
	end = work_clock(CLOCK_BOOTTIME) + atof(argv[3]);
	while (work_clock(CLOCK_BOOTTIME) < end) {
		work_sink += turn_left(depth, way);
		random = work_mix(random, 3);
		way = (way & ~changes) | (random & changes);
	}
	return 0;
}

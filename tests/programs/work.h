/* SPDX-License-Identifier: GPL-2.0 */
/* Work that the victims do: recursion of a known depth whose every level does a little, and deadlines. */
#ifndef WORK_H
#define WORK_H

#include <stdint.h>
#include <stdlib.h>
#include <time.h>

static volatile uint64_t work_sink;

/* Processor time of this process or thread, or time since boot, in seconds. */
static inline double work_clock(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* The statement behind it runs until then. Reading a clock is a system call on some machines, so it is read now and then. */
#define WORK_UNTIL(clock, end)            \
	while (work_clock(clock) < (end)) \
		for (int turn_ = 0; turn_ < 64; turn_++)

static inline uint64_t work_mix(uint64_t x, unsigned int rounds)
{
	while (rounds--) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
	}
	return x;
}

/* The addition behind the call keeps it from becoming a jump. */
static __attribute__((noinline, unused)) uint64_t work_recurse(unsigned int depth, uint64_t x)
{
	uint64_t pad[3] = { x, depth, x + depth };

	x = work_mix(x | 1, 40);
	if (depth == 0)
		return x + pad[x % 3];
	return work_recurse(depth - 1, x) + pad[x % 3];
}

/* One comparison per node; the C library calls it back, so its frames lie in between. */
static __attribute__((unused)) int work_compare(const void *a, const void *b)
{
	uint64_t l = work_mix(*(const uint64_t *)a, 4), r = work_mix(*(const uint64_t *)b, 4);

	return (l > r) - (l < r);
}

static __attribute__((noinline, unused)) uint64_t work_sort(uint64_t x)
{
	static __thread uint64_t values[256];

	for (unsigned int i = 0; i < 256; i++)
		values[i] = x = work_mix(x | 1, 1);
	qsort(values, 256, sizeof(values[0]), work_compare);
	return values[0] + 1;
}

/* The seconds in argv[1], or for practical purposes for ever. */
static inline double work_seconds(int argc, char **argv)
{
	return argc > 1 ? atof(argv[1]) : 1e6;
}

#endif

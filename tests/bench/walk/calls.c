// SPDX-License-Identifier: GPL-2.0
/* One of the libraries. BENCH_LIBRARY is the name of its functions. */
#define _GNU_SOURCE
#include "calls.h"

#include <stdlib.h>

#define CALLS_IN_A_ROW 8 /* of functions of a library, which then calls the next library's */

/* Registers that a function has to save. */
#ifdef __aarch64__
#define FIRST_SAVED  "x19"
#define SECOND_SAVED "x20"
#define THIRD_SAVED  "x21"
#else
#define FIRST_SAVED  "rbx"
#define SECOND_SAVED "r12"
#define THIRD_SAVED  "r13"
#endif

static int compare(const void *a, const void *b, void *descent);

static void sort_next(struct bench_descent *descent)
{
	int two[2] = {1, 2};

	qsort_r(two, 2, sizeof(two[0]), compare, descent);
	__asm__ volatile("" : : "g"(two) : "memory");
}

static inline __attribute__((always_inline)) void call_next(struct bench_descent *descent)
{
	unsigned left = descent->left--;

	unsigned library = left / CALLS_IN_A_ROW % BENCH_LIBRARIES;
	unsigned function;

	descent->path = descent->path * 1103515245u + 12345u;
	function = library * BENCH_FUNCTIONS + (descent->path >> 16) % BENCH_FUNCTIONS;
	if (!left)
		descent->last(descent);
	else if (left <= descent->sorts_from && left % CALLS_IN_A_ROW == 0)
		sort_next(descent);
	else
		descent->functions[function](descent);
	__asm__ volatile("" : : : "memory"); /* the call is no tail call */
}

static int compare(const void *a, const void *b, void *descent)
{
	call_next(descent);
	return *(const int *)a - *(const int *)b;
}

/* A function with so many words on its stack, which saves some registers. */
#define FUNCTION(name, nr, ...)                         \
	static void name(struct bench_descent *descent) \
	{                                               \
		volatile unsigned long words[nr];       \
                                                        \
		words[0] = descent->path;               \
		call_next(descent);                     \
		words[nr - 1] = words[0];               \
		__asm__ volatile("" : : : __VA_ARGS__); \
	}

FUNCTION(one, 1, "memory")
FUNCTION(two, 2, "memory", FIRST_SAVED)
FUNCTION(four, 4, "memory", SECOND_SAVED)
FUNCTION(six, 6, "memory", FIRST_SAVED, SECOND_SAVED)
FUNCTION(ten, 10, "memory", FIRST_SAVED, SECOND_SAVED, THIRD_SAVED)
FUNCTION(fifteen, 15, "memory")
FUNCTION(twenty, 20, "memory", THIRD_SAVED)
FUNCTION(thirty, 30, "memory", SECOND_SAVED, THIRD_SAVED)

const bench_function BENCH_LIBRARY[BENCH_FUNCTIONS] = {one, two, four, six, ten, fifteen, twenty, thirty};

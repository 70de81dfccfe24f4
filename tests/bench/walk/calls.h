/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Functions of several libraries that call each other until a stack is as deep as it should be. They are compiled with
 * frame pointers, and without.
 */
#ifndef BENCH_CALLS_H
#define BENCH_CALLS_H

#ifdef __cplusplus
extern "C" {
#endif

struct bench_descent;

typedef void (*bench_function)(struct bench_descent *descent);

#define BENCH_FUNCTIONS 8 /* of each library */
#define BENCH_LIBRARIES 3

/* A way down. */
struct bench_descent {
	const bench_function *functions; /* of all libraries, one of which is next */
	unsigned left;                   /* so many calls before the last one */
	unsigned sorts_from; /* calls that are left as every eighth begins to pass qsort_r(); 0: none does */
	unsigned path;       /* decides which function is next */
	bench_function last; /* is called in the end */
};

extern const bench_function bench_framed_a[BENCH_FUNCTIONS], bench_framed_b[BENCH_FUNCTIONS],
	bench_framed_c[BENCH_FUNCTIONS];
extern const bench_function bench_plain_a[BENCH_FUNCTIONS], bench_plain_b[BENCH_FUNCTIONS],
	bench_plain_c[BENCH_FUNCTIONS];

#ifdef __cplusplus
}
#endif

#endif

/* SPDX-License-Identifier: GPL-2.0 */
#ifndef BENCH_LINUX_REFCOUNT_H
#define BENCH_LINUX_REFCOUNT_H

#include <linux/types.h>

typedef struct {
	int count;
} refcount_t;

static inline void refcount_set(refcount_t *refs, int count)
{
	refs->count = count;
}

static inline void refcount_inc(refcount_t *refs)
{
	refs->count++;
}

static inline bool refcount_inc_not_zero(refcount_t *refs)
{
	return refs->count && ++refs->count;
}

static inline bool refcount_dec_and_test(refcount_t *refs)
{
	return --refs->count == 0;
}

#endif

/* SPDX-License-Identifier: GPL-2.0 */
#ifndef BENCH_LINUX_MM_H
#define BENCH_LINUX_MM_H

#include <stdlib.h>

#include <linux/types.h>

#define GFP_KERNEL_ACCOUNT 0
#define GFP_NOWAIT         0
#define __GFP_NOWARN       0
#define __GFP_ACCOUNT      0

#define struct_size(object, member, nr) (sizeof(*(object)) + (nr) * sizeof((object)->member[0]))

static inline void *kvzalloc(size_t bytes, gfp_t gfp)
{
	(void)gfp;
	return calloc(1, bytes);
}

static inline void kvfree(void *object)
{
	free(object);
}

#endif

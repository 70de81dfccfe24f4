/* SPDX-License-Identifier: GPL-2.0 */
#ifndef BENCH_LINUX_TYPES_H
#define BENCH_LINUX_TYPES_H

#include <limits.h>
#include <sys/types.h>

#include "uw_port.h"

typedef unsigned int gfp_t;

#define U32_MAX UINT32_MAX
#define U64_MAX UINT64_MAX
#define __rcu

#define READ_ONCE(word)         (*(const volatile __typeof__(word) *)&(word))
#define WRITE_ONCE(word, value) (*(volatile __typeof__(word) *)&(word) = (value))

#define min(a, b) ((a) < (b) ? (a) : (b))

struct list_head {
	struct list_head *next, *prev;
};

struct hlist_node {
	struct hlist_node *next, **pprev;
};

#endif

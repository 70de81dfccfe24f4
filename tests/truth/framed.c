// SPDX-License-Identifier: GPL-2.0
// Works in functions of its own alone, each of which has work behind its call. Built with frame pointers, it is what
// the kernel's own call chains must get right.
#include "work.h"

#define KEPT __attribute__((noinline))

static KEPT uint64_t recursive(unsigned int depth, uint64_t x)
{
	x = work_mix(x | 1, 40);
	return depth ? recursive(depth - 1, x) ^ x : x;
}

static KEPT uint64_t inner(unsigned int turn)
{
	return recursive(turn % 16, turn) ^ turn;
}

static KEPT uint64_t outer(unsigned int turn)
{
	return inner(turn + 1) ^ inner(turn + 7);
}

int main(void)
{
	for (unsigned int turn = 0;; turn++)
		work_sink += outer(turn);
}

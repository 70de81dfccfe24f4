// SPDX-License-Identifier: GPL-2.0
// The library that dlopen_victim loads halfway: calls back into the program from its own recursion.
#include "work.h"

uint64_t plugin_work(unsigned int depth, uint64_t (*callback)(uint64_t));

__attribute__((noinline)) uint64_t plugin_work(unsigned int depth, uint64_t (*callback)(uint64_t))
{
	if (depth == 0)
		return callback(work_recurse(10, 1)) + 1;
	return plugin_work(depth - 1, callback) + work_mix(depth, 20);
}

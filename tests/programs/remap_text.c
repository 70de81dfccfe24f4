// SPDX-License-Identifier: GPL-2.0
// What remap_victim maps: one function, whose name differs from file to file.
#include "work.h"

uint64_t FUNCTION(uint64_t x);

uint64_t FUNCTION(uint64_t x)
{
	return work_recurse(6, x | 1) + 1;
}

// SPDX-License-Identifier: GPL-2.0
// The library that the others call.
#include <stddef.h>

int outside1(int value)
{
	return value + 1;
}

int outside2(int value)
{
	return value + 2;
}

int outside3(int value)
{
	return value + 3;
}

void* outside_memory(void* area, int value, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		((volatile char*)area)[i] = (char)value;
	return area;
}

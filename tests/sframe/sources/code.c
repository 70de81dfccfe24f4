// SPDX-License-Identifier: GPL-2.0
// What a compiler makes of C: leaf and large frames, frames of run-time size, realigned
// ones, variable arguments, cold parts, tail calls. Nobody runs it.
#include <stdarg.h>
#include <stddef.h>

extern int outside1(int);
extern int outside2(int);
extern int outside3(int);
extern void* outside_memory(void*, int, size_t);

#define KEPT __attribute__((noinline))

KEPT int leaf(int value)
{
	return value * 3 + 1;
}

KEPT int caller(int value)
{
	return outside1(value) + leaf(value) + 1;
}

KEPT int tail_caller(int value)
{
	return outside2(value + 1);
}

KEPT int many_registers(int a, int b, int c, int d)
{
	int e = outside1(a), f = outside1(b), g = outside1(c), h = outside1(d);
	return outside2(e + f) + outside2(g + h) + e * f + g * h;
}

KEPT int large_frame(int value)
{
	volatile char area[70000];
	area[value] = (char)value;
	return outside1(area[value]) + area[0];
}

KEPT int on_the_stack(int bytes)
{
	char* area = __builtin_alloca((size_t)bytes);
	outside_memory(area, bytes, (size_t)bytes);
	return area[bytes - 1] + outside1(bytes);
}

KEPT int realigned(int value)
{
	_Alignas(64) volatile int lanes[16];
	for (int i = 0; i < 16; i++)
		lanes[i] = value + i;
	char* area = __builtin_alloca((size_t)value);
	outside_memory(area, lanes[3], (size_t)value);
	return lanes[7] + area[0];
}

KEPT int sum(int count, ...)
{
	va_list list;
	int total = 0;
	va_start(list, count);
	for (int i = 0; i < count; i++)
		total += outside1(va_arg(list, int));
	va_end(list);
	return total;
}

__attribute__((cold, noinline, noreturn)) void never(int value)
{
	for (;;)
		outside1(value);
}

KEPT int with_cold_part(int value)
{
	if (__builtin_expect(value < 0, 0)) {
		outside2(value);
		never(outside1(value));
	}
	return outside1(value) + outside2(value);
}

KEPT int chosen(int value)
{
	switch (value) {
	case 0:
		return caller(3);
	case 1:
		return tail_caller(4);
	case 2:
		return large_frame(5);
	case 3:
		return on_the_stack(6);
	case 4:
		return realigned(7);
	default:
		return sum(3, 1, 2, value);
	}
}

// Its address is taken: outside3 is called through the global offset table too.
int (*const table[])(int) = {leaf, outside3, chosen};

int unused(int value)
{
	return outside1(value) + outside3(value);
}

int c_code(int value)
{
	int total = chosen(value) + with_cold_part(value) + many_registers(value, 2, 3, 4);
	return total + table[value & 1](value) + outside3(value);
}

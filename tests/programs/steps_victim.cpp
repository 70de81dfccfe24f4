// SPDX-License-Identifier: GPL-2.0
// One short turn through every kind of code that unwinding finds hard, to be run
// instruction by instruction. Prints a checksum and ends.
#include <alloca.h>

#include <csetjmp>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

#define KEPT __attribute__((noinline))

namespace {

volatile int sink;
std::jmp_buf place;

KEPT int compare(const void* left, const void* right)
{
	return *static_cast<const int*>(left) - *static_cast<const int*>(right);
}

// Called back by a library.
KEPT int sorted()
{
	int values[12] = { 9, 4, 7, 1, 8, 2, 6, 3, 5, 0, 11, 10 };
	std::qsort(values, 12, sizeof(int), compare);
	return values[3];
}

KEPT int thrower(int depth)
{
	if (depth == 0)
		throw std::runtime_error("thrown");
	return thrower(depth - 1) + 1;
}

struct Cleanup {
	~Cleanup()
	{
		sink = sink + 1;
	}
};

KEPT int caught()
{
	try {
		Cleanup cleanup;
		return thrower(3);
	} catch (const std::exception& error) {
		return static_cast<int>(std::strlen(error.what()));
	}
}

// The frame's size is known at run time only.
KEPT int on_the_stack(int bytes)
{
	char* area = static_cast<char*>(alloca(bytes));
	std::memset(area, bytes, bytes);
	return area[bytes - 1] + static_cast<int>(std::strlen("alloca"));
}

// The frame is realigned.
KEPT int realigned(int value)
{
	alignas(64) volatile int lanes[16];
	for (int i = 0; i < 16; i++)
		lanes[i] = value + i;
	char* area = static_cast<char*>(alloca(value + 1));
	area[value] = static_cast<char>(lanes[7]);
	return std::abs(area[value]);
}

KEPT int tail(int value)
{
	sink = value;
	return value + 1;
}

KEPT int tail_caller(int value)
{
	return tail(value * 2); // jumps
}

// Nothing follows the call.
[[noreturn]] KEPT void leave(int value)
{
	std::longjmp(place, value);
}

KEPT int jumped(int value)
{
	if (int got = setjmp(place))
		return got;
	leave(value);
}

KEPT int sum(int count, ...)
{
	va_list list;
	va_start(list, count);
	int total = 0;
	for (int i = 0; i < count; i++)
		total += va_arg(list, int);
	va_end(list);
	return total;
}

KEPT int large_frame(int value)
{
	volatile char area[20000];
	area[0] = static_cast<char>(value);
	area[19999] = area[0];
	return tail(area[19999]);
}

KEPT int chosen(int value)
{
	switch (value) {
	case 0:
		return tail(3);
	case 1:
		return sum(3, 1, 2, 3);
	case 2:
		return tail_caller(4);
	case 3:
		return large_frame(5);
	default:
		return sum(9, 1, 2, 3, 4, 5, 6, 7, 8, 9);
	}
}

KEPT int recursive(int depth, int (*at_end)(int))
{
	return depth ? recursive(depth - 1, at_end) + depth : at_end(2);
}

KEPT double floating(double value)
{
	char text[32];
	std::snprintf(text, sizeof(text), "%.3f", value);
	return std::strtod(text, nullptr);
}

} // namespace

int main()
{
	int total = sorted() + caught() + on_the_stack(40) + realigned(20) + tail_caller(3) + jumped(6);
	for (int i = 0; i < 5; i++)
		total += chosen(i);
	total += recursive(6, realigned) + static_cast<int>(floating(2.5));
	void* memory = std::malloc(5000);
	std::free(memory);
	std::printf("%d\n", total);
	return 0;
}

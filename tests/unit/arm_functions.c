// SPDX-License-Identifier: GPL-2.0
// Functions with frames of many kinds, for compilers of 32-bit Arm; C and C++.
#ifdef __cplusplus
extern "C" {
#endif
#define HIDDEN __attribute__((visibility("hidden")))
#define APART  __attribute__((noinline))

extern int outside(void *);
extern double reckon(double);

// The personality routines have their right names, so that readelf knows what they read.
HIDDEN int __gcc_personality_v0(int state, void *block, void *context);
HIDDEN int __gxx_personality_v0(int state, void *block, void *context);

HIDDEN int __gcc_personality_v0(int state, void *block, void *context)
{
	return state + (block == context);
}

HIDDEN int __gxx_personality_v0(int state, void *block, void *context)
{
	return state - (block == context);
}

int leaf(int a)
{
	return a * 3;
}

int jumps(void *where)
{
	return outside(where);
}

int calls(void *where)
{
	return outside(where) + 1;
}

int many_registers(int *a)
{
	int b = a[0], c = a[1], d = a[2], e = a[3], f = a[4], g = a[5], h = a[6], i = a[7];

	outside(a);
	return b + c * d - e * f + g * h - i;
}

int buffer(void)
{
	char room[200];

	return outside(room) + room[3];
}

int large_buffer(void)
{
	char room[700];

	return outside(room) + room[3];
}

int huge_buffer(void)
{
	char room[70000];

	return outside(room) + room[3];
}

int room_by_number(int bytes)
{
	char *room = (char *)__builtin_alloca(bytes);

	return outside(room) + room[bytes / 2];
}

int buffer_and_room_by_number(int bytes)
{
	char small[60];
	char *room = (char *)__builtin_alloca(bytes);

	return outside(room) + outside(small) + small[room[0]];
}

int aligned_buffer(void)
{
	char room[64] __attribute__((aligned(64)));

	return outside(room) + room[3];
}

double doubles(double a, double b, double c)
{
	double sum = reckon(a);

	sum += reckon(b) * a;
	return sum + reckon(c) * b + a * b * c;
}

double doubles_and_registers(double *a, int *b)
{
	double first = a[0], second = a[1], third = a[2], fourth = a[3];
	int left = b[0], right = b[1];

	outside(a);
	return first * second + third * fourth + reckon(left * right);
}

int variadic(int count, ...)
{
	__builtin_va_list list;
	int sum = 0;

	__builtin_va_start(list, count);
	while (count--)
		sum += outside(__builtin_va_arg(list, void *));
	__builtin_va_end(list);
	return sum;
}

APART static int deeper(int depth, void *where)
{
	return depth ? deeper(depth - 1, &depth) + outside(where) : 0;
}

int recursion(int depth)
{
	return deeper(depth, &depth);
}

__attribute__((noreturn)) void never_returns(void)
{
	for (;;)
		outside(0);
}

#ifndef __cplusplus
static void clean_up(int *what)
{
	outside(what);
}

int with_cleanup(void *where)
{
	__attribute__((cleanup(clean_up))) int what = 1;

	return outside(where) + what;
}

int with_cleanup_and_room(int bytes)
{
	__attribute__((cleanup(clean_up))) int what = 1;
	char *room = (char *)__builtin_alloca(bytes);

	return outside(room) + what;
}
#else
}

struct Guard {
	~Guard() { outside(this); }
};

int with_guard(void *where)
{
	Guard guard;

	return outside(where);
}

int with_guard_and_buffer(int bytes)
{
	Guard guard;
	char room[900];

	return outside(room) + outside(__builtin_alloca(bytes));
}

int catches(void *where)
{
	try {
		return outside(where);
	} catch (...) {
		return outside(&where) + 2;
	}
}

double catches_with_doubles(double a, double b)
{
	double sum = a * b;

	try {
		sum += reckon(a);
	} catch (...) {
		sum += reckon(b);
	}
	return sum * b + a;
}

int may_not_throw(void *where) noexcept
{
	return outside(where) + 1;
}
#endif

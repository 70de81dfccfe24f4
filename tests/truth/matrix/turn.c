/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Passes through every position that a top frame can have, to be run instruction by
 * instruction. SIGUSR1 is handled on the ordinary stack, SIGUSR2 on another one: whoever
 * steps through it sends more of them. WITHOUT_TABLES: nothing is thrown.
 */
#include <alloca.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define KEPT __attribute__((noinline))

int thrown(int depth);

static volatile int sink, handled;
static char other_stack[65536];

static KEPT int leaf(int value)
{
	for (int i = 0; i < 4; i++)
		value = value * 5 + i;
	return value;
}

static KEPT int leaf_with_frame(int value)
{
	volatile int lanes[6];

	for (int i = 0; i < 6; i++)
		lanes[i] = value - i;
	return lanes[value & 3] + lanes[5];
}

static KEPT int caller(int value)
{
	return leaf(value) + 1;
}

/* More values than registers live across the calls. */
static KEPT int many_registers(int a, int b, int c)
{
	int d = leaf(a), e = leaf(b), f = leaf(c), g = caller(a + b), h = leaf_with_frame(d);

	return a * d + b * e + c * f + g * h + leaf(a + d) + leaf(b + e);
}

/* Returns before it has needed a frame, or makes one. */
static KEPT int early(const int *value)
{
	if (!value)
		return 3;
	return caller(*value) + leaf_with_frame(*value) + *value;
}

static KEPT int tail_caller(int value)
{
	return caller(value * 2); /* jumps, where the compiler sees to it */
}

static KEPT int large_frame(int value)
{
	volatile char area[20000];

	area[0] = (char)value;
	area[19999] = area[0];
	return leaf(area[19999]) + 1;
}

/* The frame's size is known at run time only. */
static KEPT int on_the_stack(int bytes)
{
	char *area = alloca((size_t)bytes);

	memset(area, bytes, (size_t)bytes);
	return leaf(area[bytes - 1]) + area[0];
}

static KEPT int realigned(int value)
{
	_Alignas(64) volatile int lanes[16];

	for (int i = 0; i < 16; i++)
		lanes[i] = value + i;
	return leaf(lanes[value & 15]) + lanes[3];
}

static KEPT int sum(int count, ...)
{
	va_list list;
	int total = 0;

	va_start(list, count);
	for (int i = 0; i < count; i++)
		total += va_arg(list, int);
	va_end(list);
	return total;
}

static KEPT double floating(double a, double b)
{
	return a * leaf((int)b) + b * leaf((int)a) + a * b;
}

static KEPT int chosen(int value)
{
	switch (value) {
	case 0:
		return leaf(3);
	case 1:
		return sum(3, 1, 2, 3) + 1;
	case 2:
		return tail_caller(4);
	case 3:
		return large_frame(5);
	default:
		return sum(9, 1, 2, 3, 4, 5, 6, 7, 8, 9);
	}
}

static KEPT int recursive(int depth, int (*at_end)(int))
{
	return depth ? recursive(depth - 1, at_end) + depth : at_end(2);
}

static KEPT int compare(const void *left, const void *right)
{
	return leaf(*(const int *)left) < leaf(*(const int *)right) ? -1 : *(const int *)left != *(const int *)right;
}

static KEPT int called_back(void)
{
	int values[8] = {9, 4, 7, 1, 8, 2, 6, 3};
	const int key = 7, *found;

	qsort(values, 8, sizeof(int), compare);
	found = bsearch(&key, values, 8, sizeof(int), compare);
	return values[3] + (found ? *found : 0);
}

static KEPT int in_libraries(int value)
{
	char *copy = strdup("several words");
	int total = (int)strtol("1234", NULL, 10) + (int)strlen(copy) + abs(value);

	free(copy);
	return total;
}

static KEPT int doubled(int value)
{
	return value * 2;
}

static KEPT void handle(int signal)
{
	handled += doubled(signal);
}

static void set_handlers(void)
{
	stack_t stack = {.ss_sp = other_stack, .ss_size = sizeof(other_stack)};
	struct sigaction action;

	memset(&action, 0, sizeof(action));
	action.sa_handler = handle;
	sigaction(SIGUSR1, &action, NULL);
	sigaltstack(&stack, NULL);
	action.sa_flags = SA_ONSTACK | SA_SIGINFO; /* its frame is of another kind, on 32-bit machines */
	sigaction(SIGUSR2, &action, NULL);
}

static KEPT int turn(int value)
{
	int total = many_registers(value, 2, 3) + early(NULL) + early(&value) + tail_caller(value) + on_the_stack(40);

	for (int i = 0; i < 5; i++)
		total += chosen(i);
	total += realigned(value) + recursive(4, realigned) + (int)floating(2.5, value) + called_back();
	return total + in_libraries(value);
}

int main(void)
{
	set_handlers();
	for (int i = 0; i < 2; i++)
		sink = turn(i + 5);
	raise(SIGUSR1);
	raise(SIGUSR2);
#ifndef WITHOUT_TABLES
	sink += thrown(2);
#endif
	return handled == 0;
}

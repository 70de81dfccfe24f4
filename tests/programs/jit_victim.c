// SPDX-License-Identifier: GPL-2.0
// Calls a short function that it has written itself, which keeps a frame pointer, and of which no file knows anything.
//
// Usage: jit_victim [SECONDS]
//        jit_victim grow SECONDS   its memory grows in place all the time, as a heap for code does
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "work.h"

#define CODE_BYTES 4096
#define HEAP_BYTES (1ul << 30)

#if defined(__x86_64__)
// push %rbp; mov %rsp,%rbp; mov $3,%ecx; 1: dec %ecx; jnz 1b; pop %rbp; ret
static const unsigned char code[] = { 0x55, 0x48, 0x89, 0xe5, 0xb9, 0x03, 0x00, 0x00,
				      0x00, 0xff, 0xc9, 0x75, 0xfc, 0x5d, 0xc3 };
#elif defined(__aarch64__)
// stp x29, x30, [sp, #-16]!; mov x29, sp; mov w0, #3; 1: subs w0, w0, #1; b.ne 1b; ldp x29, x30, [sp], #16; ret
static const unsigned int code[] = {
	0xa9bf7bfd, 0x910003fd, 0x52800060, 0x71000400, 0x54ffffe1, 0xa8c17bfd, 0xd65f03c0
};
#endif

static void (*write_function(void))(void)
{
	void *memory = mmap(NULL, CODE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	void (*function)(void);

	if (memory == MAP_FAILED)
		return NULL;
	memcpy(memory, code, sizeof(code));
	__builtin___clear_cache((char *)memory, (char *)memory + sizeof(code));
	if (mprotect(memory, CODE_BYTES, PROT_READ | PROT_EXEC))
		return NULL;
	memcpy(&function, &memory, sizeof(function));
	return function;
}

static __attribute__((noinline)) void call_often(void (*function)(void))
{
	for (int i = 0; i < 100000; i++)
		function();
	work_sink++;
}

/* The next pages of the heap become usable: one mapping with those before. Its newest code lies there. */
static void (*grow_heap(char *end, size_t bytes))(void)
{
	void (*function)(void);

	if (mprotect(end, bytes, PROT_READ | PROT_WRITE | PROT_EXEC))
		exit(1);
	memcpy(end, code, sizeof(code));
	__builtin___clear_cache(end, end + sizeof(code));
	memcpy(&function, &end, sizeof(function));
	return function;
}

/* For half of the seconds it grows. */
static int grow(double seconds)
{
	char *heap = mmap(NULL, HEAP_BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	double until = work_clock(CLOCK_MONOTONIC) + seconds, still = until - seconds / 2;
	size_t step = 16 * (size_t)sysconf(_SC_PAGESIZE), bytes = 0;
	void (*function)(void) = NULL;

	if (heap == MAP_FAILED)
		return 1;
	for (; work_clock(CLOCK_MONOTONIC) < still && bytes + step < HEAP_BYTES; bytes += step) {
		function = grow_heap(heap + bytes, step);
		call_often(function);
	}
	puts("still");
	fflush(stdout);
	while (work_clock(CLOCK_MONOTONIC) < until)
		call_often(function);
	return 0;
}

int main(int argc, char **argv)
{
	void (*function)(void) = write_function();
	double until = work_clock(CLOCK_MONOTONIC) + work_seconds(argc, argv);

	if (argc > 2 && strcmp(argv[1], "grow") == 0)
		return grow(atof(argv[2]));

	if (!function) {
		perror("jit_victim");
		return 1;
	}
	while (work_clock(CLOCK_MONOTONIC) < until)
		call_often(function);
	return 0;
}

// SPDX-License-Identifier: GPL-2.0
// Starts processes that end by abort(), below some recursion, and dump so much memory that the kernel is busy with it.
//
// Usage: dump_victim [SECONDS [DEPTH]]   of the recursion (9)
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "work.h"

#define MEMORY_BYTES (24u << 20)

static void (*volatile die)(void) = abort; /* the compiler knows nothing of it */

static __attribute__((noinline)) int die_below(unsigned int depth)
{
	volatile char pad[16] = { 0 };

	if (depth == 0) {
		die();
		return 0;
	}
	return die_below(depth - 1) + pad[depth % 16];
}

static void live_and_die(unsigned int depth)
{
	const struct rlimit unlimited = { RLIM_INFINITY, RLIM_INFINITY };
	void *memory = mmap(NULL, MEMORY_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED || setrlimit(RLIMIT_CORE, &unlimited))
		_exit(1);
	memset(memory, 1, MEMORY_BYTES);
	_exit(die_below(depth));
}

int main(int argc, char **argv)
{
	double end = work_clock(CLOCK_BOOTTIME) + work_seconds(argc, argv);
	unsigned int depth = argc > 2 ? (unsigned int)atoi(argv[2]) : 9;
	int status;

	setvbuf(stdout, NULL, _IOLBF, 0);
	while (work_clock(CLOCK_BOOTTIME) < end) {
		if (fork() == 0)
			live_and_die(depth);
		if (wait(&status) > 0)
			puts(WIFSIGNALED(status) && WCOREDUMP(status) ? "dumped" : "exited");
	}
	return 0;
}

// SPDX-License-Identifier: GPL-2.0
// Writes a word to a file so many times, from below some recursion: asker FILE WORD TIMES.
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "work.h"

static __attribute__((noinline)) long ask(int fd, const char *word, long times)
{
	long written = 0;

	for (long i = 0; i < times; i++)
		written += write(fd, word, strlen(word)) > 0;
	return written;
}

static __attribute__((noinline)) long ask_below(unsigned int depth, int fd, const char *word, long times)
{
	volatile char pad[16] = { 0 };

	return (depth ? ask_below(depth - 1, fd, word, times) : ask(fd, word, times)) + pad[depth % 16];
}

int main(int argc, char **argv)
{
	long times = argc == 4 ? atol(argv[3]) : 0, written;
	int fd = times ? open(argv[1], O_WRONLY) : -1;

	if (fd < 0) {
		fputs("usage: asker FILE WORD TIMES\n", stderr);
		return 1;
	}
	written = ask_below(8, fd, argv[2], times);
	printf("%ld of %ld\n", written, times);
	return written != times;
}

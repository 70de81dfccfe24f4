// SPDX-License-Identifier: GPL-2.0
// Threads that end at once, one after the other.
//
// Usage: brief_threads NUMBER
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static void *end(void *unused)
{
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t thread;

	for (long left = argc == 2 ? atol(argv[1]) : 0; left > 0; left--)
		if (pthread_create(&thread, NULL, end, NULL) || pthread_join(thread, NULL)) {
			perror("brief_threads");
			return 1;
		}
	return 0;
}

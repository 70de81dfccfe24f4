// SPDX-License-Identifier: GPL-2.0
// Processes that have registered many sections, for what grows with them.
//
// Usage: growth RANGES PROCESSES work SECONDS     so many processes with so many ranges each; one works below 40 calls, while a
//                                                 thread of it registers and removes one more all the time
//        growth RANGES PROCESSES wait SECONDS     they only wait
//        growth RANGES PROCESSES fork NUMBER      so many forks, each until its child has ended: prints the median, in nanoseconds
//
// Without the module it only takes the memory for RANGES. Prints "ready" once all is there. The device is closed by then,
// so that the module can go.
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "section.h"
#include "work.h"

#define DEPTH      39
#define TEXT_BYTES 64
#define MOST_FORKS 10000

/* Without the module: memory alone. */
static int mapped(int number)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	for (int i = 0; i < number; i++) {
		uint8_t *memory = mmap(NULL, page + TEXT_BYTES, PROT_READ | PROT_WRITE | PROT_EXEC,
				       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (memory == MAP_FAILED)
			return 0;
		*memory = 1;
	}
	return 1;
}

static int registered(int number)
{
	int device = open(UWIND_SELF_DEVICE, O_RDWR | O_CLOEXEC);

	if (device < 0)
		return mapped(number);
	for (int i = 0; i < number; i++)
		if (section_add(device, TEXT_BYTES, 0) == MAP_FAILED) {
			fprintf(stderr, "growth: range %d of %d: %s\n", i + 1, number, strerror(errno));
			return 0;
		}
	close(device);
	return 1;
}

/* A child that has run once has inherited the ranges. */
static int crowd(int number)
{
	for (int i = 1; i < number; i++) {
		pid_t child = fork();

		if (child < 0) {
			fprintf(stderr, "growth: process %d of %d: %s\n", i + 1, number, strerror(errno));
			return 0;
		}
		if (child == 0) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			for (;;)
				pause();
		}
	}
	return 1;
}

/* Registrations go on. */
static void *churn(void *unused)
{
	int device = open(UWIND_SELF_DEVICE, O_RDWR | O_CLOEXEC);

	for (;;) {
		uint8_t *memory = section_add(device, TEXT_BYTES, 0);

		if (memory != MAP_FAILED)
			munmap(memory, (size_t)sysconf(_SC_PAGESIZE) + TEXT_BYTES);
		usleep(2000);
	}
	return unused;
}

/* Nearly all of the time is spent below all calls, so that walks are alike; what follows the call keeps it from becoming a loop. */
static __attribute__((noinline)) uint64_t deep(unsigned int depth, uint64_t x)
{
	volatile uint64_t room[2] = { x };

	return (depth ? deep(depth - 1, x) : work_mix(x | 1, 20000)) + room[0];
}

static void work(double seconds)
{
	double end = work_clock(CLOCK_BOOTTIME) + seconds;
	pthread_t other;

	pthread_create(&other, NULL, churn, NULL);
	while (work_clock(CLOCK_BOOTTIME) < end)
		work_sink += deep(DEPTH, 1);
}

static int compare(const void *a, const void *b)
{
	double l = *(const double *)a, r = *(const double *)b;

	return (l > r) - (l < r);
}

static void fork_often(int number)
{
	static double took[MOST_FORKS];

	for (int i = 0; i < number; i++) {
		double start = work_clock(CLOCK_MONOTONIC);
		pid_t child = fork();

		if (child == 0)
			_exit(0);
		waitpid(child, NULL, 0);
		took[i] = work_clock(CLOCK_MONOTONIC) - start;
	}
	qsort(took, (size_t)number, sizeof(took[0]), compare);
	printf("%.0f\n", 1e9 * took[number / 2]);
}

int main(int argc, char **argv)
{
	int ranges = argc == 5 ? atoi(argv[1]) : -1, processes = argc == 5 ? atoi(argv[2]) : 0;
	double number = argc == 5 ? atof(argv[4]) : 0;

	if (ranges < 0 || processes < 1 || number < 1 || (strcmp(argv[3], "fork") == 0 && number > MOST_FORKS)) {
		fprintf(stderr, "usage: growth RANGES PROCESSES work|wait SECONDS | RANGES PROCESSES fork NUMBER\n");
		return 64;
	}
	if ((ranges && !registered(ranges)) || !crowd(processes))
		return 1;
	printf("ready\n");
	fflush(stdout);
	if (strcmp(argv[3], "work") == 0)
		work(number);
	else if (strcmp(argv[3], "fork") == 0)
		fork_often((int)number);
	else
		usleep((useconds_t)(1e6 * number));
	return 0;
}

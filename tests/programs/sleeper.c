// SPDX-License-Identifier: GPL-2.0
// Threads and processes that work a little and then sleep in the kernel: in read(), nanosleep() and futex().
//
// Usage: sleeper [COUNT]: COUNT of each kind, 4 if not given. They sleep until SIGUSR1 arrives at the first process,
// work once more, and end; "awake" is printed when all have ended without a fault.
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "work.h"

struct shared {
	volatile int stop;
	int futex;
};

static struct shared *shared;
static int wake_pipe[2];

static void work_a_little(void)
{
	double end = work_clock(CLOCK_THREAD_CPUTIME_ID) + 0.05;

	WORK_UNTIL(CLOCK_THREAD_CPUTIME_ID, end)
		work_sink += work_recurse(30, 1);
}

static void sleep_in_read(void)
{
	char byte;

	if (read(wake_pipe[0], &byte, 1) < 0)
		perror("sleeper: read");
}

/* In slices, so that everybody notices the end. */
static void sleep_in_nanosleep(void)
{
	struct timespec slice = { 0, 50000000 };

	while (!shared->stop)
		nanosleep(&slice, NULL);
}

static void sleep_in_futex(void)
{
	while (!shared->stop)
		syscall(SYS_futex, &shared->futex, FUTEX_WAIT, 0, NULL, NULL, 0);
}

static void (*const kinds[])(void) = { sleep_in_read, sleep_in_nanosleep, sleep_in_futex };

static void *one_sleeper(void *kind)
{
	work_a_little();
	(*(void (**)(void))kind)();
	work_a_little();
	return NULL;
}

static void sleep_in_threads(void)
{
	pthread_t thread;

	for (unsigned int kind = 1; kind < 3; kind++)
		pthread_create(&thread, NULL, one_sleeper, (void *)&kinds[kind]);
	sleep_in_read();
	pthread_exit(NULL);
}

/* Only the first process may keep the pipe's write end, or read() would never end. */
static int fork_without_pipe(void)
{
	int child = fork();

	if (child == 0)
		close(wake_pipe[1]);
	return child;
}

static void start_sleepers(int count)
{
	for (int i = 0; i < count; i++) {
		for (unsigned int kind = 0; kind < 3; kind++) {
			if (fork_without_pipe() == 0) {
				one_sleeper((void *)&kinds[kind]);
				_exit(0);
			}
		}
		if (fork_without_pipe() == 0)
			sleep_in_threads();
	}
}

static int wait_for_all(void)
{
	int status, bad = 0;

	while (wait(&status) > 0)
		bad += status != 0;
	return bad;
}

int main(int argc, char **argv)
{
	int count = argc > 1 ? atoi(argv[1]) : 4, signo, bad;
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED || pipe(wake_pipe) != 0)
		return 1;
	start_sleepers(count);
	close(wake_pipe[0]);
	sigwait(&set, &signo);
	shared->stop = 1;
	shared->futex = 1;
	syscall(SYS_futex, &shared->futex, FUTEX_WAKE, 1 << 30, NULL, NULL, 0);
	close(wake_pipe[1]);
	bad = wait_for_all();
	printf("%s\n", bad ? "faulted" : "awake");
	return bad != 0;
}

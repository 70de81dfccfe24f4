// SPDX-License-Identifier: GPL-2.0
// Sixteen processes of four threads that fork, execute, load a library, fault and get signals all the time, and end now and then:
// storm_victim SECONDS PLUGIN. At its end it says how often what was done.
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "work.h"

#define PROCESSES 16
#define THREADS   4
#define LIFE_S    2.0 /* of a process, at most */

enum { FORK, EXECUTE, LOAD, FAULT, SIGNAL, WORK, LIFE, NR_DEEDS };

static const char *const names[NR_DEEDS] = { "forks", "executions", "loads", "faults", "signals", "works", "lives" };

/* Shared by all processes. */
struct counts {
	_Atomic long done[NR_DEEDS];
};

static struct counts *counts;

static const char *self, *plugin;
static double process_end;

static void on_signal(int number)
{
	(void)number;
	work_sink += work_recurse(4, 1);
}

static void do_fork(void)
{
	pid_t child = fork();

	if (child == 0) {
		work_sink += work_recurse(6, 1);
		_exit(0);
	}
	if (child > 0)
		waitpid(child, NULL, 0);
}

static void do_execute(void)
{
	char *arguments[] = { (char *)self, "brief", NULL };
	pid_t child;

	if (posix_spawn(&child, self, NULL, NULL, arguments, NULL) == 0)
		waitpid(child, NULL, 0);
}

static void do_load(void)
{
	void *library = dlopen(plugin, RTLD_NOW);

	if (library)
		dlclose(library);
}

static void do_fault(void)
{
	const size_t bytes = 16 * 4096;
	char *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		return;
	for (size_t i = 0; i < bytes; i += 4096)
		memory[i] = 1;
	munmap(memory, bytes);
}

static void do_signal(void)
{
	pthread_kill(pthread_self(), SIGUSR1);
}

static void do_work(void)
{
	work_sink += work_recurse(12, 1);
}

static void (*const deeds[])(void) = { do_fork, do_execute, do_load, do_fault, do_signal, do_work };

/* Work is the most frequent, and to execute a program the rarest, as it costs most. */
static int choose(uint64_t x)
{
	static const unsigned char chances[16] = { FORK, EXECUTE, LOAD, FAULT, FAULT, FAULT, SIGNAL, SIGNAL,
						   WORK, WORK,    WORK, WORK,  WORK,  WORK,  WORK,   WORK };

	return chances[x % 16];
}

static void *run_thread(void *seed)
{
	uint64_t x = (uintptr_t)seed;

	while (work_clock(CLOCK_BOOTTIME) < process_end) {
		int deed = choose((x = work_mix(x, 3)) >> 20);

		deeds[deed]();
		atomic_fetch_add(&counts->done[deed], 1);
	}
	return NULL;
}

static void run_process(unsigned int seed, double end)
{
	double life = LIFE_S * (1 + seed % 4) / 4, now = work_clock(CLOCK_BOOTTIME);
	pthread_t threads[THREADS];
	int i, nr = 0;

	process_end = now + life < end ? now + life : end;
	for (i = 0; i < THREADS; i++)
		nr += pthread_create(&threads[nr], NULL, run_thread, (void *)(uintptr_t)(seed * THREADS + i + 1)) == 0;
	/* Every other process ends under its threads. */
	for (i = 0; i < nr && seed % 2; i++)
		pthread_join(threads[i], NULL);
	if (seed % 2 == 0)
		usleep((useconds_t)(life * 5e5));
	_exit(0);
}

int main(int argc, char **argv)
{
	double end = work_clock(CLOCK_BOOTTIME) + work_seconds(argc, argv);
	unsigned int seed = 0, running = 0;

	if (argc == 2 && strcmp(argv[1], "brief") == 0)
		return work_recurse(6, 1) == 0;
	self = argv[0];
	plugin = argc > 2 ? argv[2] : "./plugin.so";
	signal(SIGUSR1, on_signal);
	counts = mmap(NULL, sizeof(*counts), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (counts == MAP_FAILED)
		return 1;
	while (work_clock(CLOCK_BOOTTIME) < end || running) {
		while (running < PROCESSES && work_clock(CLOCK_BOOTTIME) < end) {
			pid_t child = fork();

			seed++;
			if (child == 0)
				run_process(seed, end);
			if (child < 0)
				break;
			running++;
		}
		if (wait(NULL) > 0) {
			running--;
			counts->done[LIFE]++;
		}
	}
	for (int i = 0; i < NR_DEEDS; i++)
		printf("%s%s %ld", i ? ", " : "", names[i], counts->done[i]);
	putchar('\n');
	return 0;
}

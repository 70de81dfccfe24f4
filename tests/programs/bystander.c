// SPDX-License-Identifier: GPL-2.0
// How long a process that does nothing unusual waits for its own mappings and children, while others do what they like: at
// real-time priority, so that it waits for locks, and not for a processor.
//
// Usage: bystander [SECONDS [PAUSE_MS]]   prints one line: the worst and the median microseconds of each; in between it sleeps
//        bystander worker SECONDS       the others: works on each processor, and prints how much it did there in a second
//        bystander mapper NUMBER [SECONDS]   a process of so many mappings, whose children are sampled when they begin
//        bystander bound NUMBER [SECONDS]    the same, of a process that has registered a section
#include <fcntl.h>
#include <sched.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "section.h"
#include "work.h"

#define MOST 1000000 /* of each kind */

extern char **environ;

struct series {
	const char *name;
	unsigned int count;
	float us[MOST];
};

static struct series maps = { .name = "mmap" }, forks = { .name = "fork" }, execs = { .name = "exec" };

static void took(struct series *series, double start)
{
	if (series->count < MOST)
		series->us[series->count++] = (float)(1e6 * (work_clock(CLOCK_MONOTONIC) - start));
}

static int compare(const void *a, const void *b)
{
	float l = *(const float *)a, r = *(const float *)b;

	return (l > r) - (l < r);
}

static void print(struct series *series)
{
	if (series->count == 0)
		return;
	qsort(series->us, series->count, sizeof(series->us[0]), compare);
	printf("%s: worst %.0f us, 99.9 %% %.0f us, median %.0f us, of %u   ", series->name,
	       (double)series->us[series->count - 1], (double)series->us[series->count - 1 - series->count / 1000],
	       (double)series->us[series->count / 2], series->count);
}

/* A file that everybody maps: its lock is shared. */
static void map_once(int fd)
{
	double start = work_clock(CLOCK_MONOTONIC);
	void *mapped = mmap(NULL, 65536, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);

	munmap(mapped, 65536);
	took(&maps, start);
}

static void fork_once(void)
{
	double start = work_clock(CLOCK_MONOTONIC);
	pid_t child = fork();

	if (child == 0)
		_exit(0);
	took(&forks, start);
	waitpid(child, NULL, 0);
}

static void exec_once(char *self)
{
	char *arguments[] = { self, "nothing", NULL };
	double start = work_clock(CLOCK_MONOTONIC);
	pid_t child;

	if (posix_spawn(&child, self, NULL, NULL, arguments, environ) == 0)
		waitpid(child, NULL, 0);
	took(&execs, start);
}

/* The C library: whoever forks has mapped it. */
static int open_shared(void)
{
	char line[512], *path;
	FILE *maps_file = fopen("/proc/self/maps", "re");
	int fd = -1;

	while (maps_file && fd < 0 && fgets(line, sizeof(line), maps_file)) {
		path = strchr(line, '/');
		if (path && strstr(path, "libc")) {
			path[strcspn(path, "\n")] = '\0';
			fd = open(path, O_RDONLY | O_CLOEXEC);
		}
	}
	if (maps_file)
		fclose(maps_file);
	return fd;
}

static int watch(double seconds, unsigned int pause_ms, char *self)
{
	double end = work_clock(CLOCK_MONOTONIC) + seconds;
	struct sched_param first = { .sched_priority = 50 };
	int fd = open_shared();

	if (fd < 0 || sched_setscheduler(0, SCHED_FIFO, &first) != 0) {
		perror("bystander");
		return 1;
	}
	while (work_clock(CLOCK_MONOTONIC) < end) {
		for (int i = 0; i < 50; i++)
			map_once(fd);
		fork_once();
		exec_once(self);
		usleep(pause_ms * 1000);
	}
	print(&maps);
	print(&forks);
	print(&execs);
	puts("");
	return 0;
}

/* Neighbours differ, so that they stay apart; each second page is one of a shared file. */
static void map_many(long number)
{
	long page = sysconf(_SC_PAGESIZE);
	int fd = open_shared();

	for (long i = 0; i < number; i++)
		if (mmap(NULL, (size_t)page, i % 2 ? PROT_READ : PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0) ==
		    MAP_FAILED)
			exit(1);
}

static int map_and_fork(long number, double seconds)
{
	double end = work_clock(CLOCK_MONOTONIC) + seconds;

	map_many(number);
	while (work_clock(CLOCK_MONOTONIC) < end) {
		pid_t child = fork();

		if (child == 0) {
			double until = work_clock(CLOCK_PROCESS_CPUTIME_ID) + 0.01;

			WORK_UNTIL(CLOCK_PROCESS_CPUTIME_ID, until)
				work_sink += work_recurse(9, 1);
			_exit(0);
		}
		waitpid(child, NULL, 0);
	}
	return 0;
}

/* Before it has too many mappings for that. */
static void bind_section(void)
{
	int device = open(UWIND_SELF_DEVICE, O_RDWR | O_CLOEXEC);

	if (device < 0 || section_add(device, 4096, 0) == MAP_FAILED) {
		perror("bystander: a section");
		exit(1);
	}
}

static void work_on(int cpu, double seconds)
{
	double end = work_clock(CLOCK_MONOTONIC) + seconds;
	uint64_t done = 0;
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set) != 0)
		_exit(1);
	while (work_clock(CLOCK_MONOTONIC) < end) {
		work_sink += work_recurse(20, 1);
		done++;
	}
	printf("%.0f\n", (double)done / seconds);
	exit(0);
}

static int work_everywhere(double seconds)
{
	long nr = sysconf(_SC_NPROCESSORS_ONLN);
	int status, bad = 0;

	for (long cpu = 0; cpu < nr; cpu++)
		if (fork() == 0)
			work_on((int)cpu, seconds);
	while (wait(&status) > 0)
		bad |= status;
	return bad != 0;
}

int main(int argc, char **argv)
{
	const char *verb = argc > 1 ? argv[1] : "";

	if (strcmp(verb, "nothing") == 0)
		return 0;
	if (argc > 2 && strcmp(verb, "worker") == 0)
		return work_everywhere(atof(argv[2]));
	if (argc > 2 && strcmp(verb, "bound") == 0)
		bind_section();
	if (argc > 2 && (strcmp(verb, "mapper") == 0 || strcmp(verb, "bound") == 0))
		return map_and_fork(atol(argv[2]), work_seconds(argc - 2, argv + 2));
	return watch(work_seconds(argc, argv), argc > 2 ? (unsigned int)atoi(argv[2]) : 0, "/proc/self/exe");
}

// SPDX-License-Identifier: GPL-2.0
// Whether others wait when somebody registers his first section while a lock of his own is held: prints "ok RULE" or "FAIL RULE".
//
// Usage: cut_lock SECONDS
//
// As root, with the module loaded, and cgroup2 where it usually is. A process cuts a file off again and again, which it has mapped
// many times, in a control group that gives it a hundredth of a processor: the file's lock is held for most of a second, again
// and again. Children have that file mapped behind all libraries, so that every other lock of theirs is taken before it, and register
// a section. Another process maps what all of them run. Time in which a processor stands still, as on a host that is busy, is
// not counted: beside it a process on each processor reads the clock again and again, and does nothing else.
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>

#include "check.h"
#include "section.h"
#include "slow_cgroup.h"
#include "work.h"

#define NR_MAPPINGS 2000
#define LONG_WAIT_S 0.4  /* the lock is held for up to a second */
#define MOST_SHARE  0.4  /* of the time, in long waits: one lock may be taken right after the module has looked at it */
#define MOST_STEP_S 0.05 /* between two looks at the clock: what is above that the processor stood still */
#define NR_ERRNOS   135
#define NR_CHILDREN 16
#define MOST_CPUS   64

struct waits {
	double longest, sum; /* seconds; in sum are the long ones */
};

struct board {
	volatile double ran[MOST_CPUS];  /* seconds that the processor did not stand still; 0: it is none of ours */
	volatile int over;               /* who reads the clock may end */
	volatile int begun;              /* to cut the file off, in the control group */
	unsigned int results[NR_ERRNOS]; /* of registering, by errno */
};

static struct board *board;

static size_t page;

static void *map_shared(void *address, int flags, int fd)
{
	void *mapped = mmap(address, page, PROT_READ | PROT_WRITE, MAP_SHARED | flags, fd, 0);

	if (mapped == MAP_FAILED) {
		perror("cut_lock: a mapping");
		exit(1);
	}
	return mapped;
}

/* What was touched has page tables, which are looked through for each mapping whenever the file is cut off. */
static _Noreturn void cut_off(int fd)
{
	for (int i = 0; i < NR_MAPPINGS; i++)
		*(volatile char *)map_shared(NULL, 0, fd) = 1;
	slow_cgroup_enter(0);
	board->begun = 1; /* the first time may last until the end */
	for (;;)
		if (ftruncate(fd, 0) || ftruncate(fd, (off_t)page))
			exit(1);
}

/* One after the other: children that were made before, as fork() waits for that lock, too. */
static _Noreturn void register_section(int fd, int child, int nr_children, double seconds)
{
	char here, *behind_libraries = (char *)((uintptr_t)&here & ~(page - 1)) - (6 << 20);
	int device = open(UWIND_SELF_DEVICE, O_RDWR | O_CLOEXEC), error;

	map_shared(behind_libraries, MAP_FIXED_NOREPLACE, fd);
	while (!board->begun)
		usleep(1000);
	usleep((useconds_t)(1e6 * seconds * child / nr_children));
	error = section_add(device, page, 0) == MAP_FAILED ? errno : 0;
	__atomic_add_fetch(&board->results[error % NR_ERRNOS], 1, __ATOMIC_RELAXED);
	_exit(0);
}

/* Waits for locks from here on, not for a processor. */
static void be_first(int priority)
{
	const struct sched_param param = { .sched_priority = priority };

	sched_setscheduler(0, SCHED_FIFO, &param);
}

/* Maps nothing, so that no lock of the test's keeps it. */
static _Noreturn void read_clock(int cpu)
{
	double last = work_clock(CLOCK_MONOTONIC), now;
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		exit(1);
	be_first(51);
	while (!board->over) {
		usleep(1000);
		now = work_clock(CLOCK_MONOTONIC);
		board->ran[cpu] += now - last < MOST_STEP_S ? now - last : MOST_STEP_S;
		last = now;
	}
	_exit(0);
}

static void start_clock(int cpu)
{
	pid_t pid = fork();

	if (pid == 0)
		read_clock(cpu);
	while (!board->ran[cpu]) {
		if (waitpid(pid, NULL, WNOHANG)) {
			fprintf(stderr, "cut_lock: nobody reads the clock of processor %d\n", cpu);
			exit(1);
		}
		usleep(1000);
	}
}

static void start_clocks(void)
{
	cpu_set_t set;

	sched_getaffinity(0, sizeof(set), &set);
	for (int cpu = 0; cpu < MOST_CPUS; cpu++)
		if (CPU_ISSET(cpu, &set))
			start_clock(cpu);
}

/* The seconds since before, of the processor that stood still for longest. */
static double time_since(const double before[MOST_CPUS])
{
	double least = 1e9;

	for (int cpu = 0; cpu < MOST_CPUS; cpu++)
		if (before[cpu] && board->ran[cpu] - before[cpu] < least)
			least = board->ran[cpu] - before[cpu];
	return least;
}

static void read_clocks(double now[MOST_CPUS])
{
	for (int cpu = 0; cpu < MOST_CPUS; cpu++)
		now[cpu] = board->ran[cpu];
}

/* How long mapping the common file took. */
static struct waits measure_waits(double seconds)
{
	struct waits waits = {};
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	double end = work_clock(CLOCK_MONOTONIC) + seconds, wait, before[MOST_CPUS];

	be_first(50);
	while (work_clock(CLOCK_MONOTONIC) < end) {
		read_clocks(before);
		munmap(mmap(NULL, page, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0), page);
		wait = time_since(before);
		waits.longest = wait > waits.longest ? wait : waits.longest;
		waits.sum += wait >= LONG_WAIT_S ? wait : 0;
		usleep(1000);
	}
	return waits;
}

int main(int argc, char **argv)
{
	double seconds = argc == 2 ? atof(argv[1]) : 0;
	int fd = memfd_create("cut", MFD_CLOEXEC);
	struct waits waits;
	pid_t cutter;
	char detail[64];

	page = (size_t)sysconf(_SC_PAGESIZE);
	board = mmap(NULL, sizeof(*board), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (seconds <= 0 || fd < 0 || ftruncate(fd, (off_t)page)) {
		fprintf(stderr, "usage: cut_lock SECONDS\n");
		return 64;
	}
	slow_cgroup_make(0);
	start_clocks();
	for (int i = 0; i < NR_CHILDREN; i++)
		if (fork() == 0)
			register_section(fd, i, NR_CHILDREN, seconds);
	cutter = fork();
	if (cutter == 0)
		cut_off(fd);
	while (!board->begun && waitpid(cutter, NULL, WNOHANG) == 0)
		usleep(1000);
	board->begun = 1; /* the children end, even if it has */
	waits = measure_waits(seconds);
	board->over = 1;
	check("the file is cut off all the time", waitpid(cutter, NULL, WNOHANG) == 0, "its process has ended");
	slow_cgroup_let_go();
	kill(cutter, SIGKILL);
	while (wait(NULL) > 0)
		;
	rmdir(SLOW_CGROUP);
	snprintf(detail, sizeof(detail), "%.0f ms in long waits", 1e3 * waits.sum);
	printf("     %u sections were registered, %u refused; %s; the longest wait was %.0f ms\n", board->results[0],
	       board->results[EBUSY], detail, 1e3 * waits.longest);
	check("others do not wait for whoever holds a lock of his own", waits.sum < MOST_SHARE * seconds, detail);
	check("sections are registered, or refused", board->results[0] + board->results[EBUSY] == NR_CHILDREN,
	      "another error");
	return check_failures != 0;
}

// SPDX-License-Identifier: GPL-2.0
// Whether others wait when somebody registers his first section while a lock of his own is held: prints "ok RULE" or "FAIL RULE".
//
// Usage: cut_lock SECONDS
//
// As root, with the module loaded, and cgroup2 where it usually is. A process cuts a file off again and again, which it has mapped
// many times, in a control group that gives it a hundredth of a processor: the file's lock is held for most of a second, again
// and again. Children have that file mapped behind all libraries, so that every other lock of theirs is taken before it, and register
// a section. Another process maps what all of them run.
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>

#include "check.h"
#include "section.h"
#include "slow_cgroup.h"
#include "work.h"

#define NR_MAPPINGS 2000
#define MOST_WAIT_S 0.4 /* the lock is held for up to a second */
#define NR_ERRNOS   135
#define NR_CHILDREN 16

struct board {
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

/* The longest that mapping the common file took. At real-time priority: it waits for locks, not for a processor. */
static double longest_wait(double seconds)
{
	const struct sched_param priority = { .sched_priority = 50 };
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	double now = work_clock(CLOCK_MONOTONIC), end = now + seconds, longest = 0;

	sched_setscheduler(0, SCHED_FIFO, &priority);
	while (now < end) {
		munmap(mmap(NULL, page, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0), page);
		if (work_clock(CLOCK_MONOTONIC) - now > longest)
			longest = work_clock(CLOCK_MONOTONIC) - now;
		usleep(1000);
		now = work_clock(CLOCK_MONOTONIC);
	}
	return longest;
}

int main(int argc, char **argv)
{
	double seconds = argc == 2 ? atof(argv[1]) : 0, longest;
	int fd = memfd_create("cut", MFD_CLOEXEC);
	pid_t cutter;
	char detail[64];

	page = (size_t)sysconf(_SC_PAGESIZE);
	board = mmap(NULL, sizeof(*board), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (seconds <= 0 || fd < 0 || ftruncate(fd, (off_t)page)) {
		fprintf(stderr, "usage: cut_lock SECONDS\n");
		return 64;
	}
	slow_cgroup_make(0);
	for (int i = 0; i < NR_CHILDREN; i++)
		if (fork() == 0)
			register_section(fd, i, NR_CHILDREN, seconds);
	cutter = fork();
	if (cutter == 0)
		cut_off(fd);
	while (!board->begun && waitpid(cutter, NULL, WNOHANG) == 0)
		usleep(1000);
	board->begun = 1; /* the children end, even if it has */
	longest = longest_wait(seconds);
	check("the file is cut off all the time", waitpid(cutter, NULL, WNOHANG) == 0, "its process has ended");
	slow_cgroup_let_go();
	kill(cutter, SIGKILL);
	while (wait(NULL) > 0)
		;
	rmdir(SLOW_CGROUP);
	snprintf(detail, sizeof(detail), "%.0f ms", 1e3 * longest);
	printf("     %u sections were registered, %u refused; the longest wait was %s\n", board->results[0],
	       board->results[EBUSY], detail);
	check("others do not wait for whoever holds a lock of his own", longest < MOST_WAIT_S, detail);
	check("sections are registered, or refused", board->results[0] + board->results[EBUSY] == NR_CHILDREN,
	      "another error");
	return check_failures != 0;
}

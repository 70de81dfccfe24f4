// SPDX-License-Identifier: GPL-2.0
// Does one thing as often as it is asked, each time by the same function, and once somebody opens the FIFO, if one is named:
//   events_victim calls|faults|signals|switches|traced TIMES [FIFO]
// It stays on its CPU: the kernel runs the handlers of a probe in user space one after the other, one for each CPU, and a
// thread that is moved in between meets two that are its, or none. Two pages of a mapping are given back before each fault,
// so that no fault stands for several pages. It says how often it was switched off meanwhile: because it waited, and
// otherwise.
#include <err.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "work.h"

static volatile sig_atomic_t handled;

static void handler(int signal)
{
	(void)signal;
	handled = handled + 1;
}

/* What is around the calls keeps them from becoming jumps. */
static __attribute__((noinline)) long do_call(long i)
{
	return syscall(SYS_getppid) + i;
}

static __attribute__((noinline)) long do_fault(long i)
{
	static char *pages;
	long size = sysconf(_SC_PAGESIZE);

	if (!pages)
		pages = mmap(NULL, 2 * size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (pages == MAP_FAILED || madvise(pages, 2 * size, MADV_DONTNEED))
		err(1, "pages");
	*(volatile char *)pages = 1;
	return i + 1;
}

static __attribute__((noinline)) long do_signal(long i)
{
	raise(SIGUSR1);
	return handled + i;
}

static __attribute__((noinline)) long do_switch(long i)
{
	struct timespec moment = { 0, 100000 };

	nanosleep(&moment, NULL);
	return i + 1;
}

/* Its first instruction is none that a kernel refuses to probe. */
__attribute__((noinline)) long traced_function(long i)
{
	work_sink = work_sink + i;
	return i + 1;
}

static __attribute__((noinline)) long do_traced(long i)
{
	return traced_function(i) + 1;
}

static const struct {
	const char *name;
	long (*act)(long i);
} kinds[] = {
	{ "calls", do_call },      { "faults", do_fault },  { "signals", do_signal },
	{ "switches", do_switch }, { "traced", do_traced },
};

static void stay_here(void)
{
	cpu_set_t here;

	CPU_ZERO(&here);
	CPU_SET(sched_getcpu(), &here);
	if (sched_setaffinity(0, sizeof(here), &here))
		err(1, "sched_setaffinity");
}

/* One call first: who records calls learns by it of the program. */
static void wait_for(const char *fifo)
{
	int fd;

	getppid();
	fd = open(fifo, O_RDONLY);
	if (fd < 0)
		err(1, "%s", fifo);
	close(fd);
}

int main(int argc, char **argv)
{
	long times = argc >= 3 ? atol(argv[2]) : 0;
	struct rusage before, after;

	signal(SIGUSR1, handler);
	stay_here();
	for (size_t kind = 0; times && kind < sizeof(kinds) / sizeof(kinds[0]); kind++) {
		if (strcmp(argv[1], kinds[kind].name))
			continue;
		if (argc > 3)
			wait_for(argv[3]);
		getrusage(RUSAGE_SELF, &before);
		for (long i = 0; i < times; i++)
			work_sink = work_sink + kinds[kind].act(i);
		getrusage(RUSAGE_SELF, &after);
		printf("%ld %ld\n", after.ru_nvcsw - before.ru_nvcsw, after.ru_nivcsw - before.ru_nivcsw);
		return 0;
	}
	errx(2, "usage: events_victim calls|faults|signals|switches|traced TIMES [FIFO]");
}

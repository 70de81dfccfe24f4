// SPDX-License-Identifier: GPL-2.0
// Is off its CPU for one reason as often as it is asked, each time in the same function, and says how long in all, in ns:
// offcpu_victim sleeps|locks|pipes|faults|copies|preempted TIMES. The thread that ends a wait does so in do_wake(). Waits are the
// time that passed, less the processor time that was used; how long others kept it from running, only the kernel knows.
#include <err.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "work.h"

#define WAIT_NS 100000000L /* each time */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int requests[2], answers[2], faults, zeros, schedstat;
static char *page;
static long page_bytes;

static long ns_of(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return now.tv_sec * 1000000000L + now.tv_nsec;
}

/* Goes on while this thread is off its CPU. */
static long away_ns(void)
{
	return ns_of(CLOCK_MONOTONIC) - ns_of(CLOCK_THREAD_CPUTIME_ID);
}

static void pass_time(void)
{
	struct timespec time = { 0, WAIT_NS };

	nanosleep(&time, NULL);
}

static void tell(int fd)
{
	if (write(fd, "", 1) != 1)
		err(1, "write");
}

static int heard(int fd)
{
	char byte;

	return read(fd, &byte, 1) == 1;
}

/* Each returns how long it waited. What is around the calls keeps them from becoming jumps. */
static __attribute__((noinline)) long do_sleep(void)
{
	long start = away_ns();

	pass_time();
	return away_ns() - start;
}

/* The other thread has it. */
static __attribute__((noinline)) long do_lock(void)
{
	long start = away_ns();

	pthread_mutex_lock(&lock);
	start = away_ns() - start;
	pthread_mutex_unlock(&lock);
	return start;
}

/* The other thread is about to write. */
static __attribute__((noinline)) long do_read(void)
{
	long start = away_ns();

	heard(answers[0]);
	return away_ns() - start;
}

static __attribute__((noinline)) long do_fault(void)
{
	long start;

	if (madvise(page, page_bytes, MADV_DONTNEED))
		err(1, "madvise");
	start = away_ns();
	work_sink = work_sink + *(volatile char *)page;
	return away_ns() - start;
}

/* It is the kernel that touches the page. */
static __attribute__((noinline)) long do_copy(void)
{
	long start;

	if (madvise(page, page_bytes, MADV_DONTNEED))
		err(1, "madvise");
	start = away_ns();
	if (read(zeros, page, 1) != 1)
		err(1, "/dev/zero");
	return away_ns() - start;
}

/* ns that the main thread was ready to run, and did not. */
static __attribute__((noinline)) long delay_ns(void)
{
	char text[64] = "";
	long ran, waited;

	if (pread(schedstat, text, sizeof(text) - 1, 0) < 0 || sscanf(text, "%ld %ld", &ran, &waited) != 2)
		err(1, "/proc/self/schedstat");
	return waited;
}

/* For as long as a wait. */
static __attribute__((noinline)) long do_run(void)
{
	long before = delay_ns(), start = ns_of(CLOCK_MONOTONIC);

	while (ns_of(CLOCK_MONOTONIC) - start < WAIT_NS)
		work_sink = work_sink + 1;
	return delay_ns() - before;
}

static __attribute__((noinline)) void do_wake(long (*wake)(void))
{
	work_sink = work_sink + wake();
}

static long give_lock(void)
{
	return pthread_mutex_unlock(&lock);
}

static long give_byte(void)
{
	tell(answers[1]);
	return 1;
}

static long give_page(void)
{
	struct uffdio_zeropage given = { .range = { (uintptr_t)page, page_bytes } };

	return ioctl(faults, UFFDIO_ZEROPAGE, &given);
}

static void *hold_lock(void *unused)
{
	while (heard(requests[0])) {
		pthread_mutex_lock(&lock);
		tell(answers[1]);
		pass_time();
		do_wake(give_lock);
	}
	return unused;
}

static void *answer(void *unused)
{
	while (heard(requests[0])) {
		pass_time();
		do_wake(give_byte);
	}
	return unused;
}

static void *fetch_page(void *unused)
{
	struct uffd_msg message;

	while (read(faults, &message, sizeof(message)) == sizeof(message)) {
		pass_time();
		do_wake(give_page);
	}
	return unused;
}

static void *compete(void *unused)
{
	for (;;)
		work_sink = work_sink + 1;
	return unused;
}

static void prepare_faults(void)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register range = { .mode = UFFDIO_REGISTER_MODE_MISSING };

	page_bytes = sysconf(_SC_PAGESIZE);
	page = mmap(NULL, page_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	faults = syscall(SYS_userfaultfd, O_CLOEXEC);
	range.range = (struct uffdio_range){ (uintptr_t)page, page_bytes };
	if (page == MAP_FAILED || faults < 0 || ioctl(faults, UFFDIO_API, &api) ||
	    ioctl(faults, UFFDIO_REGISTER, &range))
		err(1, "userfaultfd");
}

static void prepare_copies(void)
{
	prepare_faults();
	zeros = open("/dev/zero", O_RDONLY);
	if (zeros < 0)
		err(1, "/dev/zero");
}

static void prepare_one_cpu(void)
{
	cpu_set_t first;

	CPU_ZERO(&first);
	CPU_SET(0, &first);
	if (sched_setaffinity(0, sizeof(first), &first))
		err(1, "sched_setaffinity");
	schedstat = open("/proc/self/schedstat", O_RDONLY);
	if (schedstat < 0)
		err(1, "/proc/self/schedstat");
}

static void nothing(void)
{
}

static void ask(void)
{
	tell(requests[1]);
}

static void let_lock(void)
{
	ask();
	heard(answers[0]);
}

static const struct {
	const char *name;
	void (*prepare)(void);
	void *(*other)(void *); /* a thread beside; NULL: none */
	void (*begin)(void);    /* each time */
	long (*act)(void);
} kinds[] = {
	{ "sleeps", nothing, NULL, nothing, do_sleep },
	{ "locks", nothing, hold_lock, let_lock, do_lock },
	{ "pipes", nothing, answer, ask, do_read },
	{ "faults", prepare_faults, fetch_page, nothing, do_fault },
	{ "copies", prepare_copies, fetch_page, nothing, do_copy },
	{ "preempted", prepare_one_cpu, compete, nothing, do_run },
};

int main(int argc, char **argv)
{
	long times = argc == 3 ? atol(argv[2]) : 0, sum = 0;
	pthread_t other;

	if (pipe(requests) || pipe(answers))
		err(1, "pipe");
	for (size_t kind = 0; argc == 3 && kind < sizeof(kinds) / sizeof(kinds[0]); kind++) {
		if (strcmp(argv[1], kinds[kind].name))
			continue;
		kinds[kind].prepare();
		if (kinds[kind].other && pthread_create(&other, NULL, kinds[kind].other, NULL))
			errx(1, "pthread_create");
		for (long i = 0; i < times; i++) {
			kinds[kind].begin();
			sum += kinds[kind].act();
		}
		printf("%ld\n", sum);
		return 0;
	}
	errx(2, "usage: offcpu_victim sleeps|locks|pipes|faults|copies|preempted TIMES");
}

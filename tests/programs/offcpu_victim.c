// SPDX-License-Identifier: GPL-2.0
// The main thread is off its CPU for one reason TIMES times, each time in the same function.
//
// Usage: offcpu_victim sleeps|locks|pipes|faults|preempted TIMES [MS]      MS: the length of each time, 100 by default
//
// Prints three numbers: the least and the most time, in ns, that the thread was off its CPU in that function in all, and how
// many of the TIMES it waited. A preempted thread's least time is the exact one, from the kernel. The thread that ends a wait
// does so in do_wake(), MS after it has seen that the main thread waits: no wait is shorter or left out on a busy machine.
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
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "work.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int requests[2], answers[2], faults, schedstat, main_call;
static char *page;
static long page_bytes, wait_ns = 100000000;

static long ns_of(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return now.tv_sec * 1000000000L + now.tv_nsec;
}

/*
 * Time off the CPU is time that has passed, less processor time. One clock is read after the other: what happens to the
 * thread in between makes the first of these too small, and the second too large.
 */
static long away_at_least(void)
{
	long now = ns_of(CLOCK_MONOTONIC);

	return now - ns_of(CLOCK_THREAD_CPUTIME_ID);
}

static long away_at_most(void)
{
	long used = ns_of(CLOCK_THREAD_CPUTIME_ID);

	return ns_of(CLOCK_MONOTONIC) - used;
}

static void sleep_ns(long ns)
{
	struct timespec time = { ns / 1000000000, ns % 1000000000 };

	nanosleep(&time, NULL);
}

/*
 * Whether the main thread waits in that system call, -1: in none. Of a thread that can run, or is only about to wait,
 * the kernel says "running".
 */
static int main_waits_in(long call)
{
	char text[256] = "";
	long found;

	if (pread(main_call, text, sizeof(text) - 1, 0) < 0)
		err(1, "/proc/self/task/.../syscall");
	return sscanf(text, "%ld", &found) == 1 && found == call;
}

/* Lets the main thread's wait in that system call last wait_ns at least. */
static void let_wait(long call)
{
	while (!main_waits_in(call))
		sleep_ns(1000000);
	sleep_ns(wait_ns);
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

/* Each do_*() returns how long it waited at least. What is around the calls keeps them from becoming jumps. */
static __attribute__((noinline)) long do_sleep(void)
{
	long start = away_at_most();

	sleep_ns(wait_ns);
	return away_at_least() - start;
}

/* The other thread has it. */
static __attribute__((noinline)) long do_lock(void)
{
	long start = away_at_most();

	pthread_mutex_lock(&lock);
	start = away_at_least() - start;
	pthread_mutex_unlock(&lock);
	return start;
}

/* The other thread is about to write. */
static __attribute__((noinline)) long do_read(void)
{
	long start = away_at_most();

	heard(answers[0]);
	return away_at_least() - start;
}

static __attribute__((noinline)) long do_fault(void)
{
	long start;

	if (madvise(page, page_bytes, MADV_DONTNEED))
		err(1, "madvise");
	start = away_at_most();
	work_sink = work_sink + *(volatile char *)page;
	return away_at_least() - start;
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

	while (ns_of(CLOCK_MONOTONIC) - start < wait_ns)
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
	struct uffdio_zeropage zeros = { .range = { (uintptr_t)page, page_bytes } };

	return ioctl(faults, UFFDIO_ZEROPAGE, &zeros);
}

static void *hold_lock(void *unused)
{
	while (heard(requests[0])) {
		pthread_mutex_lock(&lock);
		tell(answers[1]);
		let_wait(SYS_futex);
		do_wake(give_lock);
	}
	return unused;
}

static void *answer(void *unused)
{
	while (heard(requests[0])) {
		let_wait(SYS_read);
		do_wake(give_byte);
	}
	return unused;
}

static void *fetch_page(void *unused)
{
	struct uffd_msg message;

	while (read(faults, &message, sizeof(message)) == sizeof(message)) {
		let_wait(-1);
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

struct kind {
	const char *name;
	void (*prepare)(void);
	void *(*other)(void *); /* a thread beside; NULL: none */
	void (*begin)(void);    /* each time */
	long (*act)(void);
};

static const struct kind kinds[] = {
	{ "sleeps", nothing, NULL, nothing, do_sleep },
	{ "locks", nothing, hold_lock, let_lock, do_lock },
	{ "pipes", nothing, answer, ask, do_read },
	{ "faults", prepare_faults, fetch_page, nothing, do_fault },
	{ "preempted", prepare_one_cpu, compete, nothing, do_run },
};

static const struct kind *kind_named(const char *name)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (!strcmp(name, kinds[i].name))
			return &kinds[i];
	return NULL;
}

static void start_other(const struct kind *kind)
{
	char path[64];
	pthread_t other;

	snprintf(path, sizeof(path), "/proc/self/task/%d/syscall", getpid());
	main_call = open(path, O_RDONLY | O_CLOEXEC);
	if (main_call < 0)
		err(1, "%s", path);
	if (kind->other && pthread_create(&other, NULL, kind->other, NULL))
		errx(1, "pthread_create");
}

/* How often this thread has given up its CPU to wait. */
static long waits_so_far(void)
{
	struct rusage usage;

	if (getrusage(RUSAGE_THREAD, &usage))
		err(1, "getrusage");
	return usage.ru_nvcsw;
}

int main(int argc, char **argv)
{
	const struct kind *kind = argc == 3 || argc == 4 ? kind_named(argv[1]) : NULL;
	long least = 0, most = 0, waits = 0, start, before;

	if (!kind)
		errx(2, "usage: offcpu_victim sleeps|locks|pipes|faults|preempted TIMES [MS]");
	if (argc == 4)
		wait_ns = atol(argv[3]) * 1000000;
	if (pipe(requests) || pipe(answers))
		err(1, "pipe");
	kind->prepare();
	start_other(kind);
	for (long i = 0; i < atol(argv[2]); i++) {
		kind->begin();
		before = waits_so_far();
		start = away_at_least();
		least += kind->act();
		most += away_at_most() - start;
		waits += waits_so_far() > before;
	}
	printf("%ld %ld %ld\n", least, most, waits);
	return 0;
}

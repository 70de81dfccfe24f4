// SPDX-License-Identifier: GPL-2.0
// A thread whose outer frames are in memory that comes and goes, and is now and then registered for userfaultfd: whoever
// faults there would wait for this program, which never answers.
//
// Usage: armed_stack TIMES: how often it is registered. Exit 0 if nobody ever waited, 1 if somebody did, 2: it cannot be tried
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define STACK_BYTES (1u << 20)
#define INNER_BYTES (256u << 10) /* between the frame that is there and those that are not */

static char *stack;
static uintptr_t outer_frame;
static volatile int running, over;

static __attribute__((noinline)) int spin(void)
{
	volatile int turns = 0;

	running = 1;
	while (!over)
		turns++;
	return turns;
}

static __attribute__((noinline)) int outer(void)
{
	volatile char between[INNER_BYTES];

	between[0] = 0;
	outer_frame = (uintptr_t)__builtin_frame_address(0);
	return spin() + between[0];
}

/* Away from the thread's own variables, which the kernel writes to. There is no way back. */
static void *start(void *unused)
{
	volatile char between[INNER_BYTES];

	between[0] = unused != NULL;
	_exit(outer() + between[0]);
}

static void start_thread(void)
{
	pthread_attr_t attributes;
	pthread_t thread;

	stack = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pthread_attr_init(&attributes);
	pthread_attr_setstack(&attributes, stack, STACK_BYTES);
	if (stack == MAP_FAILED || pthread_create(&thread, &attributes, start, NULL))
		exit(2);
	while (!running)
		usleep(1000);
}

/* The page of the outer frame; nothing that the thread needs is in it. */
static struct uffdio_range outer_page(void)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);

	return (struct uffdio_range){ outer_frame & -page, page };
}

/* Whether somebody faulted there while it was registered. */
static int arm_once(int fd, struct uffdio_range range)
{
	struct uffdio_register arm = { .range = range, .mode = UFFDIO_REGISTER_MODE_MISSING };
	struct pollfd event = { .fd = fd, .events = POLLIN };
	int waits;

	madvise((void *)(uintptr_t)range.start, range.len, MADV_DONTNEED);
	usleep((unsigned int)rand() % 20000);
	if (ioctl(fd, UFFDIO_REGISTER, &arm) < 0)
		exit(2);
	waits = poll(&event, 1, 40) > 0;
	ioctl(fd, UFFDIO_UNREGISTER, &range);
	return waits;
}

int main(int argc, char **argv)
{
	int fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK), times = argc > 1 ? atoi(argv[1]) : 0,
	    waited = 0;
	struct uffdio_api api = { .api = UFFD_API };

	if (fd < 0 || ioctl(fd, UFFDIO_API, &api) < 0 || !times) {
		perror("armed_stack TIMES: userfaultfd");
		return 2;
	}
	start_thread();
	for (int i = 0; i < times; i++)
		waited += arm_once(fd, outer_page());
	printf("%d of %d times somebody waited\n", waited, times);
	fflush(stdout);
	_exit(waited != 0);
}

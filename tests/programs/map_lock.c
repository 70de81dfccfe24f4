// SPDX-License-Identifier: GPL-2.0
// Whether a thread that is sampled waits for its sibling, which holds the process's mmap_lock: prints "ok RULE" or
// "FAIL RULE". Removes the module meanwhile.
//
// Usage: map_lock SECONDS   for so long the lock is held
//
// As root, with the module loaded and two processors. A thread changes the rights of much memory at the lowest priority.
// Once it is at it, another process takes most of its processor, so that it keeps the lock: a control group that has used
// up its time does the same to it. A thousandth of the time it still has, as it may be preempted where RCU waits for it.
// Its sibling computes on the other processor.
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

#include "check.h"
#include "genl.h"
#include "uwind.h"

#define RATE_HZ      499
#define MEMORY_BYTES (256u << 20)
#define SETTLE_MS    20  /* then the lock's owner has hardly any processor     */
#define TRIES        50
#define LEAST_TURNS  100 /* of the sibling; one that waits for the lock makes none */

struct board {
	volatile int changing;  /* the memory map                                  */
	volatile int occupied;  /* the owner's processor                           */
	volatile long worst_ms; /* that the computing thread was away              */
	volatile long turns;
};

static struct board *board;

static long now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void sleep_ms(long ms)
{
	usleep(ms * 1000);
}

static void pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		exit(1);
}

static void *change(void *memory)
{
	const struct sched_param none = { 0 };

	pin(1);
	sched_setscheduler(0, SCHED_IDLE, &none);
	for (int i = 0;; i++) {
		board->changing = 1;
		mprotect(memory, MEMORY_BYTES, i % 2 ? PROT_READ | PROT_WRITE : PROT_READ);
		board->changing = 0;
		sleep_ms(1);
	}
	return NULL;
}

static void compute(void)
{
	long last = now_ms();

	pin(0);
	for (;; board->turns++) {
		long now = now_ms();

		if (now - last > board->worst_ms)
			board->worst_ms = now - last;
		last = now;
		for (volatile int i = 0; i < 10000; i++)
			;
	}
}

static void be_sampled(void)
{
	char *memory = mmap(NULL, MEMORY_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pthread_t thread;

	if (memory == MAP_FAILED)
		exit(1);
	madvise(memory, MEMORY_BYTES, MADV_NOHUGEPAGE);
	memset(memory, 1, MEMORY_BYTES);
	pthread_create(&thread, NULL, change, memory);
	compute();
}

static void occupy(void)
{
	pin(1);
	setpriority(PRIO_PROCESS, 0, -5);
	for (;;) {
		while (board->occupied)
			;
		sleep_ms(1);
	}
}

static pid_t start(void (*be)(void))
{
	pid_t pid = fork();

	if (pid == 0) {
		be();
		exit(1);
	}
	return pid;
}

/* The owner stays where it is. */
static int take_processor(void)
{
	for (int i = 0; i < TRIES; i++) {
		for (long end = now_ms() + 1000; !board->changing && now_ms() < end;)
			;
		board->occupied = 1;
		sleep_ms(SETTLE_MS);
		if (board->changing)
			return 1;
		board->occupied = 0;
		sleep_ms(SETTLE_MS);
	}
	return 0;
}

static int begin(int *reader)
{
	struct uwind_session_start arg = {
		.size = sizeof(arg),
		.flags = UWIND_SESSION_ALL | UWIND_SESSION_FREQUENCY,
		.rate = RATE_HZ,
	};
	int control = open(UWIND_DEVICE, O_RDWR | O_CLOEXEC);
	struct genl_message m;

	*reader = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC);
	genl_attach_message(&m, genl_family(), control, 1);
	if (send(*reader, &m, m.header.nlmsg_len, 0) < 0 || genl_acknowledged(*reader, 1) ||
	    ioctl(control, UWIND_IOC_SESSION_START, &arg)) {
		perror("a session");
		exit(1);
	}
	return control;
}

static void read_for(int reader, long ms)
{
	static char bytes[1 << 18];

	for (long end = now_ms() + ms; now_ms() < end; sleep_ms(5))
		while (recv(reader, bytes, sizeof(bytes), MSG_DONTWAIT) > 0)
			;
}

static uint64_t nr_busy(int control)
{
	struct uwind_stats stats = { .size = sizeof(stats) };

	return ioctl(control, UWIND_IOC_STATS, &stats) ? 0 : stats.stops[UWIND_STOP_BUSY];
}

static void check_sampled(long seconds)
{
	int reader, control = begin(&reader);
	uint64_t busy;
	char detail[96];
	long turns;

	read_for(reader, 1000); /* its mappings are known now */
	check("the lock's owner has hardly any processor", take_processor(), "it goes on");
	busy = nr_busy(control);
	board->worst_ms = 0;
	turns = board->turns;
	read_for(reader, seconds * 1000);
	busy = nr_busy(control) - busy;
	printf("     %llu stacks ended; its sibling was away for %ld ms at most, and made %ld turns\n", (unsigned long long)busy,
	       board->worst_ms, board->turns - turns);
	check("walks do not believe what they knew, and end", busy > 0, "none does");
	snprintf(detail, sizeof(detail), "%ld ms, %ld turns", board->worst_ms, board->turns - turns);
	check("who is sampled does not wait for it", board->turns - turns >= LEAST_TURNS, detail);
	close(control);
	close(reader);
}

int main(int argc, char **argv)
{
	long seconds = argc == 2 ? atol(argv[1]) : 0;
	pid_t sampled, occupier;

	if (!seconds) {
		fprintf(stderr, "usage: map_lock SECONDS\n");
		return 64;
	}
	board = mmap(NULL, sizeof(*board), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	sampled = start(be_sampled);
	occupier = start(occupy);
	check_sampled(seconds);
	printf("     the lock is %s\n", board->changing ? "held" : "free again");
	check_errno("the module can be removed", syscall(SYS_delete_module, "uwind", O_NONBLOCK), 0);
	kill(occupier, SIGKILL);
	kill(sampled, SIGKILL);
	while (wait(NULL) > 0)
		;
	return check_failures != 0;
}

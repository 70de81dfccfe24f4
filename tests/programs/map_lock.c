// SPDX-License-Identifier: GPL-2.0
// Whether a thread that is sampled waits for its sibling, which holds the process's mmap_lock: prints "ok RULE" or
// "FAIL RULE". Removes the module meanwhile.
//
// Usage: map_lock SECONDS   for so long the lock must be held, where a kernel has who holds it wait
//
// As root, with the module loaded, and cgroup2 where it usually is. A thread changes the rights of much memory, again and again,
// in a control group that gives it a hundredth of a processor: what it does in some milliseconds lasts for a second, and it has
// the lock meanwhile. Its sibling computes.
#include <pthread.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <sys/wait.h>

#include "check.h"
#include "clock.h"
#include "genl.h"
#include "slow_cgroup.h"
#include "uwind.h"

#define RATE_HZ      499
#define MEMORY_BYTES (256u << 20)
#define LEAST_TURNS  100   /* of the sibling; one that waits for the lock makes none */
#define LONGEST_MS   60000 /* to wait until the lock was held for long enough */
#define STEP_MS      5

struct board {
	volatile int begun;     /* to change the memory map, in the control group */
	volatile int wanted;    /* that it begins */
	volatile long worst_ms; /* that the computing thread was away */
	volatile long turns;
	volatile long asked; /* how often the lock was asked for by a third process */
	volatile long given; /* the last of them that got it */
};

static struct board *board;

static void sleep_ms(long ms)
{
	usleep(ms * 1000);
}

static void *change(void *memory)
{
	while (!board->wanted)
		sleep_ms(1);
	slow_cgroup_enter(1);
	board->begun = 1;
	for (int i = 0;; i++)
		mprotect(memory, MEMORY_BYTES, i % 2 ? PROT_READ | PROT_WRITE : PROT_READ);
	return NULL;
}

static _Noreturn void compute(void)
{
	long last = now_ms();

	for (;; board->turns++) {
		long now = now_ms();

		if (now - last > board->worst_ms)
			board->worst_ms = now - last;
		last = now;
		for (volatile int i = 0; i < 10000; i++)
			;
	}
}

static _Noreturn void be_sampled(void)
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

static pid_t start(void)
{
	pid_t pid = fork();

	if (pid == 0)
		be_sampled();
	return pid;
}

/* Reading another's memory takes the lock of its map on every kernel. */
static pid_t ask_for_lock(pid_t whose)
{
	pid_t pid = fork();
	char byte;
	struct iovec here = { &byte, 1 }, there = { board, 1 };

	if (pid)
		return pid;
	for (;; sleep_ms(1)) {
		board->asked++;
		process_vm_readv(whose, &here, 1, &there, 1, 0);
		board->given = board->asked;
	}
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

	for (long end = now_ms() + ms; now_ms() < end; sleep_ms(STEP_MS))
		while (recv(reader, bytes, sizeof(bytes), MSG_DONTWAIT) > 0)
			;
}

/* Until the lock was held for @ms in all. Returns for how long it was. */
static long read_while_held(int reader, long ms)
{
	long held = 0, end = now_ms() + LONGEST_MS;

	while (held < ms && now_ms() < end) {
		long asked = board->asked, begin = now_ms();

		read_for(reader, STEP_MS);
		if (asked != board->given && asked == board->asked)
			held += now_ms() - begin;
	}
	return held;
}

static uint64_t nr_busy(int control)
{
	struct uwind_stats stats = { .size = sizeof(stats) };

	return ioctl(control, UWIND_IOC_STATS, &stats) ? 0 : stats.stops[UWIND_STOP_BUSY];
}

/*
 * For so long the lock must be held. Since Linux 6.18 a thread whose control group has used up its time goes on until it
 * leaves the kernel, and has no lock for long.
 */
static long least_ms(long seconds)
{
	struct utsname kernel;
	unsigned int major = 0, minor = 0;

	uname(&kernel);
	sscanf(kernel.release, "%u.%u", &major, &minor);
	return major > 6 || (major == 6 && minor >= 18) ? 100 : seconds * 1000;
}

static void check_sampled(long least)
{
	int reader, control = begin(&reader);
	uint64_t busy;
	char detail[96];
	long turns, held;

	for (long end = now_ms() + LONGEST_MS; board->turns < LEAST_TURNS && now_ms() < end;)
		sleep_ms(1);    /* it has touched all that it uses: nothing of that takes the lock any more */
	read_for(reader, 1000); /* its mappings are known now */
	board->wanted = 1;
	while (!board->begun)
		sleep_ms(1);
	busy = nr_busy(control);
	board->worst_ms = 0;
	turns = board->turns;
	held = read_while_held(reader, least);
	busy = nr_busy(control) - busy;
	printf("     the lock was held for %ld ms, and %llu stacks ended; its sibling was away for %ld ms at most, and "
	       "made %ld turns\n",
	       held, (unsigned long long)busy, board->worst_ms, board->turns - turns);
	snprintf(detail, sizeof(detail), "%ld ms in %d", held, LONGEST_MS);
	check("the lock is held", held >= least, detail);
	check("walks do not believe what they knew, and end", busy > 0, "none does");
	snprintf(detail, sizeof(detail), "%ld ms, %ld turns", board->worst_ms, board->turns - turns);
	check("who is sampled does not wait for it", board->turns - turns >= LEAST_TURNS, detail);
	close(control);
	close(reader);
}

/* A walk that is running has a reference; here its task may be stopped in the midst of it until its processor comes back. */
static int remove_module(void)
{
	long end = now_ms() + LONGEST_MS;
	int result;

	do {
		result = syscall(SYS_delete_module, "uwind", O_NONBLOCK);
	} while (result < 0 && errno == EAGAIN && now_ms() < end && !usleep(STEP_MS * 1000));
	return result;
}

int main(int argc, char **argv)
{
	long seconds = argc == 2 ? atol(argv[1]) : 0;
	pid_t sampled, asking;

	if (!seconds) {
		fprintf(stderr, "usage: map_lock SECONDS\n");
		return 64;
	}
	board = mmap(NULL, sizeof(*board), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	slow_cgroup_make(1);
	sampled = start();
	asking = ask_for_lock(sampled);
	check_sampled(least_ms(seconds));
	check_errno("the module can be removed", remove_module(), 0);
	slow_cgroup_let_go();
	kill(sampled, SIGKILL);
	kill(asking, SIGKILL);
	while (wait(NULL) > 0)
		;
	check_errno("the control group goes", rmdir(SLOW_CGROUP), 0);
	return check_failures != 0;
}

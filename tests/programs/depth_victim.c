// SPDX-License-Identifier: GPL-2.0
// Threads whose stacks are of known depths: frames with large arrays, with what alloca() and variable arrays take, with
// arguments on the stack, and without anything.
//
// Usage: depth_victim hold           threads that spin: see below
//        depth_victim dip FRAMES     the process goes down so many frames once, and ends
//
// With hold, threads spin in shallow stacks. A first SIGUSR1 sends them down. Then "THREAD NAME TID" is printed for each, and
// below it "FUNCTION CFA" for its frames that know theirs, outermost first. A second one lets the thread "brief" come back up.
#include <alloca.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "work.h"

#define MOST_MARKS    64
#define SIGNAL_STACK  65536
#define LARGE_BYTES   16000
#define ALLOCA_BYTES  70000
#define ARRAY_NUMBERS 1234
#define LEVELS        20
#define FOR_EVER      99

struct descent {
	const char *name;
	uint64_t (*down)(uint64_t x);
	int phases; // so many signals let it come back up
	pid_t tid;
	int nr_marks;
	struct {
		const char *function;
		uintptr_t cfa;
	} marks[MOST_MARKS];
};

static volatile int phase; // how many signals have come
static int nr_down;
static __thread struct descent *self;

#define FRAME __attribute__((noinline, noclone))

// The CFA of the function that says so.
#define MARK() mark(__func__, (uintptr_t)__builtin_dwarf_cfa())

static FRAME void mark(const char *function, uintptr_t cfa)
{
	if (!self || self->nr_marks == MOST_MARKS)
		return;
	self->marks[self->nr_marks].function = function;
	self->marks[self->nr_marks++].cfa = cfa;
}

// A leaf: no frame at all.
static FRAME uint64_t leaf(int until, uint64_t x)
{
	while (phase < until)
		x ^= x << 13 | x >> 7;
	return x;
}

static FRAME uint64_t bottom(uint64_t x)
{
	MARK();
	if (self)
		__atomic_add_fetch(&nr_down, 1, __ATOMIC_SEQ_CST);
	return leaf(self ? self->phases : 0, x | 1) + 1;
}

static FRAME uint64_t small(uint64_t x)
{
	MARK();
	return bottom(x) + 1;
}

static FRAME uint64_t large(uint64_t x)
{
	volatile char room[LARGE_BYTES];

	MARK();
	room[x % LARGE_BYTES] = 1;
	return small(x) + (uint64_t)room[x % 7];
}

static FRAME uint64_t variable(uint64_t x, unsigned int numbers)
{
	volatile uint64_t room[numbers];

	MARK();
	room[x % numbers] = x;
	return large(x) + room[0];
}

static FRAME uint64_t arguments(uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e, uint64_t f, uint64_t g,
				uint64_t h, uint64_t i, uint64_t j, uint64_t k, uint64_t l, uint64_t m, uint64_t n)
{
	MARK();
	return variable(a + b + c + d + e + f + g, ARRAY_NUMBERS) + h + i + j + k + l + m + n;
}

static FRAME uint64_t recursion(uint64_t x, int levels)
{
	volatile uint64_t pad[5] = { x, x, x, x, x };

	MARK();
	if (!levels)
		return arguments(x, 2, 3, 4, 5, 6, 7, x, 9, 10, x, 12, 13, pad[4]) + pad[1];
	return recursion(x + 1, levels - 1) + pad[2];
}

static FRAME uint64_t all_kinds(uint64_t x)
{
	MARK();
	return recursion(x, LEVELS) + 1;
}

static FRAME uint64_t allocated(uint64_t x)
{
	volatile char *room = alloca(ALLOCA_BYTES + x % 3);

	MARK();
	room[x] = 1;
	return small(x) + (uint64_t)room[1];
}

static void on_signal(int signal, siginfo_t *unused, void *context)
{
	(void)unused, (void)context;
	MARK();
	work_sink += large((uint64_t)signal);
}

// Its handler has a stack of its own.
static FRAME uint64_t signalled(uint64_t x)
{
	static char room[SIGNAL_STACK];
	stack_t stack = { .ss_sp = room, .ss_size = SIGNAL_STACK };
	struct sigaction action = { .sa_sigaction = on_signal, .sa_flags = SA_ONSTACK | SA_SIGINFO };

	MARK();
	if (sigaltstack(&stack, NULL) || sigaction(SIGUSR2, &action, NULL) || pthread_kill(pthread_self(), SIGUSR2))
		abort();
	return x + 1;
}

static void *run(void *descent)
{
	self = descent;
	self->tid = (pid_t)syscall(SYS_gettid);
	work_sink += leaf(1, 1);
	work_sink += self->down(1);
	work_sink += leaf(FOR_EVER, 1);
	return NULL;
}

static struct descent descents[] = {
	{ .name = "main", .down = all_kinds, .phases = FOR_EVER },
	{ .name = "thread", .down = all_kinds, .phases = FOR_EVER },
	{ .name = "alloca", .down = allocated, .phases = FOR_EVER },
	{ .name = "brief", .down = all_kinds, .phases = 2 },
	{ .name = "signal", .down = signalled, .phases = FOR_EVER },
};
#define NR_DESCENTS (sizeof(descents) / sizeof(descents[0]))

static void show(void)
{
	for (unsigned int i = 0; i < NR_DESCENTS; i++) {
		printf("THREAD %s %d\n", descents[i].name, (int)descents[i].tid);
		for (int n = 0; n < descents[i].nr_marks; n++)
			printf("%s %#lx\n", descents[i].marks[n].function, (unsigned long)descents[i].marks[n].cfa);
	}
	printf("END\n");
	fflush(stdout);
}

// The only thread that takes the signal: no other one's stack has a handler on it.
static void *count_signals(void *signals)
{
	int signal;

	for (;;) {
		if (sigwait(signals, &signal))
			abort();
		phase++;
		while (__atomic_load_n(&nr_down, __ATOMIC_SEQ_CST) < (int)NR_DESCENTS)
			usleep(10000);
		if (phase == 1)
			show();
	}
	return NULL;
}

static void start(void *(*function)(void *), void *argument)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, function, argument))
		abort();
}

static int hold(void)
{
	static sigset_t signals;

	sigemptyset(&signals);
	sigaddset(&signals, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &signals, NULL);
	start(count_signals, &signals);
	for (unsigned int i = 1; i < NR_DESCENTS; i++)
		start(run, &descents[i]);
	run(&descents[0]);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "hold"))
		return hold();
	if (argc != 3 || strcmp(argv[1], "dip")) {
		fprintf(stderr, "usage: depth_victim hold | dip FRAMES\n");
		return 2;
	}
	work_sink += recursion(1, atoi(argv[2]));
	return 0;
}

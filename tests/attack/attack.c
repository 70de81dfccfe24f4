// SPDX-License-Identifier: GPL-2.0
// Starts the attackers and counts what came of their calls.
//
// Usage: attack CALLS [SEED]
//
// As root, with the module loaded. Prints a line per kind of call: how often it succeeded, and how often it was refused
// with which errno. The seed makes the draws again, not the schedule. Exit 0 unless a call succeeded that must not, a
// kind of call never succeeded or was never refused, or an attacker died.
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "../programs/genl.h"
#include "attack.h"

#define MAX_THREADS 8
#define NOBODY      65534
#define MEMBER      65533 /* its group may open the device */

struct tally *tally;
bool ordinary;
int inherited_control;

static const struct {
	const char *name;
	enum { NEVER, SOMETIMES, EITHER } succeeds; /* for a privileged user */
	bool open;                                  /* for everybody */
} calls[NR_CALLS] = {
	[CALL_ABI] = { "abi", SOMETIMES, true },
	[CALL_CREATE_ROWS] = { "table-create-rows", SOMETIMES, false },
	[CALL_CREATE_SFRAME] = { "table-create-sframe", SOMETIMES, false },
	[CALL_CREATE_REMOTE] = { "table-create-remote", SOMETIMES, false },
	[CALL_DESTROY] = { "table-destroy", SOMETIMES, false },
	[CALL_TIE] = { "table-tie", SOMETIMES, false },
	[CALL_BIND] = { "range-bind", SOMETIMES, false },
	[CALL_UNBIND] = { "range-unbind", SOMETIMES, false },
	[CALL_NEXT] = { "table-next", SOMETIMES, false },
	[CALL_STATS] = { "stats", SOMETIMES, false },
	[CALL_START] = { "session-start", SOMETIMES, false },
	[CALL_ENABLE] = { "session-enable", SOMETIMES, false },
	[CALL_ASK] = { "session-ask", SOMETIMES, false },
	[CALL_SESSION_STATS] = { "session-stats", SOMETIMES, false },
	[CALL_STOP] = { "session-stop", SOMETIMES, false },
	[CALL_WATCH] = { "watch-text", SOMETIMES, false },
	[CALL_KSTACK] = { "kstack", EITHER, false },
	[CALL_SELF_ADD] = { "self-add", SOMETIMES, true },
	[CALL_SELF_REMOVE] = { "self-remove", SOMETIMES, true },
	[CALL_SELF_NEXT] = { "self-next", SOMETIMES, true },
	[CALL_NUMBER] = { "unknown-number", EITHER, true },
	[CALL_FILE] = { "other-file-operations", EITHER, true },
	[CALL_ATTACH] = { "attach", SOMETIMES, false },
	[CALL_MESSAGE] = { "message", SOMETIMES, true },
	[CALL_READ] = { "receive", SOMETIMES, true },
	[CALL_UNLOAD] = { "unload", NEVER, true },
};

uint64_t roll(struct dice *dice)
{
	uint64_t x = dice->state += 0x9e3779b97f4a7c15ull;

	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
	return x ^ (x >> 31);
}

bool attack_is_over(void)
{
	return __atomic_load_n(&tally->calls, __ATOMIC_RELAXED) >= tally->goal;
}

void count(enum call call, long result)
{
	int error = result < 0 ? errno : 0;

	__atomic_add_fetch(&tally->calls, 1, __ATOMIC_RELAXED);
	__atomic_add_fetch(&tally->results[call][error < NR_ERRNOS ? error : NR_ERRNOS - 1], 1, __ATOMIC_RELAXED);
	if (ordinary && !error && !calls[call].open)
		__atomic_add_fetch(&tally->forbidden, 1, __ATOMIC_RELAXED);
}

static void *attacker(void *seed)
{
	struct dice dice = { (uint64_t)(uintptr_t)seed };

	while (!attack_is_over()) {
		if (rarely(&dice, 8))
			any_message(&dice);
		else
			any_ioctl(&dice);
	}
	return NULL;
}

static int attack_with(int nr_threads, uint64_t seed)
{
	pthread_t threads[MAX_THREADS];

	if (chaos_start(seed) != 0)
		return 1;
	for (int i = 0; i < nr_threads; i++)
		if (pthread_create(&threads[i], NULL, attacker, (void *)(uintptr_t)(seed * 1000 + i + 1)) != 0)
			return 1;
	for (int i = 0; i < nr_threads; i++)
		pthread_join(threads[i], NULL);
	return 0;
}

#ifdef __aarch64__
#define PC(context) ((context)->uc_mcontext.pc)
#else
#define PC(context) ((context)->uc_mcontext.gregs[REG_RIP])
#endif

/* Where an attacker dies of its own doing, or of a write that nobody asked for. */
static void tell_fault(int signal, siginfo_t *info, void *context)
{
	char line[256];
	int maps = open("/proc/self/maps", O_RDONLY), bytes;

	bytes = snprintf(line, sizeof(line), "not so: signal %d at %#llx, address %p, main at %p\n", signal,
			 (unsigned long long)PC((ucontext_t *)context), info->si_addr, (void *)any_ioctl);
	while (bytes > 0) {
		if (write(STDOUT_FILENO, line, bytes) < 0)
			break;
		bytes = read(maps, line, sizeof(line));
	}
	_exit(3);
}

static void watch_faults(void)
{
	struct sigaction action = { .sa_sigaction = tell_fault, .sa_flags = SA_SIGINFO };

	sigaction(SIGSEGV, &action, NULL);
	sigaction(SIGBUS, &action, NULL);
}

/* A process of its own; uid 0 keeps its privilege. */
static pid_t start_process(int nr_threads, uint64_t seed, uid_t uid)
{
	pid_t pid = fork();

	if (pid != 0)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	setpgid(0, 0);
	if (uid != 0 && (setresgid(uid, uid, uid) != 0 || setresuid(uid, uid, uid) != 0))
		_exit(2);
	ordinary = uid == NOBODY;
	watch_faults();
	_exit(attack_with(nr_threads, seed));
}

static uint64_t refusals(enum call call)
{
	uint64_t sum = 0;

	for (int e = 1; e < NR_ERRNOS; e++)
		sum += tally->results[call][e];
	return sum;
}

/* Of fewer calls of a kind it may be that none succeeds: most of their arguments are nonsense. */
#define ENOUGH_CALLS 1000

static bool keeps_its_word(enum call call, uint64_t good, uint64_t bad)
{
	switch (calls[call].succeeds) {
	case SOMETIMES:
		return good || good + bad < ENOUGH_CALLS;
	case NEVER:
		return !good;
	default:
		return true;
	}
}

static int judge(enum call call)
{
	uint64_t good = tally->results[call][0], bad = refusals(call);
	bool kept = keeps_its_word(call, good, bad);

	printf("%-22s succeeded %8llu refused %8llu:", calls[call].name, (unsigned long long)good,
	       (unsigned long long)bad);
	for (int e = 1; e < NR_ERRNOS; e++)
		if (tally->results[call][e])
			printf(" %s %llu", strerrorname_np(e), (unsigned long long)tally->results[call][e]);
	printf("\n");
	if (!bad)
		printf("not so: %s is refused at times\n", calls[call].name);
	if (!kept)
		printf("not so: %s %s\n", calls[call].name, good ? "is always refused" : "succeeds at times");
	return !bad || !kept;
}

/* Its victims end with it, the stopped ones too. */
static int wait_for(pid_t pid, const char *who)
{
	int status = -1, bad = pid <= 0 || waitpid(pid, &status, 0) != pid;

	if (pid > 0)
		kill(-pid, SIGKILL);
	if (!bad && WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return 0;
	printf("not so: %s lives to the end (status %x)\n", who, status);
	return 1;
}

static int report(void)
{
	int bad = 0;

	for (int c = 0; c < NR_CALLS; c++)
		bad |= judge(c);
	if (tally->forbidden) {
		printf("not so: an ordinary user has no more than its own memory (%llu calls)\n",
		       (unsigned long long)tally->forbidden);
		bad = 1;
	}
	printf("calls: %llu\n", (unsigned long long)tally->calls);
	return bad;
}

int main(int argc, char **argv)
{
	uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 0) : (uint64_t)time(NULL);
	pid_t privileged, others, member;
	int bad;

	if (argc < 2) {
		fprintf(stderr, "usage: attack CALLS [SEED]\n");
		return 64;
	}
	tally = mmap(NULL, sizeof(*tally), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (tally == MAP_FAILED)
		return 1;
	tally->goal = strtoull(argv[1], NULL, 0);
	tally->family = genl_family();
	find_functions();
	inherited_control = open(UWIND_DEVICE, O_RDWR | O_CLOEXEC);
	printf("seed: %llu\n", (unsigned long long)seed);
	fflush(stdout);
	if (chown(UWIND_DEVICE, 0, MEMBER) != 0)
		perror(UWIND_DEVICE);
	privileged = start_process(4, seed, 0);
	others = start_process(2, seed + 1, NOBODY);
	member = start_process(2, seed + 2, MEMBER);
	bad = wait_for(privileged, "the privileged attacker");
	bad |= wait_for(others, "the ordinary attacker");
	bad |= wait_for(member, "the attacker of the device's group");
	bad |= chown(UWIND_DEVICE, 0, 0) != 0;
	return report() | bad;
}

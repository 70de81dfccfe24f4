// SPDX-License-Identifier: GPL-2.0
// A user without privilege who goes for every limit at once, from many processes: prints how often each kind of call succeeded, and
// how often it was refused with which errno. It never ends: whoever starts it kills it and its children.
//
// Usage: hostile plain      works, forks, executes, maps and cuts files off, without the module: what any user may do
//        hostile stranger   the same, and everything that /dev/uwind-self allows
//        hostile member     and everything that /dev/uwind allows
//
// SIGUSR1 makes it print. Runs in a folder with lives_victim.
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "genl.h"
#include "section.h"
#include "work.h"

#define HOLD_S      3    /* what was taken is kept for so long, and taken anew */
#define NR_SLEEPERS 1100 /* threads: four sessions count in more of them than a user may */
#define NR_CHILDREN 400  /* with more ranges than a user may have, in all */
#define NR_BINDERS  17   /* so many processes have */
#define NR_ERRNOS   135
#define LARGE_ROWS  (1u << 19)
#define MOST_ROWS   (12u << 20)
#define MEMBER_ROWS (1u << 18)
#define RANGE_BYTES 16
#define CUT_PAGES   256

enum kind {
	K_WORK,
	K_FORK,
	K_EXEC,
	K_MAP,
	K_CUT,
	K_OPEN,
	K_SMALL,
	K_LARGE,
	K_INPUT,
	K_LATE,
	K_BROKEN,
	K_SESSION,
	K_RATE,
	K_ASK_ONE,
	K_ASK,
	K_TIE,
	K_TABLE,
	K_BIND,
	NR_KINDS,
};

static const char *const names[NR_KINDS] = {
	[K_WORK] = "work",
	[K_FORK] = "fork",
	[K_EXEC] = "exec",
	[K_MAP] = "map",
	[K_CUT] = "cut",
	[K_OPEN] = "open",
	[K_SMALL] = "small-section",
	[K_LARGE] = "large-section",
	[K_INPUT] = "input",
	[K_LATE] = "late-section",
	[K_BROKEN] = "broken-section",
	[K_SESSION] = "session",
	[K_RATE] = "rate",
	[K_ASK_ONE] = "ask-one",
	[K_ASK] = "ask",
	[K_TIE] = "tie",
	[K_TABLE] = "table",
	[K_BIND] = "bind",
};

struct board {
	uint64_t results[NR_KINDS][NR_ERRNOS]; /* by errno; 0: it succeeded */
	pid_t sleepers;                        /* a process of so many threads */
};

static struct board *board;

static int self_device, cut_fd, refused[2];
static char *cut;
static long page;

/* Returns the errno. */
static int count(enum kind kind, int good)
{
	int error = good ? 0 : errno;

	__atomic_add_fetch(&board->results[kind][error < NR_ERRNOS ? error : NR_ERRNOS - 1], 1, __ATOMIC_RELAXED);
	return error;
}

/* Where memory ends, such a process goes, and not the one that counts. */
static void write_oom_score(void)
{
	int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);

	if (write(fd, "500", 3) != 3)
		perror("hostile: oom_score_adj");
	close(fd);
}

/* A process that does it for ever. */
static pid_t start(void (*role)(void))
{
	pid_t pid = fork();

	if (pid == 0) {
		write_oom_score();
		for (;;)
			role();
	}
	return pid;
}

/* Whoever takes has been refused, and keeps what it has. */
static void hold(void)
{
	if (write(refused[1], "", 1) == 1)
		for (;;)
			pause();
	_exit(1);
}

/* So many processes take until they are refused, keep it for a while, and give it back by ending. */
static void take(void (*taker)(void), int nr)
{
	pid_t pids[NR_BINDERS];
	char byte;

	if (pipe2(refused, O_CLOEXEC))
		exit(1);
	for (int i = 0; i < nr; i++) {
		pids[i] = fork();
		if (pids[i] == 0) {
			prctl(PR_SET_DUMPABLE, 1);
			taker();
			hold();
		}
	}
	close(refused[1]);
	for (int i = 0; i < nr; i++)
		if (read(refused[0], &byte, 1) != 1)
			break;
	close(refused[0]);
	sleep(HOLD_S);
	for (int i = 0; i < nr; i++)
		if (pids[i] > 0)
			kill(pids[i], SIGKILL);
	while (wait(NULL) > 0)
		;
}

/* --- what anybody may do ---------------------------------------------------------------------- */

/* What only takes time leaves it to what takes more than that. */
static void give_way(void)
{
	if (getpriority(PRIO_PROCESS, 0) < 10 && setpriority(PRIO_PROCESS, 0, 10) != 0)
		perror("hostile: setpriority");
}

static void work(void)
{
	give_way();
	for (int i = 0; i < 1000; i++)
		work_sink += work_recurse(30, (uint64_t)i);
	count(K_WORK, 1);
}

static void map_files(void)
{
	int fd = memfd_create("code", MFD_CLOEXEC);
	void *text = fd >= 0 && ftruncate(fd, page) == 0 ?
			     mmap(NULL, (size_t)page, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0) :
			     MAP_FAILED;

	count(K_MAP, text != MAP_FAILED);
	if (text != MAP_FAILED)
		munmap(text, (size_t)page);
	close(fd);
}

/* registered: so is the child, before it executes a program. */
static void fork_one(int registered)
{
	pid_t pid = fork();

	if (pid == 0) {
		if (registered)
			section_add(self_device, (size_t)page, 0);
		execl("/proc/self/exe", "hostile", "nothing", (char *)NULL);
		_exit(1);
	}
	count(K_FORK, pid > 0);
	if (pid > 0)
		count(K_EXEC, waitpid(pid, NULL, 0) == pid);
}

static void fork_plain(void)
{
	fork_one(0);
}
static void fork_registered(void)
{
	fork_one(1);
}

/* A thousand files of code, each of which runs. */
static void run_files(void)
{
	give_way();
	execl("./lives_victim", "lives_victim", "files", (char *)NULL);
	_exit(1);
}

/*
 * A file that all processes of this user have mapped, behind every library, and that is cut off again and again: its lock is held
 * meanwhile, for long where the time of the user's cgroup is used up.
 */
static void map_what_is_cut(void)
{
	char here, *address = (char *)((uintptr_t)&here & ~((1ul << 20) - 1)) - (6 << 20);
	size_t size = (size_t)(CUT_PAGES * page);

	cut_fd = memfd_create("cut", MFD_CLOEXEC);
	if (cut_fd < 0 || ftruncate(cut_fd, (off_t)size) != 0 ||
	    (cut = mmap(address, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED_NOREPLACE, cut_fd, 0)) ==
		    MAP_FAILED) {
		perror("hostile: a file to cut off");
		exit(1);
	}
}

static void cut_off(void)
{
	size_t size = (size_t)(CUT_PAGES * page);

	for (size_t i = 0; i < size; i += (size_t)page)
		cut[i] = 1;
	count(K_CUT, ftruncate(cut_fd, 0) == 0 && ftruncate(cut_fd, (off_t)size) == 0);
}

/* --- what /dev/uwind-self allows -------------------------------------------------------------- */

static void add_small(void)
{
	while (count(K_SMALL, section_add(self_device, (size_t)page, 0) != MAP_FAILED) == 0)
		;
	for (int i = 0; i < NR_CHILDREN; i++)
		if (fork() == 0) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			for (;;)
				pause();
		}
}

/* Memory for tables, then for making one. */
static void add_large(void)
{
	while (count(K_LARGE, section_add(self_device, LARGE_ROWS, 1) != MAP_FAILED) == 0)
		;
	count(K_INPUT, section_add(self_device, MOST_ROWS, 1) != MAP_FAILED);
}

/* When there are too many mappings for the first one. */
static void add_late(void)
{
	for (int i = 0; i < 1100; i++)
		mmap(NULL, (size_t)page, i % 2 ? PROT_READ : PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	while (count(K_LATE, section_add(self_device, (size_t)page, 0) != MAP_FAILED) == EDQUOT)
		usleep(10000); /* until the others of this user give theirs back */
}

static void add_broken(void)
{
	char *memory = mmap(NULL, (size_t)(2 * page), PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct uwind_self_add arg = {
		.size = sizeof(arg),
		.sframe_start = (uintptr_t)memory,
		.sframe_end = (uintptr_t)memory + 64,
		.text_start = (uintptr_t)memory + page,
		.text_end = (uintptr_t)memory + 2 * page,
	};

	for (int i = 0; i < 100; i++)
		count(K_BROKEN, ioctl(self_device, UWIND_IOC_SELF_ADD, &arg) == 0);
	munmap(memory, (size_t)(2 * page));
}

static void take_small(void)
{
	take(add_small, 1);
}
static void take_large(void)
{
	take(add_large, 1);
}
static void take_late(void)
{
	take(add_late, 1);
}

static void try_to_open(void)
{
	count(K_OPEN, open(UWIND_DEVICE, O_RDWR | O_CLOEXEC) >= 0);
	usleep(10000);
}

/* --- what /dev/uwind allows ------------------------------------------------------------------- */

static int open_device(void)
{
	return open(UWIND_DEVICE, O_RDWR | O_CLOEXEC);
}

static void *sleep_on(void *unused)
{
	while (pause() < 0)
		;
	return unused;
}

static void sleep_in_threads(void)
{
	pthread_attr_t attributes;
	pthread_t thread;

	prctl(PR_SET_DUMPABLE, 1);
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, 65536);
	for (int i = 0; i < NR_SLEEPERS; i++)
		pthread_create(&thread, &attributes, sleep_on, NULL);
	sleep_on(NULL);
}

/* The messages of such a session are never read. */
static int start_session(uint64_t rate)
{
	struct uwind_session_start arg = { .size = sizeof(arg),
					   .flags = UWIND_SESSION_ALL | UWIND_SESSION_FREQUENCY,
					   .rate = rate };
	int control = open_device(), reader = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC);
	struct genl_message m;

	genl_attach_message(&m, genl_family(), (uint32_t)control, 1);
	if (send(reader, &m, m.header.nlmsg_len, 0) < 0 || genl_acknowledged(reader, 1))
		return -1;
	return ioctl(control, UWIND_IOC_SESSION_START, &arg) ? -1 : control;
}

static int ask(int control, pid_t tid)
{
	struct uwind_session_ask arg = { .size = sizeof(arg), .tid = tid };

	return ioctl(control, UWIND_IOC_SESSION_ASK, &arg);
}

static void take_sessions(void)
{
	pid_t sleepers = board->sleepers;
	int first, error;

	count(K_RATE, start_session(10001) >= 0);
	first = start_session(10000);
	error = count(K_SESSION, first >= 0);
	while (error == 0)
		error = count(K_SESSION, start_session(10000) >= 0);
	for (int i = 0; i < 16; i++)
		count(K_ASK_ONE, ask(first, sleepers) == 0);
	for (int i = 0; i < 8 * NR_SLEEPERS && error != EDQUOT; i++)
		error = count(K_ASK, ask(first, sleepers + 1 + i % NR_SLEEPERS) == 0);
}

static uint32_t make_table(int control, uint32_t nr_rows)
{
	static const struct uwind_rule rules[] = { { .kind = UWIND_RULE_OUTERMOST },
						   { .kind = UWIND_RULE_THREAD_START } };
	struct uwind_row *rows = malloc(nr_rows * sizeof(*rows));
	struct uwind_table_create arg = {
		.size = sizeof(arg),
		.source = UWIND_SOURCE_ROWS,
		.method = UWIND_METHOD_SYNTH,
		.pidfd = -1,
		.data = (uintptr_t)rows,
		.data_bytes = nr_rows * sizeof(*rows),
		.rules = (uintptr_t)rules,
		.nr_rules = 2,
	};

	for (uint32_t i = 0; rows && i < nr_rows; i++)
		rows[i] = (struct uwind_row){ 16 * i, i % 2 };
	arg.table = ioctl(control, UWIND_IOC_TABLE_CREATE, &arg) ? 0 : arg.table;
	free(rows);
	return arg.table;
}

/* The others of this user give theirs back at times. */
static uint32_t insist_on_table(int control)
{
	uint32_t table;

	while (!(table = make_table(control, 1)))
		usleep(100000);
	return table;
}

static void make_tables(void)
{
	int control = open_device();

	while (count(K_TABLE, make_table(control, MEMBER_ROWS) != 0) == 0)
		;
}

static void tie_tables(void)
{
	struct uwind_table_tie arg = { .size = sizeof(arg), .fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC) };
	int control = open_device();

	do
		arg.table = insist_on_table(control);
	while (count(K_TIE, ioctl(control, UWIND_IOC_TABLE_TIE, &arg) == 0) == 0);
}

/* Ranges of one table in this process. */
static void bind_ranges(void)
{
	char *text = mmap(NULL, 1 << 20, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct uwind_range ranges[UWIND_MAX_RANGES];
	int control = open_device();
	struct uwind_range_bind arg = {
		.size = sizeof(arg),
		.pidfd = (int)syscall(SYS_pidfd_open, getpid(), 0),
		.nr_ranges = UWIND_MAX_RANGES,
		.ranges = (uintptr_t)ranges,
		.table = insist_on_table(control),
	};

	do {
		for (unsigned int i = 0; i < UWIND_MAX_RANGES; i++, text += RANGE_BYTES)
			ranges[i] =
				(struct uwind_range){ (uintptr_t)text, (uintptr_t)text + RANGE_BYTES, i * RANGE_BYTES };
	} while (count(K_BIND, ioctl(control, UWIND_IOC_RANGE_BIND, &arg) == 0) == 0);
}

static void again_sessions(void)
{
	take(take_sessions, 1);
}
static void again_tables(void)
{
	take(make_tables, 1);
}
static void again_ties(void)
{
	take(tie_tables, 1);
}

/* What one process may have, then what one user may. */
static void again_binds(void)
{
	take(bind_ranges, 1);
	take(bind_ranges, NR_BINDERS);
}

/* --- the whole -------------------------------------------------------------------------------- */

static void (*const plain_roles[])(void) = {
	work, work, work, fork_plain, fork_plain, map_files, map_files, run_files, run_files, cut_off,
};
static void (*const stranger_roles[])(void) = {
	work,       fork_registered, fork_registered, run_files,  run_files,
	take_small, take_large,      take_late,       add_broken, cut_off,
};
static void (*const member_roles[])(void) = { again_sessions, again_tables, again_ties, again_binds };

#define START(roles)                                                   \
	for (size_t i_ = 0; i_ < sizeof(roles) / sizeof(*roles); i_++) \
	start(roles[i_])

static void print(void)
{
	for (int kind = 0; kind < NR_KINDS; kind++) {
		printf("%s", names[kind]);
		for (int error = 0; error < NR_ERRNOS; error++)
			if (board->results[kind][error])
				printf(" %s %llu", error ? strerrorname_np(error) : "ok",
				       (unsigned long long)board->results[kind][error]);
		puts("");
	}
	fflush(stdout);
}

int main(int argc, char **argv)
{
	const char *who = argc > 1 ? argv[1] : "";
	sigset_t asked;
	int signal;

	if (!strcmp(who, "nothing"))
		return 0;
	page = sysconf(_SC_PAGESIZE);
	board = mmap(NULL, sizeof(*board), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	self_device = open(UWIND_SELF_DEVICE, O_RDWR | O_CLOEXEC);
	if (board == MAP_FAILED || self_device < 0) {
		perror("hostile");
		return 1;
	}
	map_what_is_cut();
	if (!strcmp(who, "plain"))
		START(plain_roles);
	else
		START(stranger_roles);
	if (!strcmp(who, "stranger"))
		start(try_to_open);
	if (!strcmp(who, "member")) {
		board->sleepers = start(sleep_in_threads);
		START(member_roles);
	}
	sigemptyset(&asked);
	sigaddset(&asked, SIGUSR1);
	sigprocmask(SIG_BLOCK, &asked, NULL);
	while (sigwait(&asked, &signal) == 0)
		print();
	return 1;
}

// SPDX-License-Identifier: GPL-2.0
// Whether a sampled task ever waits for another that is held inside the module: prints "ok RULE" or "FAIL RULE".
//
// Usage: held_check SECONDS    each part lasts for at least so long, and until it has seen what it checks
//
// As root, with a test build of the module (UWIND_STALL=1) and two processors. Three programs that only compute are
// sampled: one is held where the module lets it be, one shares its processor, one has another. Who only computes, on
// memory that is there, sleeps only if something in the kernel puts it to sleep: voluntary context switches are counted.
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "check.h"
#include "clock.h"
#include "genl.h"
#include "uwind.h"

#define PARAMETERS  "/sys/module/uwind/parameters/"
#define RATE_HZ     3999
#define HOLD_MS     90
#define BEGIN_MS    60000  /* one that has not begun by then shows in what it did */
#define LIMIT_MS    120000 /* for all parts: what has not been seen by then fails */
#define DEPTH       400
#define MOST_SLEEPS 1     /* for the kernel's own reasons, besides one for each page fault */
#define LEAST_FULL  12288 /* bytes of a message that the next stack had no room in */
#define LEAST_HELD  6     /* times that a task was held, and messages beside it */
#define LEAST_TURNS 50    /* of those who must not wait */

enum stall_point { MESSAGE_SEND = 2, BATCH_TAKEN = 4 };
enum who { HELD, NEIGHBOUR, OTHER, NR_WORKERS };

struct board {
	volatile int begun[NR_WORKERS];
	volatile int over;
	volatile long turns[NR_WORKERS];
	volatile long sleeps[NR_WORKERS];
	volatile long faults[NR_WORKERS];
	volatile long worst_ms[NR_WORKERS];
};

static struct board *board;
static long end_ms;          /* when the time for all parts is over */
static long longest;         /* message, in bytes */
static long messages, bytes; /* of one part */

static void pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		exit(1);
}

static __attribute__((noinline)) long left(unsigned int way, unsigned int depth);

/*
 * No two stacks are alike, from the outermost frames on, and frames lie far from each other, which takes more bytes: a few
 * samples fill a message. Frame pointers lead through them: nobody makes tables here.
 */
static __attribute__((noinline, aligned(1 << 16))) long right(unsigned int way, unsigned int depth)
{
	unsigned int next = way >> 1 | way << 31;
	volatile long sum = way;

	for (int i = 0; !depth && i < 100; i++)
		sum += i;
	if (depth)
		sum += way & 1 ? left(next, depth - 1) : right(next, depth - 1);
	return sum;
}

static __attribute__((noinline, aligned(1 << 16))) long left(unsigned int way, unsigned int depth)
{
	unsigned int next = way >> 1 | way << 31;
	volatile long sum = way;

	for (int i = 0; !depth && i < 101; i++)
		sum += i;
	if (depth)
		sum += way & 1 ? left(next, depth - 1) : right(next, depth - 1);
	return sum;
}

/* A thread that waits for a page sleeps, too: all that is used is there before it begins, and stays. */
static void make_resident(void)
{
	struct rusage usage;

	if (mlockall(MCL_CURRENT | MCL_FUTURE))
		exit(1);
	left(0x5a5a5a5a, DEPTH);
	getrusage(RUSAGE_SELF, &usage);
	now_ms();
}

static void work(enum who who)
{
	unsigned int way = who;
	struct rusage before, now;
	long last;

	pin(who == OTHER);
	make_resident();
	last = now_ms();
	getrusage(RUSAGE_SELF, &before);
	board->begun[who] = 1;
	for (; !board->over; board->turns[who]++) {
		long ms = now_ms();

		for (int i = 0; i < 4; i++) {
			way = way * 1664525 + 1013904223;
			left(way ^ way >> 16, DEPTH);
		}
		if (ms - last > board->worst_ms[who])
			board->worst_ms[who] = ms - last;
		last = ms;
		getrusage(RUSAGE_SELF, &now);
		board->sleeps[who] = now.ru_nvcsw - before.ru_nvcsw;
		board->faults[who] = now.ru_minflt - before.ru_minflt + now.ru_majflt - before.ru_majflt;
	}
	exit(0);
}

static void set_parameter(const char *name, long value)
{
	char path[128], text[16];
	int fd, bytes = snprintf(text, sizeof(text), "%ld", value);

	snprintf(path, sizeof(path), PARAMETERS "%s", name);
	fd = open(path, O_WRONLY);
	if (fd < 0 || write(fd, text, bytes) != bytes) {
		perror(path);
		exit(1);
	}
	close(fd);
}

struct session {
	int control, socket_fd;
};

static void begin(struct session *session)
{
	struct uwind_session_start arg = {
		.size = sizeof(arg),
		.flags = UWIND_SESSION_ALL | UWIND_SESSION_FREQUENCY,
		.rate = RATE_HZ,
	};
	struct genl_message m;

	session->control = open(UWIND_DEVICE, O_RDWR | O_CLOEXEC);
	session->socket_fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC);
	genl_attach_message(&m, genl_family(), session->control, 1);
	if (send(session->socket_fd, &m, m.header.nlmsg_len, 0) < 0 || genl_acknowledged(session->socket_fd, 1) ||
	    ioctl(session->control, UWIND_IOC_SESSION_START, &arg)) {
		perror("a session");
		exit(1);
	}
}

static void read_all(const struct session *session)
{
	static char buffer[1 << 18];
	long got;

	while ((got = recv(session->socket_fd, buffer, sizeof(buffer), MSG_DONTWAIT)) > 0) {
		messages++;
		bytes += got;
		longest = got > longest ? got : longest;
	}
}

/* For that time, and on until the condition holds. */
static void read_until(const struct session *session, long ms, int (*condition)(void))
{
	long end = now_ms() + ms;

	read_all(session); /* what others have sent */
	messages = bytes = 0;
	for (; now_ms() < end || (!condition() && now_ms() < end_ms); usleep(2000))
		read_all(session);
}

static int others_turn(void)
{
	return board->turns[NEIGHBOUR] >= LEAST_TURNS && board->turns[OTHER] >= LEAST_TURNS;
}

static int is_full(void)
{
	return others_turn() && longest > LEAST_FULL;
}

static int writer_was_held(void)
{
	return board->sleeps[HELD] - board->faults[HELD] >= LEAST_HELD;
}

static int messages_came(void)
{
	return others_turn() && messages >= LEAST_HELD;
}

static int messages_came_beside_a_writer(void)
{
	return messages_came() && writer_was_held();
}

/* Who is held at each sample gets hardly anywhere: the three have begun before. */
static void wait_until_begun(void)
{
	long end = now_ms() + BEGIN_MS;

	for (int i = 0; i < NR_WORKERS; i++)
		while (!board->begun[i] && now_ms() < end)
			usleep(1000);
}

/* What the three do while a task is held at the point, one or whoever comes there: for that time, until the condition holds. */
static void play(const struct session *session, enum stall_point point, int held_only, long seconds,
		 int (*condition)(void))
{
	pid_t pids[NR_WORKERS];

	memset(board, 0, sizeof(*board));
	for (int i = 0; i < NR_WORKERS; i++) {
		pids[i] = fork();
		if (pids[i] == 0)
			work(i);
	}
	wait_until_begun();
	set_parameter("stall_tid", held_only ? pids[HELD] : 0);
	set_parameter("stall_point", point);
	read_until(session, seconds * 1000, condition);
	board->over = 1;
	for (int i = 0; i < NR_WORKERS; i++)
		waitpid(pids[i], NULL, 0);
	set_parameter("stall_point", 0);
	set_parameter("stall_tid", 0);
	printf("point %d: sleeps of the held one %ld, its neighbour %ld, another %ld; page faults %ld, %ld, %ld; worst "
	       "gaps %ld, %ld, %ld ms; turns %ld, %ld, %ld; %ld bytes in %ld messages\n",
	       point, board->sleeps[HELD], board->sleeps[NEIGHBOUR], board->sleeps[OTHER], board->faults[HELD],
	       board->faults[NEIGHBOUR], board->faults[OTHER], board->worst_ms[HELD], board->worst_ms[NEIGHBOUR],
	       board->worst_ms[OTHER], board->turns[HELD], board->turns[NEIGHBOUR], board->turns[OTHER], bytes,
	       messages);
}

static void check_sleeps(const char *name, enum who who)
{
	char detail[96];

	snprintf(detail, sizeof(detail), "it slept %ld times, and had %ld page faults", board->sleeps[who],
		 board->faults[who]);
	check(name, board->sleeps[who] <= MOST_SLEEPS + board->faults[who], detail);
}

static void check_messages(const char *name)
{
	char detail[96];

	snprintf(detail, sizeof(detail), "%ld do; turns of the others: %ld, %ld", messages, board->turns[NEIGHBOUR],
		 board->turns[OTHER]);
	check(name, messages_came(), detail);
}

int main(int argc, char **argv)
{
	long seconds = argc == 2 ? atol(argv[1]) : 0;
	struct session session;
	char detail[64];

	if (!seconds) {
		fprintf(stderr, "usage: held_check SECONDS\n");
		return 64;
	}
	board = mmap(NULL, sizeof(*board), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	end_ms = now_ms() + LIMIT_MS;
	set_parameter("stall_ms", HOLD_MS);
	begin(&session);
	play(&session, MESSAGE_SEND, 1, seconds, is_full);
	snprintf(detail, sizeof(detail), "the longest has %ld bytes", longest);
	check("a full message takes 16 KiB, with what the kernel needs for it", longest > LEAST_FULL && longest < 16384,
	      detail);
	check_sleeps("no task waits for one that is held where messages are sent", OTHER);
	check_sleeps("nor does one on its processor", NEIGHBOUR);
	check_sleeps("as no sampled task sends", HELD);
	play(&session, MESSAGE_SEND, 0, seconds, messages_came);
	check_sleeps("no task waits for who sends", OTHER);
	check_messages("messages arrive, each held before it is sent");
	play(&session, BATCH_TAKEN, 1, seconds, messages_came_beside_a_writer);
	check_messages("messages arrive nevertheless");
	check("a task is held while it writes a message", writer_was_held(), "it is not");
	check_sleeps("nobody waits for it", OTHER);
	check_sleeps("even on its processor", NEIGHBOUR);
	return check_failures != 0;
}

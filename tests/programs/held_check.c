// SPDX-License-Identifier: GPL-2.0
// Whether a sampled task ever waits for another that is held inside the module: prints "ok RULE" or "FAIL RULE".
//
// Usage: held_check SECONDS
//
// As root, with a test build of the module (UWIND_STALL=1) and two processors. Three programs that only compute are
// sampled: one is held where the module lets it be, one shares its processor, one has another. Who only computes sleeps
// only if something in the kernel puts it to sleep: its voluntary context switches are counted.
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
#define BEGIN_MS    60000 /* one that has not begun by then shows in what it did */
#define DEPTH       250
#define MOST_SLEEPS 1     /* for the kernel's own reasons */
#define LEAST_FULL  12288 /* bytes of a message that the next stack had no room in */
#define TRIES       10    /* a busy machine may take too few samples to fill a message */

enum stall_point { MESSAGE_SEND = 2, BATCH_TAKEN = 4 };
enum who { HELD, NEIGHBOUR, OTHER, NR_WORKERS };

struct board {
	volatile int begun[NR_WORKERS];
	volatile int over;
	long sleeps[NR_WORKERS];
	long worst_ms[NR_WORKERS];
};

static struct board *board;
static long longest; /* message, in bytes */

static void pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		exit(1);
}

static __attribute__((noinline)) long left(unsigned int way, unsigned int depth);

/* No two stacks are alike, so that messages fill. Frame pointers lead through them: nobody makes tables here. */
static __attribute__((noinline)) long right(unsigned int way, unsigned int depth)
{
	volatile long sum = way;

	for (int i = 0; !depth && i < 1000; i++)
		sum += i;
	if (depth)
		sum += way & 1 ? left(way >> 1, depth - 1) : right(way >> 1, depth - 1);
	return sum;
}

static __attribute__((noinline)) long left(unsigned int way, unsigned int depth)
{
	volatile long sum = way;

	for (int i = 0; !depth && i < 1001; i++)
		sum += i;
	if (depth)
		sum += way & 1 ? left(way >> 1, depth - 1) : right(way >> 1, depth - 1);
	return sum;
}

static void work(enum who who)
{
	unsigned int way = who;
	struct rusage before, after;
	long last;

	pin(who == OTHER);
	last = now_ms();
	getrusage(RUSAGE_SELF, &before);
	board->begun[who] = 1;
	while (!board->over) {
		long now = now_ms();

		way = way * 1664525 + 1013904223;
		for (int i = 0; i < 20; i++)
			left(way >> 8, DEPTH);
		if (now - last > board->worst_ms[who])
			board->worst_ms[who] = now - last;
		last = now;
	}
	getrusage(RUSAGE_SELF, &after);
	board->sleeps[who] = after.ru_nvcsw - before.ru_nvcsw;
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

/* Returns the bytes that came. */
static long read_for(const struct session *session, long ms)
{
	static char bytes[1 << 18];
	long end = now_ms() + ms, sum = 0, got;

	while (now_ms() < end) {
		while ((got = recv(session->socket_fd, bytes, sizeof(bytes), MSG_DONTWAIT)) > 0) {
			sum += got;
			longest = got > longest ? got : longest;
		}
		usleep(2000);
	}
	return sum;
}

/* Who is held at each sample gets hardly anywhere: the three have begun before. */
static void wait_until_begun(void)
{
	long end = now_ms() + BEGIN_MS;

	for (int i = 0; i < NR_WORKERS; i++)
		while (!board->begun[i] && now_ms() < end)
			usleep(1000);
}

/* What the three do while a task is held at the point: one, or whoever comes there. */
static long play(const struct session *session, enum stall_point point, int held_only, long seconds)
{
	pid_t pids[NR_WORKERS];
	long bytes;

	memset(board, 0, sizeof(*board));
	for (int i = 0; i < NR_WORKERS; i++) {
		pids[i] = fork();
		if (pids[i] == 0)
			work(i);
	}
	wait_until_begun();
	set_parameter("stall_tid", held_only ? pids[HELD] : 0);
	set_parameter("stall_point", point);
	bytes = read_for(session, seconds * 1000);
	board->over = 1;
	for (int i = 0; i < NR_WORKERS; i++)
		waitpid(pids[i], NULL, 0);
	set_parameter("stall_point", 0);
	set_parameter("stall_tid", 0);
	printf("point %d: sleeps of the held one %ld, its neighbour %ld, another %ld; worst gaps %ld, %ld, %ld ms; %ld "
	       "bytes\n",
	       point, board->sleeps[HELD], board->sleeps[NEIGHBOUR], board->sleeps[OTHER], board->worst_ms[HELD],
	       board->worst_ms[NEIGHBOUR], board->worst_ms[OTHER], bytes);
	return bytes;
}

static void check_sleeps(const char *name, enum who who)
{
	char detail[64];

	snprintf(detail, sizeof(detail), "it slept %ld times", board->sleeps[who]);
	check(name, board->sleeps[who] <= MOST_SLEEPS, detail);
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
	set_parameter("stall_ms", HOLD_MS);
	begin(&session);
	for (int i = 0; i < TRIES && longest <= LEAST_FULL; i++)
		play(&session, MESSAGE_SEND, 1, seconds);
	snprintf(detail, sizeof(detail), "the longest has %ld bytes", longest);
	check("a full message takes 16 KiB, with what the kernel needs for it", longest > LEAST_FULL && longest < 16384,
	      detail);
	check_sleeps("no task waits for one that is held where messages are sent", OTHER);
	check_sleeps("nor does one on its processor", NEIGHBOUR);
	check_sleeps("as no sampled task sends", HELD);
	play(&session, MESSAGE_SEND, 0, seconds);
	check_sleeps("no task waits for who sends", OTHER);
	check("messages arrive nevertheless", play(&session, BATCH_TAKEN, 1, seconds) > 0, "none does");
	check("a task is held while it writes a message", board->sleeps[HELD] > 5, "it is not");
	check_sleeps("nobody waits for it", OTHER);
	check_sleeps("even on its processor", NEIGHBOUR);
	return check_failures != 0;
}

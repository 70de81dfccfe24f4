// SPDX-License-Identifier: GPL-2.0
// Whether anybody else can receive what is meant for a session's reader: prints "ok RULE" or "FAIL RULE".
//
// Usage: reader_attack SECONDS UID
//
// As root, with the module loaded. Sessions of root begin and end in every order of close, kill, exit, exec, dup, fork
// and SCM_RIGHTS, while processes of UID bind the readers' port numbers as soon as they are free, and read. In a test
// build of the module each message is held for some time before it is sent.
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>

#include "check.h"
#include "genl.h"
#include "uwind.h"

#define PARAMETERS   "/sys/module/uwind/parameters/"
#define NR_ATTACKERS 2
#define FIRST_PORT   0x40000000u
#define RATE_HZ      4999
#define LINGER_MS    120 /* what outlives a reader, outlives it by so much */

/* What all processes share. */
struct board {
	volatile uint32_t port; /* of the reader now */
	volatile int over;
	unsigned long bound, stolen_messages, stolen_bytes, received_bytes, sessions; /* atomic */
};

static struct board *board;
static uint16_t family;

static void add(unsigned long *sum, unsigned long n)
{
	__atomic_fetch_add(sum, n, __ATOMIC_RELAXED);
}

static void pause_ms(long ms)
{
	struct timespec time = { ms / 1000, ms % 1000 * 1000000 };

	nanosleep(&time, NULL);
}

/* --- the attackers ------------------------------------------------------------------------- */

static int try_bind(int fd, uint32_t port)
{
	struct sockaddr_nl address = { .nl_family = AF_NETLINK, .nl_pid = port };

	return bind(fd, (struct sockaddr *)&address, sizeof(address));
}

/* Everything that arrives: nothing was asked for. */
static void read_on(int fd)
{
	struct pollfd poll_fd = { fd, POLLIN, 0 };
	static char bytes[1 << 18];
	ssize_t got;

	while (poll(&poll_fd, 1, 2 * LINGER_MS) > 0 && (got = recv(fd, bytes, sizeof(bytes), MSG_DONTWAIT)) > 0) {
		add(&board->stolen_messages, 1);
		add(&board->stolen_bytes, got);
	}
}

/* A child reads what comes to the port, this goes on to the next. */
static void attack(uid_t uid)
{
	if (setgroups(0, NULL) || setresgid(uid, uid, uid) || setresuid(uid, uid, uid))
		exit(1);
	signal(SIGCHLD, SIG_IGN);
	while (!board->over) {
		int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC);
		uint32_t port = board->port;

		while (!board->over && port == board->port && try_bind(fd, port))
			sched_yield();
		if (!board->over && port == board->port && port) {
			add(&board->bound, 1);
			if (fork() == 0) {
				read_on(fd);
				exit(0);
			}
			while (!board->over && port == board->port)
				pause_ms(1);
		}
		close(fd);
	}
	exit(0);
}

/* --- those who are sampled, and those who make others wait ------------------------------------- */

static void work(void)
{
	volatile unsigned long sum = 0;

	while (!board->over)
		sum++;
	exit(0);
}

static int attach(int control, int socket_fd)
{
	struct genl_message m;

	genl_attach_message(&m, family, control, 1);
	if (send(socket_fd, &m, m.header.nlmsg_len, 0) < 0)
		return -1;
	return genl_acknowledged(socket_fd, 1);
}

static int start(int control)
{
	struct uwind_session_start arg = {
		.size = sizeof(arg),
		.flags = UWIND_SESSION_ALL | UWIND_SESSION_FREQUENCY,
		.rate = RATE_HZ,
	};

	return ioctl(control, UWIND_IOC_SESSION_START, &arg);
}

/* Begins and ends sessions: whoever waits for all open devices waits for this. */
static void hold(void)
{
	int control = open(UWIND_DEVICE, O_RDWR | O_CLOEXEC), fd = socket(AF_NETLINK, SOCK_RAW, NETLINK_GENERIC);
	struct uwind_session_stats stats = { .size = sizeof(stats) };

	attach(control, fd);
	while (!board->over) {
		start(control);
		ioctl(control, UWIND_IOC_SESSION_STOP, &stats);
	}
	exit(0);
}

/* --- the readers --------------------------------------------------------------------------- */

struct reader {
	int control, socket_fd;
};

static void send_fd(int channel, int fd)
{
	union {
		struct cmsghdr header;
		char room[CMSG_SPACE(sizeof(int))];
	} control = { .header = { CMSG_LEN(sizeof(int)), SOL_SOCKET, SCM_RIGHTS } };
	struct iovec byte = { "", 1 };
	struct msghdr message = {
		.msg_iov = &byte, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof(control)
	};

	memcpy(CMSG_DATA(&control.header), &fd, sizeof(fd));
	if (sendmsg(channel, &message, 0) < 0)
		exit(1);
}

/* Somebody holds only one of the two, while the reader dies. */
static void outlive(const struct reader *reader, int keeps_control)
{
	if (fork() == 0) {
		close(keeps_control ? reader->socket_fd : reader->control);
		pause_ms(LINGER_MS);
		_exit(0);
	}
}

/* One of the two is nowhere but in a queue, while the reader dies; who could take it out never does. */
static void outlive_in_queue(const struct reader *reader, int keeps_control)
{
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, pair))
		exit(1);
	send_fd(pair[0], keeps_control ? reader->control : reader->socket_fd);
	if (fork() == 0) {
		close(reader->control);
		close(reader->socket_fd);
		pause_ms(LINGER_MS);
		_exit(0);
	}
}

static void *close_it(void *context)
{
	const struct reader *reader = context;

	pause_ms(5);
	close(reader->socket_fd);
	return NULL;
}

static void close_under_a_reader(struct reader *reader)
{
	char bytes[65536];
	pthread_t thread;

	pthread_create(&thread, NULL, close_it, reader);
	while (recv(reader->socket_fd, bytes, sizeof(bytes), 0) > 0)
		;
	pthread_join(thread, NULL);
	pause_ms(LINGER_MS);
}

/* Another program has one of the two. */
static void execute(int fd)
{
	fcntl(fd, F_SETFD, 0);
	execlp("sleep", "sleep", "0.12", (char *)NULL);
	exit(1);
}

static void close_socket_first(struct reader *reader)
{
	close(reader->socket_fd);
	pause_ms(LINGER_MS);
}

static void close_a_duplicate_first(struct reader *reader)
{
	int fd = dup(reader->socket_fd);

	close(reader->socket_fd);
	pause_ms(10);
	close(fd);
	pause_ms(LINGER_MS);
}

#define NR_WAYS 12 /* the last is: nothing but SIGKILL */

static void end(struct reader *reader, unsigned int way)
{
	switch (way) {
	case 0:
		close_socket_first(reader);
		break;
	case 1:
		close(reader->control);
		break;
	case 2:
		close_a_duplicate_first(reader);
		break;
	case 3:
		outlive(reader, 1);
		break;
	case 4:
		outlive(reader, 0);
		break;
	case 5:
		outlive_in_queue(reader, 1);
		break;
	case 6:
		outlive_in_queue(reader, 0);
		break;
	case 7:
		close_under_a_reader(reader);
		break;
	case 8:
		execute(reader->control);
		break;
	case 9:
		execute(reader->socket_fd);
		break;
	case 10:
		exit(0);
	}
	kill(getpid(), SIGKILL);
}

static void read_some(int fd)
{
	struct timespec begin, now;
	char bytes[65536];
	ssize_t got;

	clock_gettime(CLOCK_MONOTONIC, &begin);
	do {
		while ((got = recv(fd, bytes, sizeof(bytes), MSG_DONTWAIT)) > 0)
			add(&board->received_bytes, got);
		pause_ms(5);
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while ((now.tv_sec - begin.tv_sec) * 1000 + (now.tv_nsec - begin.tv_nsec) / 1000000 < 60);
}

static int open_socket(uint32_t port)
{
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC);

	return try_bind(fd, port) ? -1 : fd;
}

/* In one of two orders: exit and SIGKILL close the lower descriptor first. */
static void be_reader(uint32_t port, unsigned int way, int socket_first)
{
	struct reader reader;

	if (socket_first)
		reader.socket_fd = open_socket(port);
	reader.control = open(UWIND_DEVICE, O_RDWR | O_CLOEXEC);
	if (!socket_first)
		reader.socket_fd = open_socket(port);
	if (reader.socket_fd < 0 || reader.control < 0 || attach(reader.control, reader.socket_fd) ||
	    start(reader.control))
		exit(1);
	board->port = port;
	add(&board->sessions, 1);
	read_some(reader.socket_fd);
	end(&reader, way);
}

/* --- the whole ---------------------------------------------------------------------------- */

static pid_t begin(void (*run)(void))
{
	pid_t pid = fork();

	if (pid == 0)
		run();
	return pid;
}

static uid_t attackers;

static void be_attacker(void)
{
	attack(attackers);
}

static void set_parameter(const char *name, const char *value)
{
	char path[128];
	int fd;

	snprintf(path, sizeof(path), PARAMETERS "%s", name);
	fd = open(path, O_WRONLY);
	if (fd >= 0 && write(fd, value, strlen(value)) < 0)
		perror(path);
	close(fd);
}

static unsigned long requested(int control)
{
	struct uwind_session_stats stats = { .size = sizeof(stats) };

	return ioctl(control, UWIND_IOC_SESSION_STATS, &stats) ? 0 : stats.requested;
}

/* The reader's socket is closed, the device is not. */
static void check_deserted(void)
{
	struct reader reader = { open(UWIND_DEVICE, O_RDWR | O_CLOEXEC), open_socket(FIRST_PORT - 1) };
	int other = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC);
	unsigned long before;

	if (attach(reader.control, reader.socket_fd) || start(reader.control))
		exit(1);
	pause_ms(100);
	check("a session samples", requested(reader.control) > 0, "it does not");
	close(reader.socket_fd);
	check_errno("its reader's port is taken, even if the socket is closed", try_bind(other, FIRST_PORT - 1),
		    EADDRINUSE);
	pause_ms(500);
	before = requested(reader.control);
	pause_ms(300);
	check("where nobody can read, nothing is sampled", requested(reader.control) == before, "it goes on");
	close(reader.control);
	check_errno("the port is free when the session has ended", try_bind(other, FIRST_PORT - 1), 0);
	close(other);
}

static unsigned int play(time_t seconds)
{
	time_t last = time(NULL) + seconds;
	unsigned int round;

	for (round = 0; time(NULL) < last || round < NR_WAYS; round++) {
		pid_t pid = fork();

		if (pid == 0)
			be_reader(FIRST_PORT + round, round % NR_WAYS, round / NR_WAYS % 2);
		waitpid(pid, NULL, 0);
		pause_ms(LINGER_MS + 40); /* until nothing of it is left, and its port has been taken */
	}
	return round;
}

int main(int argc, char **argv)
{
	pid_t others[NR_ATTACKERS + 3];
	char detail[128];
	unsigned int rounds, n = 0;

	if (argc != 3) {
		fprintf(stderr, "usage: reader_attack SECONDS UID\n");
		return 64;
	}
	family = genl_family();
	attackers = atoi(argv[2]);
	board = mmap(NULL, sizeof(*board), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	set_parameter("stall_ms", "20");
	set_parameter("stall_point", "2");
	others[n++] = begin(work);
	others[n++] = begin(work);
	others[n++] = begin(hold);
	for (int i = 0; i < NR_ATTACKERS; i++)
		others[n++] = begin(be_attacker);
	check_deserted();
	rounds = play(atoi(argv[1]));
	board->over = 1;
	while (n)
		waitpid(others[--n], NULL, 0);
	while (wait(NULL) > 0)
		;
	set_parameter("stall_point", "0");
	printf("%u rounds, %lu sessions, %lu ports taken, %lu bytes to their readers; %lu bytes in %lu messages to "
	       "others\n",
	       rounds, board->sessions, board->bound, board->received_bytes, board->stolen_bytes,
	       board->stolen_messages);
	check("every round has a session", board->sessions == rounds, "some did not start");
	check("readers receive", board->received_bytes > 1000, "they do not");
	check("ports of readers that are gone are taken", board->bound > rounds / 2, "few are");
	snprintf(detail, sizeof(detail), "never again: %lu messages do", board->stolen_messages);
	check("nothing reaches another socket", !board->stolen_messages, detail);
	return check_failures != 0;
}

// SPDX-License-Identifier: GPL-2.0
// What the contract promises about users without privilege, from several users' hands: prints "ok RULE" or "FAIL RULE".
//
// Usage: member_check GROUP USER OTHER FILE
//
// As root, with the module loaded and /dev/uwind open to GROUP, to which both users belong here. FILE is one that
// nobody maps; tables are tied to it.
#include <dirent.h>
#include <fcntl.h>
#include <grp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "check.h"
#include "genl.h"
#include "uwind.h"

#define NR_SESSIONS 5 /* one more than a user may have */
#define NR_TABLES   5 /* of one file, and so is this */
#define NR_THREADS  400
#define MOST_ASKS   1024 /* that nobody answered yet, of one user */

static gid_t group;
static uid_t user, other;
static const char *file;

static void become(uid_t uid)
{
	if (setgroups(1, &group) || setresgid(uid, uid, uid) || setresuid(uid, uid, uid) || prctl(PR_SET_DUMPABLE, 1)) {
		perror("becoming another user");
		exit(1);
	}
}

/* A process that sleeps until it is killed; own_ns: in a user namespace of its own. */
static pid_t sleeper(uid_t uid, int own_ns)
{
	int ready[2];
	char byte;
	pid_t pid;

	if (pipe(ready))
		exit(1);
	pid = fork();
	if (pid == 0) {
		become(uid);
		if (own_ns && unshare(CLONE_NEWUSER)) {
			perror("unshare");
			exit(1);
		}
		prctl(PR_SET_DUMPABLE, 1);
		if (write(ready[1], "", 1) == 1)
			for (;;)
				pause();
		exit(1);
	}
	close(ready[1]);
	check("a sleeper is ready", read(ready[0], &byte, 1) == 1, "it is not");
	close(ready[0]);
	return pid;
}

static int open_device(void)
{
	return open(UWIND_DEVICE, O_RDWR | O_CLOEXEC);
}

/* A socket that is the reader of an open device, or -1 with errno. */
static int attach(int control, int socket_fd)
{
	struct genl_message m;
	int error;

	genl_attach_message(&m, genl_family(), control, 1);
	if (send(socket_fd, &m, m.header.nlmsg_len, 0) < 0)
		return -1;
	error = genl_acknowledged(socket_fd, 1);
	errno = -error;
	return error ? -1 : 0;
}

static int open_attached(void)
{
	int control = open_device();

	return attach(control, socket(AF_NETLINK, SOCK_RAW, NETLINK_GENERIC)) ? -1 : control;
}

static int start(int control, uint32_t flags, uint64_t rate, pid_t pid)
{
	int32_t target = pid;
	struct uwind_session_start arg = {
		.size = sizeof(arg),
		.flags = flags | UWIND_SESSION_DISABLED | (pid ? 0 : UWIND_SESSION_ALL),
		.rate = rate,
		.targets = (uintptr_t)&target,
		.nr_targets = pid != 0,
	};

	return ioctl(control, UWIND_IOC_SESSION_START, &arg);
}

static int stop(int control)
{
	struct uwind_session_stats stats = { .size = sizeof(stats) };

	return ioctl(control, UWIND_IOC_SESSION_STOP, &stats);
}

static void check_rates(void)
{
	int control = open_attached();

	check_errno("10,001 Hz is too often", start(control, UWIND_SESSION_FREQUENCY, 10001, 0), EINVAL);
	check_errno("a period of 99,999 ns is too short", start(control, 0, 99999, 0), EINVAL);
	check_errno("10,000 Hz is not", start(control, UWIND_SESSION_FREQUENCY, 10000, 0), 0);
	check_errno("which ends", stop(control), 0);
	check_errno("nor is a period of 100,000", start(control, 0, 100000, 0), 0);
	close(control);
}

static void check_sessions(void)
{
	int control[NR_SESSIONS];

	for (int i = 0; i < NR_SESSIONS; i++) {
		control[i] = open_attached();
		check_errno(i < NR_SESSIONS - 1 ? "a user has four sessions" : "and no fifth",
			    start(control[i], UWIND_SESSION_FREQUENCY, 1, 0), i < NR_SESSIONS - 1 ? 0 : EBUSY);
	}
	for (int i = 0; i < NR_SESSIONS; i++)
		close(control[i]);
}

static int nr_begun; /* threads that sleep, or will at once */

static void *sleep_on(void *context)
{
	__atomic_add_fetch(&nr_begun, 1, __ATOMIC_RELAXED);
	while (pause() < 0)
		;
	return context;
}

static int sleeps(const char *thread)
{
	char path[64], line[256] = "";
	FILE *stat;

	snprintf(path, sizeof(path), "/proc/self/task/%.16s/stat", thread);
	stat = fopen(path, "re");
	if (!stat)
		return 1;
	if (!fgets(line, sizeof(line), stat))
		line[0] = '\0';
	fclose(stat);
	return strstr(line, ") S ") != NULL;
}

/* All threads but this one have gone to sleep. */
static int all_sleep(void)
{
	DIR *tasks = opendir("/proc/self/task");
	struct dirent *entry;
	int running = 0;

	while (tasks && (entry = readdir(tasks)))
		running += entry->d_name[0] != '.' && !sleeps(entry->d_name);
	if (tasks)
		closedir(tasks);
	return tasks && running == 1 && __atomic_load_n(&nr_begun, __ATOMIC_RELAXED) == NR_THREADS;
}

/* Threads that sleep, in a process of their own; returns its number. */
static pid_t sleeping_threads(int *ready)
{
	pthread_attr_t attributes;
	pthread_t thread;
	int ends[2];
	pid_t pid;

	if (pipe(ends))
		exit(1);
	pid = fork();
	if (pid == 0) {
		pthread_attr_init(&attributes);
		pthread_attr_setstacksize(&attributes, 65536);
		for (int i = 0; i < NR_THREADS; i++)
			if (pthread_create(&thread, &attributes, sleep_on, NULL))
				exit(1);
		prctl(PR_SET_DUMPABLE, 1);
		while (!all_sleep())
			usleep(10000);
		if (write(ends[1], "", 1) == 1)
			sleep_on(NULL);
		exit(1);
	}
	close(ends[1]);
	*ready = ends[0];
	return pid;
}

/* Asks for each thread but the first, which may be on its way to sleep and answer, again and again, until there is an
 * error other than that the thread has enough. Returns how many were asked. */
static int ask_all(int control, pid_t pid, int *error)
{
	int asked = 0;

	*error = 0;
	for (int round = 0; round < 8 && *error != EDQUOT; round++)
		for (int i = 1; i <= NR_THREADS && *error != EDQUOT; i++) {
			struct uwind_session_ask ask = { .size = sizeof(ask), .tid = pid + i };

			*error = ioctl(control, UWIND_IOC_SESSION_ASK, &ask) ? errno : 0;
			asked += *error == 0;
		}
	return asked;
}

static void check_asks(void)
{
	int ready, error, control = open_attached(), asked;
	pid_t pid = sleeping_threads(&ready);
	char byte, detail[64];

	check("threads sleep", read(ready, &byte, 1) == 1, "they do not");
	start(control, UWIND_SESSION_FREQUENCY, 1, getpid());
	asked = ask_all(control, pid, &error);
	snprintf(detail, sizeof(detail), "%d were, then errno %d", asked, error);
	check("a user asks for 1,024 stacks that are not there yet", asked == MOST_ASKS && error == EDQUOT, detail);
	close(control);
	control = open_attached();
	start(control, UWIND_SESSION_FREQUENCY, 1, getpid());
	check("which stay open without the session", !ask_all(control, pid, &error) && error == EDQUOT,
	      "more were asked");
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	pid = sleeping_threads(&ready);
	check("threads sleep again", read(ready, &byte, 1) == 1, "they do not");
	asked = ask_all(control, pid, &error);
	snprintf(detail, sizeof(detail), "%d were, then errno %d", asked, error);
	check("what is answered makes room", asked == MOST_ASKS, detail);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	close(control);
}

static uint32_t make_table(int control)
{
	const struct uwind_row row = { 0, 0 };
	const struct uwind_rule rule = { .kind = UWIND_RULE_OUTERMOST };
	struct uwind_table_create create = {
		.size = sizeof(create),
		.source = UWIND_SOURCE_ROWS,
		.method = UWIND_METHOD_SYNTH,
		.pidfd = -1,
		.data = (uintptr_t)&row,
		.data_bytes = sizeof(row),
		.rules = (uintptr_t)&rule,
		.nr_rules = 1,
	};

	return ioctl(control, UWIND_IOC_TABLE_CREATE, &create) ? 0 : create.table;
}

static int tie(int control)
{
	struct uwind_table_tie arg = { .size = sizeof(arg),
				       .table = make_table(control),
				       .fd = open(file, O_RDONLY | O_CLOEXEC) };
	int result = ioctl(control, UWIND_IOC_TABLE_TIE, &arg), error = errno;

	close(arg.fd);
	errno = error;
	return result;
}

static void check_tables(void)
{
	int control = open_device();

	for (int i = 0; i < NR_TABLES; i++)
		check_errno(i < NR_TABLES - 1 ? "four of a user's tables are tied to a file" : "and no fifth",
			    tie(control), i < NR_TABLES - 1 ? 0 : ENOSPC);
	close(control);
}

/* A rule about somebody, in the variables name and whose. */
#define NAMED(what) (snprintf(name, sizeof(name), "%s: %s", whose, what), name)

/* Every ioctl that names a process, about one that may be seen or not. */
static void check_process(const char *whose, pid_t pid, int seen)
{
	const struct uwind_range range = { 0x10000, 0x11000, 0 };
	const struct uwind_segment segment = { 0x1000, 0x1000, 0x1000 };
	int control = open_attached(), pidfd = syscall(SYS_pidfd_open, pid, 0);
	struct uwind_range_bind bind = { sizeof(bind), make_table(control), pidfd, 1, (uintptr_t)&range };
	struct uwind_range_unbind unbind = { sizeof(unbind), pidfd, 0x10000 };
	struct uwind_session_ask ask = { .size = sizeof(ask), .tid = pid };
	struct uwind_table_create remote = {
		.size = sizeof(remote),
		.source = UWIND_SOURCE_SFRAME_REMOTE,
		.data = 0x10000,
		.data_bytes = 64,
		.address = 0x10000,
		.pidfd = pidfd,
		.segments = (uintptr_t)&segment,
		.nr_segments = 1,
	};
	int32_t number = pid;
	struct uwind_session_start without = {
		.size = sizeof(without),
		.flags = UWIND_SESSION_ALL | UWIND_SESSION_FREQUENCY | UWIND_SESSION_DISABLED,
		.rate = 1,
		.excludes = (uintptr_t)&number,
		.nr_excludes = 1,
	};
	char name[128];

	check_errno(NAMED("RANGE_BIND"), ioctl(control, UWIND_IOC_RANGE_BIND, &bind), seen ? EFAULT : EACCES);
	check_errno(NAMED("RANGE_UNBIND"), ioctl(control, UWIND_IOC_RANGE_UNBIND, &unbind), seen ? ENOENT : EACCES);
	check_errno(NAMED("SFRAME_REMOTE"), ioctl(control, UWIND_IOC_TABLE_CREATE, &remote), seen ? EFAULT : EACCES);
	check_errno(NAMED("excluded"), ioctl(control, UWIND_IOC_SESSION_START, &without), seen ? 0 : EACCES);
	if (seen)
		stop(control);
	check_errno(NAMED("SESSION_START"), start(control, UWIND_SESSION_FREQUENCY, 1, pid), seen ? 0 : EACCES);
	if (!seen)
		check_errno("a session of all", start(control, UWIND_SESSION_FREQUENCY, 1, 0), 0);
	check_errno(NAMED("ASK"), ioctl(control, UWIND_IOC_SESSION_ASK, &ask), seen ? 0 : EACCES);
	close(pidfd);
	close(control);
}

/* Runs a check as another user, in a process of its own. */
static void as(uid_t uid, void (*checks)(void *), void *context)
{
	int status;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		become(uid);
		checks(context);
		exit(check_failures != 0);
	}
	waitpid(pid, &status, 0);
	if (status)
		check_failures++;
}

struct hands {
	const char *whose;
	int control, socket_fd;
};

/* What uid opens, and others inherit. */
static void open_hands(struct hands *hands, uid_t uid)
{
	if (setgroups(1, &group) || seteuid(uid))
		exit(1);
	hands->control = open(UWIND_DEVICE, O_RDWR);
	hands->socket_fd = socket(AF_NETLINK, SOCK_RAW, NETLINK_GENERIC);
	if (seteuid(0))
		exit(1);
}

static void check_other_hands(void *context)
{
	const struct hands *hands = context;
	const char *whose = hands->whose;
	struct uwind_abi abi = { .size = sizeof(abi) };
	struct uwind_stats stats = { .size = sizeof(stats) };
	int mine = socket(AF_NETLINK, SOCK_RAW, NETLINK_GENERIC);
	char name[128];

	check_errno(NAMED("ABI"), ioctl(hands->control, UWIND_IOC_ABI, &abi), 0);
	check_errno(NAMED("STATS is refused"), ioctl(hands->control, UWIND_IOC_STATS, &stats), EPERM);
	check_errno(NAMED("SESSION_START is refused"), start(hands->control, UWIND_SESSION_FREQUENCY, 1, 0), EPERM);
	check_errno(NAMED("to attach an own socket is refused"), attach(hands->control, mine), EPERM);
	check_errno(NAMED("to attach that user's socket is refused"), attach(open_device(), hands->socket_fd), EPERM);
}

struct processes {
	pid_t own, others, own_ns, others_ns;
};

static void check_member(void *context)
{
	const struct processes *processes = context;
	struct uwind_watch_text watch = {
		.size = sizeof(watch),
		.flags = UWIND_WATCH_MODULES,
		.bytes = UWIND_MIN_TEXT_BYTES,
	};

	check_errno("WATCH_TEXT is for privileged users", ioctl(open_device(), UWIND_IOC_WATCH_TEXT, &watch), EPERM);
	check_rates();
	check_sessions();
	check_tables();
	check_asks();
	check_process("an own process", processes->own, 1);
	check_process("another user's process", processes->others, 0);
	check_process("root's process", getppid(), 0);
	check_process("a process in a namespace of the own", processes->own_ns, 1);
	check_process("a process in another user's namespace", processes->others_ns, 0);
}

int main(int argc, char **argv)
{
	struct processes processes;
	struct hands roots = { .whose = "root's descriptor" }, users = { .whose = "another user's descriptor" };

	if (argc != 5) {
		fprintf(stderr, "usage: member_check GROUP USER OTHER FILE\n");
		return 64;
	}
	group = atoi(argv[1]), user = atoi(argv[2]), other = atoi(argv[3]), file = argv[4];
	processes = (struct processes){ sleeper(user, 0), sleeper(other, 0), sleeper(user, 1), sleeper(other, 1) };
	as(user, check_member, &processes);
	open_hands(&roots, 0);
	open_hands(&users, user);
	as(user, check_other_hands, &roots);
	as(other, check_other_hands, &users);
	kill(processes.own, SIGKILL);
	kill(processes.others, SIGKILL);
	kill(processes.own_ns, SIGKILL);
	kill(processes.others_ns, SIGKILL);
	return check_failures != 0;
}

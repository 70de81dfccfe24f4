// SPDX-License-Identifier: GPL-2.0
// What users may make the module keep, from several users' hands: prints "ok RULE" or "FAIL RULE".
//
// Usage: quota_check
//
// As root, with the module loaded. Sets the module's parameters, and sets them back. Users register sections of
// their own until they are refused, and keep them meanwhile.
#include <fcntl.h>
#include <grp.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "clock.h"
#include "section.h"

#define FIRST_USER  62000
#define FIRST_ID    620000 /* of those that are mapped into a user's namespace */
#define NR_IDS      1000
#define MOST        12 /* sections, more than any limit here */
#define PATIENCE_MS 120000
#define CGROUPS     "/sys/fs/cgroup"
#define CGROUP      CGROUPS "/quota_check"
#define NR_ROWS     (4u << 20) /* a cgroup keeps 64 pages for each CPU, of up to 64 KiB: their table is larger */
#define LEAST_BYTES NR_ROWS    /* of their table */

/* Somebody who holds what was accepted until killed. */
struct holder {
	pid_t pid;
	int accepted, err;
};

static long page;
static unsigned int spaces_before; /* what is remembered of other processes */

/* Ids of the namespace, which its parent writes when it is told. */
static void enter_namespace(int ready, int go, uid_t id)
{
	char byte;

	if (unshare(CLONE_NEWUSER) || write(ready, "", 1) != 1 || read(go, &byte, 1) != 1 || setgroups(0, NULL) ||
	    setresgid(id, id, id) || setresuid(id, id, id)) {
		perror("quota_check: a namespace");
		_exit(1);
	}
}

/* To ids of their own, or to themselves. */
static void map_ids(pid_t pid, const char *name, int same)
{
	char path[64], map[64];
	int fd, bytes = snprintf(map, sizeof(map), "0 %d %d\n", same ? 0 : FIRST_ID,
				 same ? FIRST_USER + NR_IDS : NR_IDS);

	snprintf(path, sizeof(path), "/proc/%d/%s", pid, name);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (write(fd, map, bytes) != bytes)
		perror("quota_check: mapping ids");
	close(fd);
}

static void fill(int result, size_t text_bytes, int repeated)
{
	struct holder holder = { .err = 0 };
	int device = open(UWIND_SELF_DEVICE, O_RDWR | O_CLOEXEC);

	while (holder.accepted < MOST && !holder.err) {
		holder.err = section_add(device, text_bytes, repeated) == MAP_FAILED ? errno : 0;
		holder.accepted += !holder.err;
	}
	if (write(result, &holder, sizeof(holder)) == sizeof(holder))
		for (;;)
			pause();
	_exit(1);
}

/* id: of the user's own namespace, or -1: none. The user's number: of one that root made, where ids are what they are outside. */
static struct holder hold(uid_t user, int id, size_t text_bytes, int repeated)
{
	int ready[2], go[2], result[2];
	struct holder holder = { .err = EPIPE };
	char byte;
	pid_t pid;

	if (pipe(ready) || pipe(go) || pipe(result))
		exit(1);
	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		int roots = id == (int)user;

		if (!roots && (setgroups(0, NULL) || setresgid(user, user, user) || setresuid(user, user, user)))
			_exit(1);
		if (id >= 0)
			enter_namespace(ready[1], go[0], id);
		close(ready[1]);
		fill(result[1], text_bytes, repeated);
	}
	close(result[1]);
	if (id >= 0 && read(ready[0], &byte, 1) == 1) {
		map_ids(pid, "gid_map", id == (int)user);
		map_ids(pid, "uid_map", id == (int)user);
		if (write(go[1], "", 1) != 1)
			perror("quota_check: go");
	}
	if (read(result[0], &holder, sizeof(holder)) != sizeof(holder))
		perror("quota_check: nobody answers");
	holder.pid = pid;
	close(ready[0]), close(ready[1]), close(go[0]), close(go[1]), close(result[0]);
	return holder;
}

static struct uwind_stats stats_now(void)
{
	struct uwind_stats stats = { .size = sizeof(stats) };
	int device = open(UWIND_DEVICE, O_RDWR | O_CLOEXEC);

	if (ioctl(device, UWIND_IOC_STATS, &stats))
		perror("quota_check: statistics");
	close(device);
	return stats;
}

/* Whether it comes true: whoever holds it up is the kernel, which has its own time. */
static int comes(int (*condition)(void))
{
	long end = now_ms() + PATIENCE_MS;

	while (!condition()) {
		if (now_ms() >= end)
			return 0;
		usleep(50000);
	}
	return 1;
}

/* Nothing is left of those who were released. */
static int is_settled(void)
{
	struct uwind_stats stats = stats_now();

	return !stats.nr_tables && stats.nr_spaces <= spaces_before;
}

/* Returns whether what they held is given back. */
static int release(struct holder *holders, int nr)
{
	for (int i = 0; i < nr; i++) {
		kill(holders[i].pid, SIGKILL);
		waitpid(holders[i].pid, NULL, 0);
	}
	return comes(is_settled);
}

static void expect(const char *kind, const char *rule, struct holder got, int accepted, int err)
{
	char name[128], detail[128];

	snprintf(name, sizeof(name), "%s: %s", kind, rule);
	snprintf(detail, sizeof(detail), "%d accepted and then %s", got.accepted, strerror(got.err));
	check(name, got.accepted == accepted && got.err == err, detail);
}

/* Sets a parameter; returns what it was. */
static unsigned int set_parameter(const char *name, unsigned int value)
{
	char path[128], text[32] = "";
	int fd;

	snprintf(path, sizeof(path), "/sys/module/uwind/parameters/%s", name);
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0 || read(fd, text, sizeof(text) - 1) <= 0 || dprintf(fd, "%u\n", value) < 0)
		perror(path);
	close(fd);
	return strtoul(text, NULL, 10);
}

/* What is counted: a user's part, others', ids that belong to one user, and what all have. */
static void check_kind(const char *kind, const char *parameter)
{
	unsigned int old = set_parameter(parameter, 8);
	struct holder holders[8];
	int nr = 0;

	expect(kind, "a user's part ends", holders[nr++] = hold(FIRST_USER, -1, page, 0), 8, EDQUOT);
	expect(kind, "another id of the user's namespace has no part of its own",
	       holders[nr++] = hold(FIRST_USER, 1, page, 0), 0, EDQUOT);
	expect(kind, "another user has one", holders[nr++] = hold(FIRST_USER + 1, -1, page, 0), 8, EDQUOT);
	expect(kind, "in a namespace as well", holders[nr++] = hold(FIRST_USER + 2, 1, page, 0), 8, EDQUOT);
	expect(kind, "whose ids share it", holders[nr++] = hold(FIRST_USER + 2, 2, page, 0), 0, EDQUOT);
	expect(kind, "a fourth user has one", holders[nr++] = hold(FIRST_USER + 3, -1, page, 0), 8, EDQUOT);
	expect(kind, "and what all users have ends", holders[nr++] = hold(FIRST_USER + 4, -1, page, 0), 0, ENOSPC);
	check("what was held is given back", release(holders, nr), "it is not");
	nr = 0;
	expect(kind, "there is room again", holders[nr++] = hold(FIRST_USER + 4, -1, page, 0), 8, EDQUOT);
	release(holders, nr);
	set_parameter(parameter, old);
}

/* Namespaces of root in which ids are what they are outside: services have such. */
static void check_same_ids(void)
{
	unsigned int old = set_parameter("self_quota_tables", 8);
	struct holder holders[3];
	int nr = 0;

	expect("ids that are the same outside", "a user has a part",
	       holders[nr++] = hold(FIRST_USER, FIRST_USER, page, 0), 8, EDQUOT);
	expect("ids that are the same outside", "which is the one outside",
	       holders[nr++] = hold(FIRST_USER, -1, page, 0), 0, EDQUOT);
	expect("ids that are the same outside", "another user has another",
	       holders[nr++] = hold(FIRST_USER + 1, FIRST_USER + 1, page, 0), 8, EDQUOT);
	release(holders, nr);
	set_parameter("self_quota_tables", old);
}

/* Processes, of each of which something is remembered. */
static void check_spaces(void)
{
	unsigned int old = set_parameter("space_quota", 2);
	struct holder holders[11];
	int nr = 0;

	for (int i = 0; i < 8; i++)
		expect("processes", "a user has a part", holders[nr++] = hold(FIRST_USER + i / 2, -1, page, 0), MOST,
		       0);
	expect("processes", "which ends", holders[nr++] = hold(FIRST_USER, -1, page, 0), 0, EDQUOT);
	expect("processes", "and what all users have ends", holders[nr++] = hold(FIRST_USER + 4, -1, page, 0), 0,
	       ENOSPC);
	release(holders, nr);
	nr = 0;
	expect("processes", "there is room again", holders[nr++] = hold(FIRST_USER, -1, page, 0), MOST, 0);
	release(holders, nr);
	set_parameter("space_quota", old);
}

/* 50 bytes that ask for half a million rows. */
static void check_input(void)
{
	const size_t text_bytes = 1u << 19;
	unsigned int old = set_parameter("input_quota_kib", 2048);
	struct holder holder = hold(FIRST_USER, -1, text_bytes, 1);

	expect("memory while a table is made", "it is charged before it is allocated", holder, 0, EDQUOT);
	release(&holder, 1);
	set_parameter("input_quota_kib", 65536);
	holder = hold(FIRST_USER, -1, text_bytes, 1);
	check("memory while a table is made: it is given back each time", holder.accepted == MOST,
	      strerror(holder.err));
	release(&holder, 1);
	set_parameter("input_quota_kib", old);
}

static void enter_cgroup(const char *path)
{
	char procs[128];
	int fd;

	snprintf(procs, sizeof(procs), "%s/cgroup.procs", path);
	fd = open(procs, O_WRONLY | O_CLOEXEC);
	if (fd < 0 || write(fd, "0", 1) != 1)
		perror(procs);
	close(fd);
}

/* In bytes. */
static uint64_t memory_of(const char *path)
{
	char current[128], text[32] = "";
	int fd;

	snprintf(current, sizeof(current), "%s/memory.current", path);
	fd = open(current, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || read(fd, text, sizeof(text) - 1) <= 0)
		perror(current);
	close(fd);
	return strtoull(text, NULL, 10);
}

/* Of rows that differ from their neighbours, and would be fewer otherwise. 0, or -1 with errno. */
static int make_table(int device)
{
	const struct uwind_rule rules[] = { { .kind = UWIND_RULE_OUTERMOST }, { .kind = UWIND_RULE_UNKNOWN } };
	struct uwind_row *rows = malloc(NR_ROWS * sizeof(*rows));
	struct uwind_table_create create = {
		.size = sizeof(create),
		.source = UWIND_SOURCE_ROWS,
		.method = UWIND_METHOD_SYNTH,
		.pidfd = -1,
		.data = (uintptr_t)rows,
		.data_bytes = NR_ROWS * sizeof(*rows),
		.rules = (uintptr_t)rules,
		.nr_rules = 2,
	};
	int result;

	if (!rows)
		return -1;
	for (uint32_t i = 0; i < NR_ROWS; i++)
		rows[i] = (struct uwind_row){ i, i % 2 };
	result = ioctl(device, UWIND_IOC_TABLE_CREATE, &create);
	free(rows);
	return result;
}

/* The kernel frees what RCU protects seconds after its grace period. */
static int is_uncharged(void)
{
	return memory_of(CGROUP) < LEAST_BYTES;
}

/* To the cgroup that its maker is in: much more than what else it has of this process. */
static void check_charged(void)
{
	int device = open(UWIND_DEVICE, O_RDWR | O_CLOEXEC), result;
	uint64_t tables = stats_now().table_bytes, charged;
	char detail[96];

	if (mkdir(CGROUP, 0755))
		perror(CGROUP);
	charged = memory_of(CGROUP);
	enter_cgroup(CGROUP);
	result = make_table(device);
	enter_cgroup(CGROUPS);
	tables = stats_now().table_bytes - tables;
	charged = memory_of(CGROUP) - charged;
	snprintf(detail, sizeof(detail), "%d: %llu bytes of tables, %llu charged", result, (unsigned long long)tables,
		 (unsigned long long)charged);
	check("tables are charged to their maker's cgroup", tables >= LEAST_BYTES && charged >= tables, detail);
	close(device);
	check("which is given back", comes(is_settled), "the table is not");
	result = comes(is_uncharged);
	snprintf(detail, sizeof(detail), "%llu bytes are charged", (unsigned long long)memory_of(CGROUP));
	check("as far as the cgroup is concerned, too", result, detail);
	check_errno("so that it can go", rmdir(CGROUP), 0);
}

int main(void)
{
	page = sysconf(_SC_PAGESIZE);
	spaces_before = stats_now().nr_spaces;
	check_charged();
	check_kind("tables", "self_quota_tables");
	check_kind("ranges", "range_quota");
	check_same_ids();
	check_spaces();
	check_input();
	return check_failures != 0;
}

// SPDX-License-Identifier: GPL-2.0
// Feeds every ioctl of both devices every kind of input that it must refuse, and prints "ok RULE" or "FAIL RULE".
//
// Runs as root, with the module loaded. A call is made by a line of a table: the struct as it should be, one thing
// spoilt, and the errno that include/uapi/uwind.h promises for it.
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "check.h"
#include "genl.h"
#include "uwind.h"

static int control, self, own_pidfd, own_exe, pipe_fd;

static const struct uwind_row rows[] = { { 0, 0 }, { 64, 1 } };
static const struct uwind_row unsorted_rows[] = { { 64, 0 }, { 0, 1 } };
static const struct uwind_row wild_rows[] = { { 0, 0 }, { 64, 2 } };
static const struct uwind_rule rules[] = {
	{ .kind = UWIND_RULE_OUTERMOST },
	{ .kind = UWIND_RULE_NONE },
};
static const struct uwind_rule unknown_rule[] = { { .kind = 99 }, { .kind = 0 } };
static const struct uwind_rule rbx_rule[] = { { .kind = UWIND_RULE_OUTERMOST, .base_slot = 1 }, { .kind = 0 } };
static const unsigned char garbage[64] = { 0x13, 0x37 };
static const unsigned char version_99[64] = { 0xe2, 0xde, 99 };
static const struct uwind_segment segment = { 0x1000, 0x1000, 0x1000 };

#ifdef __aarch64__
#define COMPAT_ARCH  UWIND_ARCH_ARM
#define FOREIGN_ARCH UWIND_ARCH_X86_64
#else
#define COMPAT_ARCH  UWIND_ARCH_I386
#define FOREIGN_ARCH UWIND_ARCH_ARM64
#endif

#define BAD_POINTER 8ull
#define PTR(p)      ((uint64_t)(uintptr_t)(p))

static struct uwind_table_create good_rows(void)
{
	return (struct uwind_table_create){
		.size = sizeof(struct uwind_table_create),
		.source = UWIND_SOURCE_ROWS,
		.data = PTR(rows),
		.data_bytes = sizeof(rows),
		.pidfd = -1,
		.rules = PTR(rules),
		.nr_rules = 2,
		.method = UWIND_METHOD_EH_FRAME,
	};
}

static struct uwind_table_create good_sframe(const void *bytes, uint64_t nr_bytes)
{
	return (struct uwind_table_create){
		.size = sizeof(struct uwind_table_create),
		.source = UWIND_SOURCE_SFRAME_BYTES,
		.data = PTR(bytes),
		.data_bytes = nr_bytes,
		.address = 0x2000,
		.pidfd = -1,
		.segments = PTR(&segment),
		.nr_segments = 1,
	};
}

static uint32_t make_table(void)
{
	struct uwind_table_create c = good_rows();

	return ioctl(control, UWIND_IOC_TABLE_CREATE, &c) == 0 ? c.table : 0;
}

static void drop_table(uint32_t table)
{
	struct uwind_table_destroy d = { sizeof(d), table };

	ioctl(control, UWIND_IOC_TABLE_DESTROY, &d);
}

/* Every struct that goes through an ioctl follows the same rules about its size and its pointer. */
struct shape {
	const char *name;
	int *fd;
	unsigned long request;
	size_t bytes;
};

static const struct shape shapes[] = {
	{ "ABI", &control, UWIND_IOC_ABI, sizeof(struct uwind_abi) },
	{ "ABI on the open device", &self, UWIND_IOC_ABI, sizeof(struct uwind_abi) },
	{ "TABLE_CREATE", &control, UWIND_IOC_TABLE_CREATE, sizeof(struct uwind_table_create) },
	{ "TABLE_DESTROY", &control, UWIND_IOC_TABLE_DESTROY, sizeof(struct uwind_table_destroy) },
	{ "TABLE_TIE", &control, UWIND_IOC_TABLE_TIE, sizeof(struct uwind_table_tie) },
	{ "RANGE_BIND", &control, UWIND_IOC_RANGE_BIND, sizeof(struct uwind_range_bind) },
	{ "RANGE_UNBIND", &control, UWIND_IOC_RANGE_UNBIND, sizeof(struct uwind_range_unbind) },
	{ "TABLE_NEXT", &control, UWIND_IOC_TABLE_NEXT, sizeof(struct uwind_table_next) },
	{ "STATS", &control, UWIND_IOC_STATS, sizeof(struct uwind_stats) },
	{ "SESSION_START", &control, UWIND_IOC_SESSION_START, sizeof(struct uwind_session_start) },
	{ "SESSION_ASK", &control, UWIND_IOC_SESSION_ASK, sizeof(struct uwind_session_ask) },
	{ "SESSION_STATS", &control, UWIND_IOC_SESSION_STATS, sizeof(struct uwind_session_stats) },
	{ "SESSION_STOP", &control, UWIND_IOC_SESSION_STOP, sizeof(struct uwind_session_stats) },
	{ "SELF_ADD", &self, UWIND_IOC_SELF_ADD, sizeof(struct uwind_self_add) },
	{ "SELF_REMOVE", &self, UWIND_IOC_SELF_REMOVE, sizeof(struct uwind_self_remove) },
	{ "SELF_NEXT", &self, UWIND_IOC_SELF_NEXT, sizeof(struct uwind_self_next) },
};

static void named(const char *rule, const char *subject, int result, int wanted)
{
	char name[160];

	snprintf(name, sizeof(name), "%s: %s", subject, rule);
	check_errno(name, result, wanted);
}

static void check_shape(const struct shape *s)
{
	long page = sysconf(_SC_PAGESIZE);
	char *memory = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *longer = memory, *cut = memory + page - 8;
	uint32_t size = s->bytes + 8, tiny = 0, huge = 1u << 20;

	munmap(memory + page, page);
	named("a bad pointer is refused", s->name, ioctl(*s->fd, s->request, (void *)BAD_POINTER), EFAULT);
	memcpy(longer, &tiny, sizeof(tiny));
	named("a size of 0 is refused", s->name, ioctl(*s->fd, s->request, longer), EINVAL);
	memcpy(longer, &size, sizeof(size));
	longer[s->bytes] = 1;
	named("a longer struct with something in its tail is refused", s->name, ioctl(*s->fd, s->request, longer),
	      E2BIG);
	memcpy(longer, &huge, sizeof(huge));
	named("a struct longer than a page is refused", s->name, ioctl(*s->fd, s->request, longer), E2BIG);
	size = s->bytes;
	memcpy(cut, &size, sizeof(size));
	if (s->bytes > 8)
		named("a struct that runs into unmapped memory is refused", s->name, ioctl(*s->fd, s->request, cut),
		      EFAULT);
	munmap(memory, page);
}

static void check_accepted_shapes(void)
{
	struct {
		struct uwind_abi abi;
		uint64_t tail;
	} longer = { .abi.size = sizeof(longer) };
	struct uwind_abi abi = { .size = 8 };
	struct uwind_stats stats = { .size = sizeof(stats) };

	check_errno("ABI: a longer struct with a tail of zeros is accepted", ioctl(control, UWIND_IOC_ABI, &longer), 0);
	check("ABI: the version is the header's", longer.abi.version == UWIND_ABI_VERSION, "another version");
	check_errno("ABI: a shorter struct is accepted", ioctl(control, UWIND_IOC_ABI, &abi), 0);
	check("ABI: a shorter struct is not written behind its end", abi.module[0] == 0, "it was");
	check_errno("STATS: accepted", ioctl(control, UWIND_IOC_STATS, &stats), 0);
}

static void check_numbers(void)
{
	char space[512] = { 0 };

	check_errno("an unknown number is refused", ioctl(control, _IOWR(UWIND_IOC_MAGIC, 31, struct uwind_abi), space),
		    ENOTTY);
	check_errno("another magic is refused", ioctl(control, _IOWR('u', 0, struct uwind_abi), space), ENOTTY);
	check_errno("the open device does not create tables", ioctl(self, UWIND_IOC_TABLE_CREATE, space), ENOTTY);
	check_errno("the open device starts no session", ioctl(self, UWIND_IOC_SESSION_START, space), ENOTTY);
	check_errno("the privileged device registers nobody's own", ioctl(control, UWIND_IOC_SELF_ADD, space), ENOTTY);
}

#define CREATE(rule, base, spoil, wanted)                                                               \
	do {                                                                                            \
		struct uwind_table_create c = base;                                                     \
		spoil;                                                                                  \
		check_errno("TABLE_CREATE: " rule, ioctl(control, UWIND_IOC_TABLE_CREATE, &c), wanted); \
	} while (0)

static void check_create_rows(void)
{
	CREATE("good rows are accepted", good_rows(), , 0);
	CREATE("an unknown source is refused", good_rows(), c.source = 99, EINVAL);
	CREATE("no rules are refused", good_rows(), c.nr_rules = 0, EINVAL);
	CREATE("too many rules are refused", good_rows(), c.nr_rules = UWIND_MAX_RULES + 1, EINVAL);
	CREATE("rules at a bad pointer are refused", good_rows(), c.rules = BAD_POINTER, EFAULT);
	CREATE("an unknown method is refused", good_rows(), c.method = UWIND_NR_METHODS, EINVAL);
	CREATE("rows of 32-bit code are accepted", good_rows(), c.arch = COMPAT_ARCH, 0);
	CREATE("an unknown architecture is refused", good_rows(), c.arch = UWIND_ARCH_ARM + 1, EINVAL);
	CREATE("another machine's architecture is refused", good_rows(), c.arch = FOREIGN_ARCH, EINVAL);
	CREATE("a reserved field of rows is refused", good_rows(), c.reserved = 1, EINVAL);
	CREATE("an architecture of a section is refused", good_sframe(garbage, sizeof(garbage)), c.arch = 1, EINVAL);
	CREATE("no rows are refused", good_rows(), c.data_bytes = 0, EINVAL);
	CREATE("half a row is refused", good_rows(), c.data_bytes = 12, EINVAL);
	CREATE("too many rows are refused", good_rows(), c.data_bytes = 8ull * (UWIND_MAX_ROWS + 1), EINVAL);
	CREATE("rows at a bad pointer are refused", good_rows(), c.data = BAD_POINTER, EFAULT);
	CREATE("rows out of order are refused", good_rows(), c.data = PTR(unsorted_rows), EBADMSG);
	CREATE("a row with a rule that is not there is refused", good_rows(), c.data = PTR(wild_rows), EBADMSG);
	CREATE("an unknown kind of rule is refused", good_rows(), c.rules = PTR(unknown_rule), EBADMSG);
	CREATE("a rule that is not FRAME has no place of RBX", good_rows(), c.rules = PTR(rbx_rule), EBADMSG);
	CREATE("a pidfd with rows is refused", good_rows(), c.pidfd = own_pidfd, EINVAL);
}

static void check_create_sframe(void)
{
	CREATE("garbage is refused", good_sframe(garbage, 64), , EBADMSG);
	CREATE("an unknown version is refused", good_sframe(version_99, 64), , EPROTONOSUPPORT);
	CREATE("a section shorter than its header is refused", good_sframe(version_99, 3), , EBADMSG);
	CREATE("a section too long is refused", good_sframe(garbage, UWIND_MAX_SECTION_BYTES + 1ull), , EINVAL);
	CREATE("a section at a bad pointer is refused", good_sframe(garbage, 64), c.data = BAD_POINTER, EFAULT);
	CREATE("no segments are refused", good_sframe(garbage, 64), c.nr_segments = 0, EINVAL);
	CREATE("too many segments are refused", good_sframe(garbage, 64), c.nr_segments = UWIND_MAX_SEGMENTS + 1,
	       EINVAL);
	CREATE("segments at a bad pointer are refused", good_sframe(garbage, 64), c.segments = BAD_POINTER, EFAULT);
	CREATE("a remote section without a pidfd is refused", good_sframe(garbage, 64),
	       c.source = UWIND_SOURCE_SFRAME_REMOTE, EBADF);
	CREATE("a remote section of something that is no pidfd is refused", good_sframe(garbage, 64),
	       (c.source = UWIND_SOURCE_SFRAME_REMOTE, c.pidfd = pipe_fd), EINVAL);
}

static void check_destroy(void)
{
	struct uwind_table_destroy d = { sizeof(d), 0 };
	int other = open(UWIND_DEVICE, O_RDWR | O_CLOEXEC);

	check_errno("TABLE_DESTROY: table 0 is refused", ioctl(control, UWIND_IOC_TABLE_DESTROY, &d), ENOENT);
	d.table = make_table();
	check_errno("TABLE_DESTROY: another descriptor's table is refused", ioctl(other, UWIND_IOC_TABLE_DESTROY, &d),
		    ENOENT);
	check_errno("TABLE_DESTROY: the own table goes", ioctl(control, UWIND_IOC_TABLE_DESTROY, &d), 0);
	check_errno("TABLE_DESTROY: a table goes once", ioctl(control, UWIND_IOC_TABLE_DESTROY, &d), ENOENT);
	close(other);
}

static int tie(uint32_t table, int fd, uint32_t flags)
{
	struct uwind_table_tie t = { sizeof(t), table, fd, flags };

	return ioctl(control, UWIND_IOC_TABLE_TIE, &t);
}

static void check_tie(void)
{
	uint32_t table = make_table(), second = make_table();

	check_errno("TABLE_TIE: an unknown table is refused", tie(0, own_exe, 0), ENOENT);
	check_errno("TABLE_TIE: no file is refused", tie(table, -1, 0), EBADF);
	check_errno("TABLE_TIE: unknown flags are refused", tie(table, own_exe, 2), EINVAL);
	check_errno("TABLE_TIE: a vDSO with a file is refused", tie(table, own_exe, UWIND_TIE_VDSO), EINVAL);
	check_errno("TABLE_TIE: a pipe is refused", tie(table, pipe_fd, 0), EINVAL);
	check_errno("TABLE_TIE: a file is accepted", tie(table, own_exe, 0), 0);
	check_errno("TABLE_TIE: a table is tied once", tie(table, own_exe, 0), EEXIST);
	check_errno("TABLE_TIE: a file may have tables of several owners", tie(second, own_exe, 0), 0);
	drop_table(second);
	drop_table(table);
}

/* The number of the file behind fd, which a table that is tied to it shows; 0: none. */
static uint32_t file_number(int fd)
{
	uint32_t table = make_table();
	struct uwind_table_next n = { .size = sizeof(n), .after = table - 1 };
	int err = tie(table, fd, 0) || ioctl(control, UWIND_IOC_TABLE_NEXT, &n);

	drop_table(table);
	return err ? 0 : n.file;
}

/* A table made of a file's code serves it as long as the code stays: whoever links it or sets its mode changes nothing. */
static void check_files(void)
{
	char path[] = "ioctl_check.XXXXXX", link_path[] = "ioctl_check.link";
	int fd = mkstemp(path);
	const struct timespec times[2] = { { .tv_nsec = UTIME_OMIT }, { 1, 0 } };
	uint32_t keeper = make_table(), number;

	check_errno("TABLE_TIE: a fresh file is accepted", tie(keeper, fd, 0), 0);
	number = file_number(fd);
	check("TABLE_TIE: a file has a number", number != 0, "it has none");
	usleep(20000); /* a clock tick of the file system's times is over */
	link(path, link_path);
	check("TABLE_TIE: a file with a new link is the same", file_number(fd) == number, "it is another");
	fchmod(fd, 0755);
	check("TABLE_TIE: a file with a new mode is the same", file_number(fd) == number, "it is another");
	futimens(fd, times);
	check("TABLE_TIE: a file modified at another time is another", file_number(fd) != number, "it is the same");
	number = file_number(fd);
	check_errno("a file grows", write(fd, "x", 1) == 1 && futimens(fd, times) == 0 ? 0 : -1, 0);
	check("TABLE_TIE: a file of another size is another", file_number(fd) != number, "it is the same");
	drop_table(keeper);
	unlink(link_path);
	unlink(path);
	close(fd);
}

static int bind_ranges(uint32_t table, int pidfd, const struct uwind_range *ranges, uint32_t nr)
{
	struct uwind_range_bind b = {
		.size = sizeof(b),
		.table = table,
		.pidfd = pidfd,
		.nr_ranges = nr,
		.ranges = PTR(ranges),
	};

	return ioctl(control, UWIND_IOC_RANGE_BIND, &b);
}

static int unbind_range(int pidfd, uint64_t start)
{
	struct uwind_range_unbind u = { .size = sizeof(u), .pidfd = pidfd, .start = start };

	return ioctl(control, UWIND_IOC_RANGE_UNBIND, &u);
}

static void check_ranges(void)
{
	long page = sysconf(_SC_PAGESIZE);
	char *text = mmap(NULL, page, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct uwind_range good = { PTR(text), PTR(text) + page, 0 };
	struct uwind_range empty = { PTR(text), PTR(text), 0 };
	struct uwind_range unmapped = { 4096, 8192, 0 };
	uint32_t table = make_table();

	check_errno("RANGE_BIND: an unknown table is refused", bind_ranges(0, own_pidfd, &good, 1), ENOENT);
	check_errno("RANGE_BIND: no process is refused", bind_ranges(table, -1, &good, 1), EBADF);
	check_errno("RANGE_BIND: something that is no pidfd is refused", bind_ranges(table, pipe_fd, &good, 1), EINVAL);
	check_errno("RANGE_BIND: no ranges are refused", bind_ranges(table, own_pidfd, &good, 0), EINVAL);
	check_errno("RANGE_BIND: too many ranges are refused",
		    bind_ranges(table, own_pidfd, &good, UWIND_MAX_RANGES + 1), EINVAL);
	check_errno("RANGE_BIND: ranges at a bad pointer are refused",
		    bind_ranges(table, own_pidfd, (void *)BAD_POINTER, 1), EFAULT);
	check_errno("RANGE_BIND: an empty range is refused", bind_ranges(table, own_pidfd, &empty, 1), EINVAL);
	check_errno("RANGE_BIND: unmapped memory is refused", bind_ranges(table, own_pidfd, &unmapped, 1), EFAULT);
	check_errno("RANGE_BIND: executable memory is accepted", bind_ranges(table, own_pidfd, &good, 1), 0);
	check_errno("RANGE_BIND: a bound range is refused", bind_ranges(table, own_pidfd, &good, 1), EEXIST);
	check_errno("RANGE_UNBIND: no process is refused", unbind_range(-1, good.start), EBADF);
	check_errno("RANGE_UNBIND: a range that is not bound is refused", unbind_range(own_pidfd, 4096), ENOENT);
	check_errno("RANGE_UNBIND: a bound range goes", unbind_range(own_pidfd, good.start), 0);
	check_errno("RANGE_UNBIND: a range goes once", unbind_range(own_pidfd, good.start), ENOENT);
	drop_table(table);
}

#define MOST_RANGES 4096 /* of one process */
#define TEXT_BYTES  (1u << 20)

static char *map_text(void)
{
	return mmap(NULL, TEXT_BYTES, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

/* Binds nr ranges of 16 bytes, and goes on behind them. */
static int bind_many(uint32_t table, char *text, uint32_t nr)
{
	static struct uwind_range ranges[UWIND_MAX_RANGES];

	for (uint32_t done = 0; done < nr;) {
		uint32_t i = 0;

		for (; i < UWIND_MAX_RANGES && done < nr; i++, done++)
			ranges[i] = (struct uwind_range){ PTR(text) + 16ul * done, PTR(text) + 16ul * done + 16, 0 };
		if (bind_ranges(table, own_pidfd, ranges, i) != 0)
			return -1;
	}
	return 0;
}

/* What was unmapped makes room, however much it was. */
static void check_full(void)
{
	uint32_t table = make_table();
	char *text = map_text(), *other = map_text();
	struct uwind_range one = { PTR(other), PTR(other) + 16, 0 };

	check_errno("RANGE_BIND: a process may have so many ranges", bind_many(table, text, MOST_RANGES), 0);
	check_errno("RANGE_BIND: and not one more", bind_ranges(table, own_pidfd, &one, 1), ENOSPC);
	munmap(text, TEXT_BYTES);
	check_errno("RANGE_BIND: what was unmapped makes room", bind_many(table, other, MOST_RANGES), 0);
	munmap(other, TEXT_BYTES);
	drop_table(table);
}

static void check_next(void)
{
	struct uwind_table_next n = { .size = sizeof(n), .reserved = 1 };
	uint32_t table = make_table();

	check_errno("TABLE_NEXT: a reserved field is refused", ioctl(control, UWIND_IOC_TABLE_NEXT, &n), EINVAL);
	n = (struct uwind_table_next){ .size = sizeof(n), .after = ~0u };
	check_errno("TABLE_NEXT: accepted", ioctl(control, UWIND_IOC_TABLE_NEXT, &n), 0);
	check("TABLE_NEXT: nothing comes behind the last", n.table == 0, "something did");
	tie(table, own_exe, 0);
	n = (struct uwind_table_next){ .size = sizeof(n), .after = table - 1, .path = BAD_POINTER, .path_bytes = 64 };
	check_errno("TABLE_NEXT: a path at a bad pointer is refused", ioctl(control, UWIND_IOC_TABLE_NEXT, &n), EFAULT);
	drop_table(table);
}

#define START(rule, spoil, wanted)                                                                        \
	do {                                                                                              \
		struct uwind_session_start s = {                                                          \
			.size = sizeof(s),                                                                \
			.flags = UWIND_SESSION_ALL | UWIND_SESSION_FREQUENCY,                             \
			.rate = 99,                                                                       \
		};                                                                                        \
		spoil;                                                                                    \
		check_errno("SESSION_START: " rule, ioctl(control, UWIND_IOC_SESSION_START, &s), wanted); \
	} while (0)

static void check_session(void)
{
	struct uwind_session_stats stats = { .size = sizeof(stats) };
	struct uwind_session_ask ask = { .size = sizeof(ask), .tid = 1 };

	START("without a reader it is refused", , ENOTCONN);
	START("unknown flags are refused", s.flags |= 1u << 31, EINVAL);
	START("an unknown event is refused", s.event = 99, EINVAL);
	START("too many frames are refused", s.max_frames = UWIND_MAX_FRAMES + 1, EINVAL);
	START("a frequency of 0 is refused", s.rate = 0, EINVAL);
	START("too high a frequency is refused", s.rate = 100001, EINVAL);
	START("requests have no frequency", s.event = UWIND_EVENT_REQUESTS, EINVAL);
	START("requests have no user mode",
	      (s.event = UWIND_EVENT_REQUESTS, s.flags = UWIND_SESSION_ALL | UWIND_SESSION_USER, s.rate = 0), EINVAL);
	START("requests have no period", (s.event = UWIND_EVENT_REQUESTS, s.flags = UWIND_SESSION_ALL), EINVAL);
	START("an unknown event is refused", s.event = UWIND_NR_EVENTS, EINVAL);
	START("too short a period is refused", (s.flags = UWIND_SESSION_ALL, s.rate = 9999), EINVAL);
	START("all processes and a target are refused", s.nr_targets = 1, EINVAL);
	START("neither all nor a target is refused", s.flags = UWIND_SESSION_FREQUENCY, EINVAL);
	START("too many targets are refused", (s.flags = UWIND_SESSION_FREQUENCY, s.nr_targets = UWIND_MAX_TARGETS + 1),
	      EINVAL);
	START("targets at a bad pointer are refused",
	      (s.flags = UWIND_SESSION_FREQUENCY, s.nr_targets = 1, s.targets = BAD_POINTER), EFAULT);
	START("too many excluded processes are refused", s.nr_excludes = UWIND_MAX_TARGETS + 1, EINVAL);
	START("excluded processes at a bad pointer are refused", (s.nr_excludes = 1, s.excludes = BAD_POINTER), EFAULT);
	START("more CPUs than there can be are refused", s.nr_cpus = 1u << 20, EINVAL);
	START("CPUs at a bad pointer are refused", (s.nr_cpus = 1, s.cpus = BAD_POINTER), EFAULT);
	START("a cgroup without its flag is refused", s.cgroup_fd = pipe_fd, EINVAL);
	START("more bytes of stack than there may be", s.stack_bytes = UWIND_MAX_STACK_BYTES + 8, EINVAL);
	START("bytes of stack that are no words", s.stack_bytes = 12, EINVAL);
	check_errno("SESSION_ASK: without a session it is refused", ioctl(control, UWIND_IOC_SESSION_ASK, &ask),
		    EINVAL);
	check_errno("SESSION_ENABLE: without a session it is refused", ioctl(control, UWIND_IOC_SESSION_ENABLE),
		    EINVAL);
	check_errno("SESSION_STATS: without a session it is refused", ioctl(control, UWIND_IOC_SESSION_STATS, &stats),
		    EINVAL);
	check_errno("SESSION_STOP: without a session it is refused", ioctl(control, UWIND_IOC_SESSION_STOP, &stats),
		    EINVAL);
}

static int own_cgroup(void)
{
	char path[4096] = "/sys/fs/cgroup", line[4096];
	FILE *file = fopen("/proc/self/cgroup", "r");

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "0::%4000[^\n]", path + strlen("/sys/fs/cgroup")) == 1)
			break;
	if (file)
		fclose(file);
	return open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

/* What is looked at only when there is a reader. */
static void check_filters(void)
{
	int reader = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC), cgroup = own_cgroup();
	int32_t nobody = INT32_MAX, init = 1, itself = getpid();
	uint32_t first = 0, far = 1u << 16, cpus[] = { 0, 0 }, nr_cpus = sysconf(_SC_NPROCESSORS_CONF) > 1 ? 2 : 1;
	struct uwind_session_stats stats = { .size = sizeof(stats) };
	struct genl_message m;

	genl_attach_message(&m, genl_family(), control, 1);
	check("a reader is attached", send(reader, &m, m.header.nlmsg_len, 0) > 0 && genl_acknowledged(reader, 1) == 0,
	      "it is not");
	START("a target that is not there is refused",
	      (s.flags = UWIND_SESSION_FREQUENCY, s.nr_targets = 1, s.targets = PTR(&nobody)), ESRCH);
	START("an excluded process that is not there is refused", (s.nr_excludes = 1, s.excludes = PTR(&nobody)),
	      ESRCH);
	START("a CPU that there cannot be is refused", (s.nr_cpus = 1, s.cpus = PTR(&far)), EINVAL);
	START("a cgroup that is no descriptor is refused", (s.flags |= UWIND_SESSION_CGROUP, s.cgroup_fd = -1), EBADF);
	START("a pipe is no cgroup", (s.flags |= UWIND_SESSION_CGROUP, s.cgroup_fd = pipe_fd), EBADF);
	START("a file is no cgroup", (s.flags |= UWIND_SESSION_CGROUP, s.cgroup_fd = own_exe), EBADF);
	START("all filters together are accepted",
	      (s.flags |= UWIND_SESSION_CGROUP, s.cgroup_fd = cgroup, s.nr_cpus = nr_cpus, s.cpus = PTR(cpus),
	       s.nr_excludes = 1, s.excludes = PTR(&init)),
	      0);
	check_errno("SESSION_STOP: accepted", ioctl(control, UWIND_IOC_SESSION_STOP, &stats), 0);
	START("a target that is excluded is accepted",
	      (s.flags = UWIND_SESSION_FREQUENCY, s.nr_targets = 1, s.targets = PTR(&itself), s.nr_excludes = 1,
	       s.excludes = PTR(&itself), s.nr_cpus = 1, s.cpus = PTR(&first)),
	      0);
	check_errno("SESSION_STOP: accepted again", ioctl(control, UWIND_IOC_SESSION_STOP, &stats), 0);
	check("what a session excludes is not asked for", stats.requested == 0, "it was");
	close(cgroup);
	close(reader);
}

#define ADD(rule, spoil, wanted)                                                             \
	do {                                                                                 \
		struct uwind_self_add a = {                                                  \
			.size = sizeof(a),                                                   \
			.sframe_start = PTR(garbage),                                        \
			.sframe_end = PTR(garbage) + 64,                                     \
			.text_start = PTR(main),                                             \
			.text_end = PTR(main) + 16,                                          \
		};                                                                           \
		spoil;                                                                       \
		check_errno("SELF_ADD: " rule, ioctl(self, UWIND_IOC_SELF_ADD, &a), wanted); \
	} while (0)

int main(void);

static void check_self(void)
{
	struct uwind_self_remove remove = { .size = sizeof(remove), .sframe_start = 4096 };

	ADD("garbage is refused", , EBADMSG);
	ADD("a reserved field is refused", a.reserved = 1, EINVAL);
	ADD("an empty section is refused", a.sframe_end = a.sframe_start, EINVAL);
	ADD("an empty text is refused", a.text_end = a.text_start, EINVAL);
	ADD("a section that is not mapped is refused", (a.sframe_start = 4096, a.sframe_end = 4160), EFAULT);
	ADD("a section too long is refused", a.sframe_end = a.sframe_start + UWIND_MAX_SECTION_BYTES + 1, EINVAL);
	check_errno("SELF_REMOVE: a section that is not there is refused", ioctl(self, UWIND_IOC_SELF_REMOVE, &remove),
		    ENOENT);
	remove.reserved = 1;
	check_errno("SELF_REMOVE: a reserved field is refused", ioctl(self, UWIND_IOC_SELF_REMOVE, &remove), EINVAL);
}

static int open_all(void)
{
	int fds[2];

	control = open(UWIND_DEVICE, O_RDWR | O_CLOEXEC);
	self = open(UWIND_SELF_DEVICE, O_RDWR | O_CLOEXEC);
	own_pidfd = syscall(SYS_pidfd_open, getpid(), 0);
	own_exe = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	if (pipe(fds) != 0)
		return -1;
	pipe_fd = fds[0];
	return control < 0 || self < 0 || own_pidfd < 0 || own_exe < 0 ? -1 : 0;
}

int main(void)
{
	if (open_all() != 0) {
		perror("ioctl_check: " UWIND_DEVICE);
		return 1;
	}
	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++)
		check_shape(&shapes[i]);
	check_accepted_shapes();
	check_numbers();
	check_create_rows();
	check_create_sframe();
	check_destroy();
	check_tie();
	check_files();
	check_ranges();
	check_full();
	check_next();
	check_session();
	check_filters();
	check_self();
	return check_failures != 0;
}

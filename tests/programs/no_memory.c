// SPDX-License-Identifier: GPL-2.0
// Makes each kind of call to the module again and again, while its first, second, third … allocation or copy fails.
//
// Usage: no_memory        one line "ok CALL: N failures" or "FAIL CALL: …" for each kind of call
// Needs a kernel with fault injection, and its filters set (VM case 54_no_memory). A failure that the kernel was made
// to have shows as ENOMEM or EFAULT, or the call succeeds without what it did not get; in either case nothing is left
// when the caller is gone, and the same call succeeds when no allocation fails.
#include <fcntl.h>
#include <link.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "uwind.h"

#ifndef PT_GNU_SFRAME
#define PT_GNU_SFRAME 0x6474e554
#endif

#define PTR(p)  ((uint64_t)(uintptr_t)(p))
#define NR_ROWS 6000 /* pages of their own, and several of them */
#define MOST    5000 /* allocations that one call can make */

/* What a child found out about one call. */
enum outcome { NOT_REACHED, DID_WITHOUT, REFUSED, BROKEN };

static int control = -1, self = -1, reader = -1, cgroup = -1, own_pidfd, own_exe;
static uint32_t family, table;
static struct uwind_row rows[NR_ROWS];
static struct uwind_rule rules[2] = { { .kind = UWIND_RULE_OUTERMOST }, { .kind = UWIND_RULE_THREAD_START } };
static struct uwind_self_add mine; /* the program's own section and text */
static struct uwind_range text;    /* executable memory without a file */

// --- the calls ----------------------------------------------------------------------------------

static int open_control(void)
{
	control = open(UWIND_DEVICE, O_RDWR | O_CLOEXEC);
	return control < 0 ? -1 : 0;
}

static int open_self(void)
{
	self = open(UWIND_SELF_DEVICE, O_RDWR | O_CLOEXEC);
	return self < 0 ? -1 : 0;
}

static int create(struct uwind_table_create c)
{
	int result = ioctl(control, UWIND_IOC_TABLE_CREATE, &c);

	table = c.table;
	return result;
}

static int create_rows(void)
{
	return create((struct uwind_table_create){
		.size = sizeof(struct uwind_table_create),
		.source = UWIND_SOURCE_ROWS,
		.data = PTR(rows),
		.data_bytes = sizeof(rows),
		.pidfd = -1,
		.rules = PTR(rules),
		.nr_rules = 2,
		.method = UWIND_METHOD_EH_FRAME,
	});
}

static int create_sframe(uint32_t source, int pidfd)
{
	struct uwind_segment segment = { mine.text_start, mine.text_end - mine.text_start, 0 };

	return create((struct uwind_table_create){
		.size = sizeof(struct uwind_table_create),
		.source = source,
		.data = mine.sframe_start,
		.data_bytes = mine.sframe_end - mine.sframe_start,
		.address = mine.sframe_start,
		.segments = PTR(&segment),
		.nr_segments = 1,
		.pidfd = pidfd,
	});
}

static int create_section(void)
{
	return create_sframe(UWIND_SOURCE_SFRAME_BYTES, -1);
}
static int create_remote(void)
{
	return create_sframe(UWIND_SOURCE_SFRAME_REMOTE, own_pidfd);
}
static int with_table(void)
{
	return open_control() || create_rows();
}

/* A file that nobody knows yet. */
static int with_new_file(void)
{
	char name[] = "/tmp/no_memory.XXXXXX";
	int fd = mkostemp(name, O_CLOEXEC);

	if (fd < 0 || unlink(name) != 0 || write(fd, name, sizeof(name)) < 0)
		return -1;
	own_exe = fd;
	return with_table();
}

static int tie(void)
{
	struct uwind_table_tie t = { sizeof(t), table, own_exe, 0 };

	return ioctl(control, UWIND_IOC_TABLE_TIE, &t);
}

static int bind_range(void)
{
	struct uwind_range_bind b = {
		.size = sizeof(b),
		.table = table,
		.pidfd = own_pidfd,
		.nr_ranges = 1,
		.ranges = PTR(&text),
	};

	return ioctl(control, UWIND_IOC_RANGE_BIND, &b);
}

static int with_range(void)
{
	return with_table() || bind_range();
}

static int unbind_range(void)
{
	struct uwind_range_unbind u = { .size = sizeof(u), .pidfd = own_pidfd, .start = text.start };

	return ioctl(control, UWIND_IOC_RANGE_UNBIND, &u);
}

static int next_table(void)
{
	char path[256];
	struct uwind_table_next n = { .size = sizeof(n), .path = PTR(path), .path_bytes = sizeof(path) };

	return ioctl(control, UWIND_IOC_TABLE_NEXT, &n);
}

/* Sends one netlink message with one attribute; the acknowledgement is left alone, since it may not come. */
static int send_message(uint16_t to, uint8_t command, uint16_t type, const void *data, uint16_t bytes)
{
	struct {
		struct nlmsghdr header;
		struct genlmsghdr genl;
		struct nlattr attribute;
		uint8_t data[32];
	} m = {
		.header = { NLMSG_LENGTH(GENL_HDRLEN) + NLA_HDRLEN + NLA_ALIGN(bytes), to, NLM_F_REQUEST, 0, 0 },
		.genl = { .cmd = command, .version = 1 },
		.attribute = { NLA_HDRLEN + bytes, type },
	};

	memcpy(m.data, data, bytes);
	return send(reader, &m, m.header.nlmsg_len, 0) < 0 ? -1 : 0;
}

static int with_reader(void)
{
	reader = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC);
	return reader < 0 ? -1 : open_control();
}

static int attach(void)
{
	uint32_t fd = control;

	return send_message(family, UWIND_CMD_ATTACH, UWIND_A_FD, &fd, sizeof(fd));
}

static int with_attached(void)
{
	return with_reader() || attach();
}

static int start_session(void)
{
	int32_t target = getpid();
	struct uwind_session_start s = {
		.size = sizeof(s),
		.flags = UWIND_SESSION_INHERIT | UWIND_SESSION_FREQUENCY,
		.rate = 99,
		.targets = PTR(&target),
		.nr_targets = 1,
	};

	return ioctl(control, UWIND_IOC_SESSION_START, &s);
}

static int with_cgroup(void)
{
	cgroup = open("/sys/fs/cgroup", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return cgroup < 0 ? -1 : with_attached();
}

/* Each list that a session can have. */
static int start_filtered_session(void)
{
	int32_t targets[] = { getpid(), getppid() }, excludes[] = { 1, getppid() };
	uint32_t cpus[] = { 0, 1 };
	struct uwind_session_start s = {
		.size = sizeof(s),
		.flags = UWIND_SESSION_INHERIT | UWIND_SESSION_FREQUENCY | UWIND_SESSION_CGROUP,
		.rate = 99,
		.targets = PTR(targets),
		.nr_targets = 2,
		.excludes = PTR(excludes),
		.nr_excludes = 2,
		.cgroup_fd = cgroup,
		.cpus = PTR(cpus),
		.nr_cpus = 2,
	};

	return ioctl(control, UWIND_IOC_SESSION_START, &s);
}

static int with_session(void)
{
	return with_attached() || start_session();
}

static int ask(void)
{
	struct uwind_session_ask a = { .size = sizeof(a), .tid = getpid() };

	return ioctl(control, UWIND_IOC_SESSION_ASK, &a);
}

static int stop_session(void)
{
	struct uwind_session_stats stats = { .size = sizeof(stats) };

	return ioctl(control, UWIND_IOC_SESSION_STOP, &stats);
}

static int with_answers(void)
{
	int err = with_session();

	for (int i = 0; i < 100 && !err; i++)
		err = ask();
	return err;
}

static int self_add(void)
{
	return ioctl(self, UWIND_IOC_SELF_ADD, &mine);
}
static int with_section(void)
{
	return open_self() || self_add();
}

static int self_remove(void)
{
	struct uwind_self_remove r = { .size = sizeof(r), .sframe_start = mine.sframe_start };

	return ioctl(self, UWIND_IOC_SELF_REMOVE, &r);
}

static int nothing(void)
{
	return 0;
}

static const struct call {
	const char *name;
	int (*prepare)(void);
	int (*make)(void);
} calls[] = {
	{ "opening the device", nothing, open_control },
	{ "a table of rows", open_control, create_rows },
	{ "a table of a section", open_control, create_section },
	{ "a table of another process's section", open_control, create_remote },
	{ "a file that is new", with_new_file, tie },
	{ "binding a range", with_table, bind_range },
	{ "unbinding a range", with_range, unbind_range },
	{ "listing tables", with_table, next_table },
	{ "attaching a reader", with_reader, attach },
	{ "starting a session", with_attached, start_session },
	{ "starting a session with lists", with_cgroup, start_filtered_session },
	{ "asking for a stack", with_session, ask },
	{ "stopping a session", with_answers, stop_session },
	{ "an own section", open_self, self_add },
	{ "removing an own section", with_section, self_remove },
};

// --- failing ------------------------------------------------------------------------------------

/* The n-th thing that can fail in this thread fails. 0: nothing. Returns what was left of an earlier n. */
static int fail_nth(int fd, unsigned int n)
{
	char number[16] = "";
	ssize_t got = pread(fd, number, sizeof(number) - 1, 0);
	int bytes;

	/* A failure that was left over may hit these very calls. */
	if (got < 0)
		return 1;
	got = atoi(number);
	bytes = snprintf(number, sizeof(number), "%u", n);
	while (pwrite(fd, number, bytes, 0) < 0 && errno == EFAULT)
		;
	return got;
}

/* An acknowledged failure: what the kernel was made to fail with. */
static int is_named(int err)
{
	return err == ENOMEM || err == EFAULT || err == ENOBUFS || err == ENFILE;
}

/* In a child of its own: what it leaves behind goes with it. */
static enum outcome try_call(const struct call *call, unsigned int n)
{
	int fd = open("/proc/thread-self/fail-nth", O_RDWR | O_CLOEXEC), result, err, left;

	own_pidfd = syscall(SYS_pidfd_open, getpid(), 0);
	if (fd < 0 || call->prepare() != 0) {
		perror("no_memory: preparing");
		return BROKEN;
	}
	fail_nth(fd, n);
	result = call->make();
	err = errno;
	left = fail_nth(fd, 0);
	if (left > 0)
		return result ? BROKEN : NOT_REACHED;
	if (!result)
		return DID_WITHOUT;
	if (!is_named(err))
		fprintf(stderr, "no_memory: %s: failure %u: %s\n", call->name, n, strerror(err));
	return is_named(err) ? REFUSED : BROKEN;
}

static enum outcome try_in_child(const struct call *call, unsigned int n)
{
	int status;
	pid_t pid = fork();

	if (pid == 0)
		_exit(try_call(call, n));
	if (waitpid(pid, &status, 0) != pid || !WIFEXITED(status)) {
		fprintf(stderr, "no_memory: %s: failure %u: the caller was killed\n", call->name, n);
		return BROKEN;
	}
	return WEXITSTATUS(status);
}

static struct uwind_stats stats_now(void)
{
	struct uwind_stats s = { .size = sizeof(s) };

	ioctl(control, UWIND_IOC_STATS, &s);
	return s;
}

static int is_as_before(const struct uwind_stats *before)
{
	struct uwind_stats now;

	for (int i = 0; i < 100; i++) {
		now = stats_now();
		if (now.nr_tables == before->nr_tables && now.table_bytes == before->table_bytes &&
		    now.nr_sessions == before->nr_sessions && now.nr_requests_open == before->nr_requests_open)
			return 1;
		usleep(20000);
	}
	fprintf(stderr, "no_memory: left: %d tables, %lld bytes, %d sessions, %d requests\n",
		(int)(now.nr_tables - before->nr_tables), (long long)(now.table_bytes - before->table_bytes),
		(int)(now.nr_sessions - before->nr_sessions), (int)(now.nr_requests_open - before->nr_requests_open));
	return 0;
}

static unsigned int check_call(const struct call *call)
{
	const struct uwind_stats before = stats_now();
	unsigned int n, nr[BROKEN + 1] = { 0 };
	char line[128];

	for (n = 1; n < MOST && !nr[NOT_REACHED] && !nr[BROKEN]; n++) {
		nr[try_in_child(call, n)]++;
		if (!is_as_before(&before))
			nr[BROKEN]++;
	}
	snprintf(line, sizeof(line), "%s: %u failures, refused %u times", call->name, nr[REFUSED] + nr[DID_WITHOUT],
		 nr[REFUSED]);
	check(line, nr[NOT_REACHED] && !nr[BROKEN], "and then it did not go as it should");
	return nr[REFUSED] + nr[DID_WITHOUT];
}

// --- preparing ----------------------------------------------------------------------------------

static int find_section(struct dl_phdr_info *info, size_t size, void *unused)
{
	(void)size, (void)unused;
	mine.size = sizeof(mine);
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		uint64_t start = info->dlpi_addr + p->p_vaddr;

		if (p->p_type == PT_GNU_SFRAME) {
			mine.sframe_start = start;
			mine.sframe_end = start + p->p_memsz;
		} else if (p->p_type == PT_LOAD && (p->p_flags & PF_X)) {
			mine.text_start = start;
			mine.text_end = start + p->p_memsz;
		}
	}
	return 1; /* the program itself is the first */
}

/* The u16 attribute FAMILY_ID of the controller's answer. */
static uint32_t find_family(void)
{
	uint8_t answer[4096];
	ssize_t bytes, at = NLMSG_LENGTH(GENL_HDRLEN);
	struct nlattr attribute;
	uint16_t number = 0;

	reader = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC);
	send_message(GENL_ID_CTRL, CTRL_CMD_GETFAMILY, CTRL_ATTR_FAMILY_NAME, UWIND_GENL_NAME, sizeof(UWIND_GENL_NAME));
	bytes = recv(reader, answer, sizeof(answer), 0);
	for (; at + (ssize_t)NLA_HDRLEN < bytes && !number; at += NLA_ALIGN(attribute.nla_len)) {
		memcpy(&attribute, answer + at, sizeof(attribute));
		if (attribute.nla_len < NLA_HDRLEN)
			break;
		if (attribute.nla_type == CTRL_ATTR_FAMILY_ID)
			memcpy(&number, answer + at + NLA_HDRLEN, sizeof(number));
	}
	close(reader);
	return number;
}

static int prepare_all(void)
{
	long page = sysconf(_SC_PAGESIZE);

	for (uint32_t i = 0; i < NR_ROWS; i++)
		rows[i] = (struct uwind_row){ 16 * i, i % 2 };
	dl_iterate_phdr(find_section, NULL);
	text.start = PTR(mmap(NULL, page, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
	text.end = text.start + page;
	family = find_family();
	return mine.sframe_start && family ? open_control() : -1;
}

int main(void)
{
	unsigned int failures = 0;

	if (prepare_all() != 0) {
		perror("no_memory: " UWIND_DEVICE);
		return 1;
	}
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		failures += check_call(&calls[i]);
	printf("     %u failures in all\n", failures);
	return check_failures != 0;
}

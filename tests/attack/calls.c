// SPDX-License-Identifier: GPL-2.0
// One random ioctl: each is right most times and then does something, so that the next one meets a state.
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "attack.h"

#define NR_TABLES 64

/* Tables that this process made, and through which descriptor: it may be another one by now. */
static struct table {
	uint32_t number;
	int control;
} tables[NR_TABLES];

static struct table any_table(struct dice *dice)
{
	struct table table = tables[pick(dice, NR_TABLES)];

	if (rarely(dice, 16))
		table.number = roll(dice);
	if (!table.number || rarely(dice, 16))
		table.control = any_control(dice);
	return table;
}

static uint32_t any_size(struct dice *dice, uint32_t bytes)
{
	const uint32_t sizes[] = { 0, 1, 4, 8, bytes - 8, bytes + 8, 4096, 4097, ~0u, pick(dice, bytes) };

	return rarely(dice, 24) ? sizes[pick(dice, sizeof(sizes) / sizeof(sizes[0]))] : bytes;
}

/* Of an address that is written to, none: the attack would spoil its own memory. */
static void flip_bit(struct dice *dice, enum call kind, uint8_t *arg, size_t bytes)
{
	size_t at = pick(dice, bytes);

	if (kind == CALL_WATCH && at / sizeof(uint64_t) == 0)
		return; /* see watch_flags() */
	if (kind != CALL_NEXT || at / sizeof(uint64_t) != offsetof(struct uwind_table_next, path) / sizeof(uint64_t))
		arg[at] ^= 1u << pick(dice, 8);
}

static int call(struct dice *dice, enum call kind, int fd, unsigned long request, void *arg, size_t bytes)
{
	void *pointer;
	int result;

	if (rarely(dice, 32))
		flip_bit(dice, kind, arg, bytes);
	*(uint32_t *)arg = any_size(dice, bytes);
	pointer = any_pointer(dice, arg, bytes);
	result = ioctl(fd, request, pointer);
	count(kind, result);
	return result;
}

/* The same, but what comes back is wanted: at a good address. */
static int call_and_keep(struct dice *dice, enum call kind, int fd, unsigned long request, void *arg, size_t bytes)
{
	int result;

	if (rarely(dice, 8))
		return call(dice, kind, fd, request, arg, bytes) < 0 ? -1 : 1;
	*(uint32_t *)arg = bytes;
	result = ioctl(fd, request, arg);
	count(kind, result);
	return result;
}

static void abi(struct dice *dice)
{
	struct uwind_abi arg = { 0 };

	call(dice, CALL_ABI, rarely(dice, 2) ? any_control(dice) : any_self(dice), UWIND_IOC_ABI, &arg, sizeof(arg));
}

static void create(struct dice *dice, enum call kind, struct uwind_table_create *arg)
{
	int control = any_control(dice);

	if (call_and_keep(dice, kind, control, UWIND_IOC_TABLE_CREATE, arg, sizeof(*arg)) == 0)
		tables[pick(dice, NR_TABLES)] = (struct table){ arg->table, control };
}

static void create_rows(struct dice *dice)
{
	static __thread struct uwind_rule rules[300];
	static __thread struct uwind_row rows[2000];
	uint32_t nr_rules = any_rules(dice, rules, rarely(dice, 8) ? 300 : 8);
	uint32_t nr_rows = any_rows(dice, rows, rarely(dice, 8) ? 2000 : 40, nr_rules);
	struct uwind_table_create arg = {
		.source = UWIND_SOURCE_ROWS,
		.pidfd = -1,
		.nr_rules = nr_rules,
		.data = (uintptr_t)any_pointer(dice, rows, nr_rows * sizeof(rows[0])),
		.data_bytes = nr_rows * sizeof(rows[0]),
		.rules = (uintptr_t)any_pointer(dice, rules, nr_rules * sizeof(rules[0])),
		.method = rarely(dice, 8) ? roll(dice) : UWIND_METHOD_EH_FRAME,
	};

	if (rarely(dice, 64))
		arg.data_bytes = roll(dice);
	if (rarely(dice, 64))
		arg.nr_rules = roll(dice);
	create(dice, CALL_CREATE_ROWS, &arg);
}

static struct uwind_table_create sframe_arguments(struct dice *dice, const struct uwind_segment *segment)
{
	return (struct uwind_table_create){
		.address = own_section()->address,
		.pidfd = -1,
		.segments = (uintptr_t)any_pointer(dice, segment, sizeof(*segment)),
		.nr_segments = rarely(dice, 32) ? pick(dice, 20) : 1,
	};
}

static void create_sframe(struct dice *dice)
{
	static __thread uint8_t bytes[16384];
	const struct section *own = own_section();
	struct uwind_segment segment = { own->text_start, own->text_end - own->text_start, 0 };
	struct uwind_table_create arg = sframe_arguments(dice, &segment);

	arg.source = UWIND_SOURCE_SFRAME_BYTES;
	arg.data_bytes = any_section(dice, bytes, sizeof(bytes));
	arg.data = (uintptr_t)any_pointer(dice, bytes, arg.data_bytes);
	create(dice, CALL_CREATE_SFRAME, &arg);
}

static void create_remote(struct dice *dice)
{
	const struct section *own = own_section();
	struct uwind_segment segment = { own->text_start, own->text_end - own->text_start, 0 };
	struct uwind_table_create arg = sframe_arguments(dice, &segment);

	arg.source = UWIND_SOURCE_SFRAME_REMOTE;
	arg.pidfd = any_pidfd(dice);
	arg.data = rarely(dice, 8) ? (uintptr_t)any_pointer(dice, own->bytes, 64) : own->address;
	arg.data_bytes = rarely(dice, 8) ? roll(dice) : own->nr_bytes;
	create(dice, CALL_CREATE_REMOTE, &arg);
}

static void destroy(struct dice *dice)
{
	struct table table = any_table(dice);
	struct uwind_table_destroy arg = { .table = table.number };

	call(dice, CALL_DESTROY, table.control, UWIND_IOC_TABLE_DESTROY, &arg, sizeof(arg));
}

static void tie(struct dice *dice)
{
	struct table table = any_table(dice);
	struct uwind_table_tie arg = { .table = table.number, .fd = rarely(dice, 8) ? any_fd(dice) : any_file(dice) };

	/* Never a sound one to the vDSO, which is everybody's. */
	if (rarely(dice, 32))
		arg.flags = 2 + pick(dice, 1000) * 2;
	arg.size = any_size(dice, sizeof(arg));
	count(CALL_TIE, ioctl(table.control, UWIND_IOC_TABLE_TIE, any_pointer(dice, &arg, sizeof(arg))));
}

static void bind(struct dice *dice)
{
	struct uwind_range ranges[UWIND_MAX_RANGES + 1];
	struct table table = any_table(dice);
	uint32_t nr = rarely(dice, 8) ? pick(dice, UWIND_MAX_RANGES + 2) : 1;
	uint64_t start = any_text(dice);
	struct uwind_range_bind arg = { .table = table.number, .pidfd = any_pidfd(dice), .nr_ranges = nr };

	for (uint32_t i = 0; i < nr; i++, start += 64)
		ranges[i] = (struct uwind_range){ start, start + (rarely(dice, 32) ? roll(dice) : 1 + pick(dice, 64)),
						  pick(dice, 4096) };
	arg.ranges = (uintptr_t)any_pointer(dice, ranges, nr * sizeof(ranges[0]));
	call(dice, CALL_BIND, table.control, UWIND_IOC_RANGE_BIND, &arg, sizeof(arg));
}

static void unbind(struct dice *dice)
{
	struct uwind_range_unbind arg = { .pidfd = any_pidfd(dice), .start = any_text(dice) };

	call(dice, CALL_UNBIND, any_control(dice), UWIND_IOC_RANGE_UNBIND, &arg, sizeof(arg));
}

static void next(struct dice *dice)
{
	char path[256];
	struct uwind_table_next arg = {
		.after = rarely(dice, 2) ? any_table(dice).number : 0,
		.path = (uintptr_t)any_pointer(dice, path, sizeof(path)),
		.path_bytes = pick(dice, sizeof(path)),
	};

	memset(path, 0, sizeof(path));
	call(dice, CALL_NEXT, any_control(dice), UWIND_IOC_TABLE_NEXT, &arg, sizeof(arg));
}

static void stats(struct dice *dice)
{
	struct uwind_stats arg = { 0 };

	call(dice, CALL_STATS, any_control(dice), UWIND_IOC_STATS, &arg, sizeof(arg));
}

static uint64_t any_rate(struct dice *dice, uint32_t flags)
{
	if (rarely(dice, 32))
		return roll(dice);
	/* Many sessions that sample often leave no time for calls. */
	if (flags & UWIND_SESSION_FREQUENCY)
		return 1 + pick(dice, rarely(dice, 16) ? 4000 : 50);
	return rarely(dice, 16) ? 250000 : 20000000 + pick(dice, 1000000);
}

/* Which tasks of the targets it is about: each part is there at times. */
struct filter {
	int32_t pids[4];
	uint32_t cpus[4];
};

/* The root, one that was removed, or anything else. An ordinary user cannot make one. */
static int any_cgroup(struct dice *dice)
{
	static __thread int root = -1, removed = -1;
	char path[64];

	if (root < 0) {
		root = open("/sys/fs/cgroup", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		snprintf(path, sizeof(path), "/sys/fs/cgroup/attack-%ld", syscall(SYS_gettid));
		if (mkdir(path, 0755) == 0) {
			removed = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
			rmdir(path);
		}
	}
	if (rarely(dice, 4))
		return any_fd(dice);
	return rarely(dice, 4) ? removed : root;
}

static void any_filter(struct dice *dice, struct uwind_session_start *arg, struct filter *filter)
{
	if (rarely(dice, 4)) {
		arg->nr_excludes = rarely(dice, 32) ? roll(dice) : pick(dice, 5);
		for (uint32_t i = 0; i < 4; i++)
			filter->pids[i] = any_pid(dice);
		arg->excludes = (uintptr_t)any_pointer(dice, filter->pids, sizeof(filter->pids));
	}
	if (rarely(dice, 4)) {
		arg->nr_cpus = rarely(dice, 32) ? roll(dice) : pick(dice, 3);
		for (uint32_t i = 0; i < 4; i++)
			filter->cpus[i] = rarely(dice, 16) ? roll(dice) : pick(dice, 3);
		arg->cpus = (uintptr_t)any_pointer(dice, filter->cpus, sizeof(filter->cpus));
	}
	if (rarely(dice, 4)) {
		arg->flags |= UWIND_SESSION_CGROUP;
		arg->cgroup_fd = any_cgroup(dice);
	}
	if (rarely(dice, 2))
		arg->stack_bytes = rarely(dice, 32) ? roll(dice) : pick(dice, UWIND_MAX_STACK_BYTES / 8 + 1) * 8;
}

static void start(struct dice *dice)
{
	int32_t pids[8];
	struct filter filter;
	uint32_t nr = pick(dice, 8), flags = pick(dice, 16);
	struct uwind_session_start arg = {
		.flags = rarely(dice, 32) ? roll(dice) : flags,
		.event = rarely(dice, 8),
		.rate = any_rate(dice, flags),
		.max_frames = rarely(dice, 4) ? pick(dice, UWIND_MAX_FRAMES + 2) : 0,
	};

	for (uint32_t i = 0; i < nr; i++)
		pids[i] = any_pid(dice);
	if (!(flags & UWIND_SESSION_ALL) || rarely(dice, 16)) {
		arg.targets = (uintptr_t)any_pointer(dice, pids, nr * sizeof(pids[0]));
		arg.nr_targets = rarely(dice, 32) ? roll(dice) : nr;
	}
	any_filter(dice, &arg, &filter);
	call(dice, CALL_START, any_control(dice), UWIND_IOC_SESSION_START, &arg, sizeof(arg));
}

static void enable(struct dice *dice)
{
	count(CALL_ENABLE, ioctl(any_control(dice), UWIND_IOC_SESSION_ENABLE, roll(dice)));
}

static void ask(struct dice *dice)
{
	struct uwind_session_ask arg = { .tid = any_pid(dice) };

	call(dice, CALL_ASK, any_control(dice), UWIND_IOC_SESSION_ASK, &arg, sizeof(arg));
}

static void session_stats(struct dice *dice)
{
	struct uwind_session_stats arg = { 0 };

	call(dice, CALL_SESSION_STATS, any_control(dice), UWIND_IOC_SESSION_STATS, &arg, sizeof(arg));
}

static void stop(struct dice *dice)
{
	struct uwind_session_stats arg = { 0 };

	call(dice, CALL_STOP, any_control(dice), UWIND_IOC_SESSION_STOP, &arg, sizeof(arg));
}

/* To watch changes, arm64 patches itself. */
static uint32_t watch_flags(struct dice *dice)
{
	uint32_t flags = rarely(dice, 16) ? 0 : UWIND_WATCH_MODULES | (rarely(dice, 2) ? UWIND_WATCH_CONTENT : 0);

#ifdef __aarch64__
	if (!code_may_change())
		return flags;
#endif
	return rarely(dice, 4) ? flags | UWIND_WATCH_CHANGES : flags;
}

/* What it gives is read and closed, unless nobody knows its number; that goes with the process. */
static void watch(struct dice *dice)
{
	static __thread uint8_t records[UWIND_MAX_TEXT_RECORD];
	struct uwind_watch_text arg = {
		.flags = watch_flags(dice),
		.bytes = rarely(dice, 16) ? roll(dice) : UWIND_MIN_TEXT_BYTES << pick(dice, 5),
		.fd = -1,
	};

	if (call_and_keep(dice, CALL_WATCH, any_control(dice), UWIND_IOC_WATCH_TEXT, &arg, sizeof(arg)))
		return;
	fcntl(arg.fd, F_SETFL, O_NONBLOCK);
	for (uint32_t i = pick(dice, 4); i; i--)
		count(CALL_FILE,
		      read(arg.fd, any_pointer(dice, records, sizeof(records)), pick(dice, sizeof(records))));
	close(arg.fd);
}

/* Never of all functions: to change the code of each takes an emulated processor seconds. */
static void keep_stacks(struct dice *dice)
{
	static __thread uint8_t records[UWIND_KSTACK_READ_BYTES];
	uint64_t functions[4];
	struct uwind_kstack arg = {
		.flags = rarely(dice, 16) ? roll(dice) : pick(dice, 2),
		.nr_functions = 1 + pick(dice, 4),
	};
	int fd;

	for (uint32_t i = 0; i < 4; i++)
		functions[i] = any_function(dice);
	arg.functions = (uintptr_t)any_pointer(dice, functions, sizeof(functions));
	arg.nr_tasks = rarely(dice, 16) ? roll(dice) : (arg.flags & UWIND_KSTACK_BY_TASK) * (1 + pick(dice, 64));
	arg.size = code_may_change() ? any_size(dice, sizeof(arg)) : pick(dice, 4);
	fd = ioctl(any_control(dice), UWIND_IOC_KSTACK, any_pointer(dice, &arg, sizeof(arg)));
	count(CALL_KSTACK, fd);
	for (uint32_t i = fd < 0 ? 0 : pick(dice, 4); i; i--) {
		lseek(fd, pick(dice, 2) ? 0 : roll(dice), pick(dice, 3));
		count(CALL_FILE, read(fd, any_pointer(dice, records, sizeof(records)),
				      rarely(dice, 4) ? pick(dice, sizeof(records)) : sizeof(records)));
	}
	if (fd >= 0)
		close(fd);
}

static void self_add(struct dice *dice)
{
	static __thread uint8_t bytes[16384];
	const struct section *own = own_section();
	struct uwind_self_add arg = {
		.sframe_start = own->address,
		.sframe_end = own->address + own->nr_bytes,
		.text_start = own->text_start,
		.text_end = own->text_end,
	};

	if (rarely(dice, 2)) {
		size_t nr = any_section(dice, bytes, sizeof(bytes));

		arg.sframe_start = (uintptr_t)any_pointer(dice, bytes, nr);
		arg.sframe_end = arg.sframe_start + nr;
		arg.text_start = any_text(dice);
		arg.text_end = arg.text_start + 4096;
	}
	call(dice, CALL_SELF_ADD, any_self(dice), UWIND_IOC_SELF_ADD, &arg, sizeof(arg));
}

static void self_remove(struct dice *dice)
{
	struct uwind_self_remove arg = { .sframe_start = rarely(dice, 4) ? roll(dice) : own_section()->address };

	call(dice, CALL_SELF_REMOVE, any_self(dice), UWIND_IOC_SELF_REMOVE, &arg, sizeof(arg));
}

static void self_next(struct dice *dice)
{
	struct uwind_self_next arg = { .after = rarely(dice, 2) ? 0 : any_text(dice) };

	call(dice, CALL_SELF_NEXT, any_self(dice), UWIND_IOC_SELF_NEXT, &arg, sizeof(arg));
}

/* Numbers, sizes and directions that nobody gave out, and numbers of the other device. */
static void unknown_number(struct dice *dice)
{
	unsigned long request = _IOC(pick(dice, 4), rarely(dice, 4) ? pick(dice, 256) : UWIND_IOC_MAGIC,
				     64 + pick(dice, 192), pick(dice, 16384));
	char arg[512] = { 0 };

	if (rarely(dice, 4))
		request = UWIND_IOC_SELF_ADD;
	count(CALL_NUMBER, ioctl(any_control(dice), request, any_pointer(dice, arg, sizeof(arg))));
}

/* What a file can be asked besides. */
static void file_operation(struct dice *dice)
{
	int fd = rarely(dice, 2) ? any_control(dice) : any_self(dice);
	char bytes[64] = { 0 };

	switch (pick(dice, 4)) {
	case 0:
		count(CALL_FILE, read(fd, any_pointer(dice, bytes, sizeof(bytes)), sizeof(bytes)));
		break;
	case 1:
		count(CALL_FILE, write(fd, any_pointer(dice, bytes, sizeof(bytes)), sizeof(bytes)));
		break;
	case 2:
		count(CALL_FILE, mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0) == MAP_FAILED ? -1 : 0);
		break;
	case 3:
		count(CALL_FILE, ftruncate(fd, pick(dice, 4096)));
		break;
	}
}

static void unload(struct dice *dice)
{
	(void)dice;
	count(CALL_UNLOAD, syscall(SYS_delete_module, "uwind", O_NONBLOCK));
}

static const struct {
	void (*make)(struct dice *dice);
	uint32_t weight;
} kinds[] = {
	{ abi, 4 },       { create_rows, 10 }, { create_sframe, 10 }, { create_remote, 4 },  { destroy, 12 },
	{ tie, 10 },      { bind, 12 },        { unbind, 8 },         { next, 6 },           { stats, 3 },
	{ start, 3 },     { enable, 4 },       { ask, 10 },           { session_stats, 3 },  { stop, 3 },
	{ self_add, 12 }, { self_remove, 8 },  { self_next, 6 },      { unknown_number, 4 }, { file_operation, 3 },
	{ unload, 1 },    { watch, 3 },        { keep_stacks, 3 },
};

void any_ioctl(struct dice *dice)
{
	uint32_t sum = 0, at;

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		sum += kinds[i].weight;
	at = pick(dice, sum);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (at < kinds[i].weight) {
			kinds[i].make(dice);
			return;
		}
		at -= kinds[i].weight;
	}
}

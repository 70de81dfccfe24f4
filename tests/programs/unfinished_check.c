// SPDX-License-Identifier: GPL-2.0
// What comes with samples that lack a table, and how much of it: prints "ok RULE" or "FAIL RULE".
//
// Usage: unfinished_check
//
// As root, with the module loaded, and no table for this program. Processes that it samples spin on a stack of their own, with a
// frame pointer that leads nowhere, or astray: to two frames, of which the second one's return address is no code. Right above that stack another mapping begins, which is not to be read.
#include <signal.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <ucontext.h>

#include "check.h"
#include "reader.h"

#define RATE_HZ     1999
#define STACK_BYTES (64u << 10)
#define FILL        0xa5
#define PER_FILE    4096u         /* samples: the module's limit */
#define PER_SECOND  (16ull << 20) /* bytes: the module's limit */
#define SLACK       64u           /* tasks that are past a limit's test */
#define LONGEST_MS  60000
#define NR_SPINNING 2

#if defined(__x86_64__)
#define SP_NUMBER 7
#define SPIN(fp)  asm volatile("mov %0, %%rbp; 1: jmp 1b" ::"r"(fp) : "memory")
#else
#define SP_NUMBER 31
#define SPIN(fp)  asm volatile("mov x29, %0; 1: b 1b" ::"r"(fp) : "memory")
#endif

static uint8_t *stack_end;
static uint32_t seen, whole, filled;

/* --- who is sampled ----------------------------------------------------------------------- */

static size_t room_bytes;
static int leads_astray;
static _Atomic int *nr_spinning; /* shared with those who spin */

static void spin(void)
{
	_Alignas(16) uintptr_t frames[4] = { (uintptr_t)&frames[2], (uintptr_t)spin + 1, 0, 1 };
	uint8_t room[room_bytes];

	memset(room, FILL, room_bytes);
	asm volatile("" ::"r"(room) : "memory");
	++*nr_spinning;
	SPIN(leads_astray ? (uintptr_t)frames : 1);
}

static void map_stack(void)
{
	uint8_t *start = mmap(NULL, STACK_BYTES + 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int fd = memfd_create("above", MFD_CLOEXEC);

	if (start == MAP_FAILED || fd < 0 || ftruncate(fd, 4096))
		exit(1);
	stack_end = start + STACK_BYTES;
	nr_spinning = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (nr_spinning == MAP_FAILED)
		exit(1);
	if (mmap(stack_end, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0) == MAP_FAILED)
		exit(1);
}

static pid_t start_spinning(size_t bytes)
{
	ucontext_t context;
	pid_t pid = fork();

	if (pid)
		return pid;
	room_bytes = bytes;
	memset(stack_end, 1, 4096); /* resident, so that only its being another mapping ends what is read */
	getcontext(&context);
	context.uc_stack.ss_sp = stack_end - STACK_BYTES;
	context.uc_stack.ss_size = STACK_BYTES;
	context.uc_link = NULL;
	makecontext(&context, spin, 0);
	setcontext(&context);
	exit(1);
}

/* --- what is sent ------------------------------------------------------------------------- */

static uint64_t stack_pointer(const struct uwind_record_unfinished *record)
{
	uint32_t below = record->known & ((1ull << SP_NUMBER) - 1);

	return record->values[__builtin_popcount(below)];
}

/* To the end of the stack, and no further; on it is what the process has written. */
static void take(const uint8_t *at, const struct uwind_record *record)
{
	const struct uwind_record_unfinished *unfinished = (const void *)at;
	const uint8_t *bytes;

	if (record->type != UWIND_RECORD_UNFINISHED)
		return;
	seen++;
	bytes = (const uint8_t *)&unfinished->values[__builtin_popcount(unfinished->known)];
	whole += (unfinished->known >> SP_NUMBER & 1) &&
		 stack_pointer(unfinished) + unfinished->stack_bytes == (uintptr_t)stack_end;
	filled += unfinished->stack_bytes > 1024 && bytes[1024] == FILL;
}

static void ignore(const uint8_t *at, const struct uwind_record *record)
{
	(void)at;
	(void)record;
}

/* Until so many samples lacked a table. Returns the milliseconds. */
static long sample(size_t bytes, uint32_t stack_bytes, uint64_t samples, take_record_fn taken,
		   struct uwind_session_stats *stats)
{
	struct session session;
	int32_t pids[NR_SPINNING];
	long begin, ms;

	*nr_spinning = 0;
	for (int i = 0; i < NR_SPINNING; i++)
		pids[i] = start_spinning(bytes);
	while (*nr_spinning < NR_SPINNING)
		usleep(1000);
	begin = now_ms();
	session_begin(&session, (struct uwind_session_start){ .flags = UWIND_SESSION_FREQUENCY,
							      .rate = RATE_HZ,
							      .targets = (uintptr_t)pids,
							      .nr_targets = NR_SPINNING,
							      .stack_bytes = stack_bytes });
	do {
		session_read(&session, 50, taken);
		*stats = session_stats(&session);
		ms = now_ms() - begin;
	} while (stats->unfinished + stats->unfinished_refused < samples && ms < LONGEST_MS);
	session_end(&session, taken);
	for (int i = 0; i < NR_SPINNING; i++)
		kill(pids[i], SIGKILL);
	while (wait(NULL) > 0)
		;
	return ms;
}

static void check_bytes(void)
{
	struct uwind_session_stats stats;
	char detail[96];

	sample(6000, UWIND_MAX_STACK_BYTES, 200, take, &stats);
	snprintf(detail, sizeof(detail), "%u came, %u to the end, %u as written", seen, whole, filled);
	check("samples that lack a table come with their stack", seen >= 200 && filled == seen, detail);
	check("and with nothing of the mapping above it", whole == seen, detail);
}

static void check_astray(void)
{
	struct uwind_session_stats stats;
	char detail[96];

	seen = 0;
	leads_astray = 1;
	sample(6000, UWIND_MAX_STACK_BYTES, 200, take, &stats);
	leads_astray = 0;
	snprintf(detail, sizeof(detail), "%u came, %llu ended with bad_pc", seen,
		 (unsigned long long)stats.stops[UWIND_STOP_BAD_PC]);
	check("so do those for which something else was taken for a frame pointer",
	      seen >= 200 && stats.stops[UWIND_STOP_BAD_PC] >= 200, detail);
}

/* When ten minutes are over, the count begins anew. */
static void check_file(void)
{
	struct uwind_session_stats stats;
	char detail[96];

	sample(64, 64, PER_FILE + 500, ignore, &stats);
	if (stats.unfinished > PER_FILE + SLACK)
		sample(64, 64, PER_FILE + 500, ignore, &stats);
	snprintf(detail, sizeof(detail), "%llu came, %llu did not", (unsigned long long)stats.unfinished,
		 (unsigned long long)stats.unfinished_refused);
	check("a file's table is missed so often and no more",
	      stats.unfinished >= PER_FILE && stats.unfinished <= PER_FILE + SLACK && stats.unfinished_refused, detail);
}

/* A busy machine may not come to that many in a second, and then none is refused. */
static void check_second(void)
{
	const uint64_t per_second = PER_SECOND / UWIND_MAX_STACK_BYTES;
	struct uwind_session_stats stats;
	char detail[96];
	bool is_slow;
	int tries = 0;
	long ms;

	do
		ms = sample(20000, UWIND_MAX_STACK_BYTES, 3500, ignore, &stats);
	while (!stats.unfinished_refused && ++tries < 8);
	is_slow = stats.unfinished * 1000 < per_second * ms;
	snprintf(detail, sizeof(detail), "%llu came in %ld ms, %llu did not", (unsigned long long)stats.unfinished, ms,
		 (unsigned long long)stats.unfinished_refused);
	printf("     %s\n", detail);
	check("no more bytes come in a second than may",
	      stats.unfinished <= (ms / 1000 + 2) * per_second + SLACK && (stats.unfinished_refused || is_slow),
	      detail);
}

int main(void)
{
	map_stack();
	check_bytes();
	check_astray();
	check_file();
	check_second();
	return check_failures != 0;
}

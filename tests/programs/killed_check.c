// SPDX-License-Identifier: GPL-2.0
// Has tables made that take long, and kills whoever waits for them: prints "ok RULE" or "FAIL RULE".
//
// Usage: killed_check [MIB [LIMIT_MS]]   a section of so many MiB (64), and as many of rows; in how long who is killed is gone (3000)
//
// As root, with the module loaded. Each table is made to the end first, so that it is known to be accepted and how long that takes;
// then its maker is killed when a third of that is over. A program that is killed goes within a moment, whatever it makes the
// module read.
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "check.h"
#include "uwind.h"

#define HEADER_BYTES   28u
#define FUNCTION_BYTES 16u /* of text */

/* Architecture, and the offsets from the CFA that are fixed on it. */
#ifdef __aarch64__
#define ARCH_WORD 0x00000002u
#else
#define ARCH_WORD 0x00f80003u
#endif

#define LEAST_MS 30   /* that a call takes, else nothing is told by killing its caller */
#define LIMIT_MS 3000 /* for what takes some milliseconds, on any machine */

/* SFrame version 2, as it lies in a section. */
struct function {
	int32_t start;
	uint32_t bytes, rows_offset, nr_rows;
	uint8_t info, block_bytes;
	uint16_t padding;
} __attribute__((packed));

static int control;
static uint64_t bytes = 64u << 20;
static double limit_ms = 3000; /* for what takes some milliseconds, on any machine */
static struct uwind_segment segments[UWIND_MAX_SEGMENTS];
static struct uwind_table_create section_call, rows_call;

static double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e3 + t.tv_nsec * 1e-6;
}

static void *room(size_t bytes)
{
	void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

	if (memory == MAP_FAILED) {
		perror("killed_check");
		exit(1);
	}
	return memory;
}

/* Functions without rows, in an order that is as good as random, in segments whose offsets fall as their addresses rise. */
static void make_section(void)
{
	uint64_t nr = (bytes - HEADER_BYTES) / sizeof(struct function),
		 segment_bytes = nr / UWIND_MAX_SEGMENTS * FUNCTION_BYTES;
	uint32_t header[] = { 0x0002dee2, ARCH_WORD, nr, 0, 0, 0, nr * sizeof(struct function) };
	uint8_t *section = room(bytes);
	struct function *functions = (void *)(section + HEADER_BYTES);

	memcpy(section, header, sizeof(header));
	for (uint64_t i = 0; i < nr; i++) /* the factor is a prime */
		functions[i] = (struct function){ .start = i * 1000003 % nr * FUNCTION_BYTES, .bytes = FUNCTION_BYTES };
	for (uint64_t i = 0; i < UWIND_MAX_SEGMENTS; i++)
		segments[i] = (struct uwind_segment){
			i * segment_bytes,
			segment_bytes,
			(UWIND_MAX_SEGMENTS - i) * segment_bytes,
		};
	section_call = (struct uwind_table_create){
		.size = sizeof(section_call),
		.source = UWIND_SOURCE_SFRAME_BYTES,
		.pidfd = -1,
		.data = (uintptr_t)section,
		.data_bytes = bytes,
		.segments = (uintptr_t)segments,
		.nr_segments = UWIND_MAX_SEGMENTS,
	};
}

static void make_rows(void)
{
	static const struct uwind_rule rules[] = { { .kind = UWIND_RULE_OUTERMOST },
						   { .kind = UWIND_RULE_THREAD_START } };
	uint64_t nr = bytes / sizeof(struct uwind_row);
	struct uwind_row *rows = room(bytes);

	for (uint32_t i = 0; i < nr; i++)
		rows[i] = (struct uwind_row){ 16 * i, i % 2 };
	rows_call = (struct uwind_table_create){
		.size = sizeof(rows_call),
		.source = UWIND_SOURCE_ROWS,
		.pidfd = -1,
		.method = UWIND_METHOD_EH_FRAME,
		.data = (uintptr_t)rows,
		.data_bytes = bytes,
		.rules = (uintptr_t)rules,
		.nr_rules = 2,
	};
}

/* A process that makes the call; it begins when this returns. */
static pid_t begin(const struct uwind_table_create *call)
{
	struct uwind_table_create arg = *call;
	int ready[2];
	char byte;
	pid_t pid;

	if (pipe(ready))
		exit(1);
	pid = fork();
	if (pid == 0) {
		if (write(ready[1], "", 1) != 1)
			_exit(EPIPE);
		_exit(ioctl(control, UWIND_IOC_TABLE_CREATE, &arg) == 0 ? 0 : errno);
	}
	close(ready[1]);
	if (read(ready[0], &byte, 1) != 1)
		perror("killed_check: a process");
	close(ready[0]);
	return pid;
}

/* How long the call takes. */
static double make_whole(const char *name, const struct uwind_table_create *call)
{
	pid_t pid = begin(call);
	double start = now_ms(), took;
	char rule[96], detail[64];
	int status;

	waitpid(pid, &status, 0);
	took = now_ms() - start;
	snprintf(rule, sizeof(rule), "%s: it is accepted", name);
	snprintf(detail, sizeof(detail), "status %#x, errno %d", status, WEXITSTATUS(status));
	check(rule, status == 0, detail);
	snprintf(rule, sizeof(rule), "%s: that takes a while", name);
	snprintf(detail, sizeof(detail), "it takes %.0f ms", took);
	check(rule, took >= LEAST_MS, detail);
	return took;
}

/* The caller is killed after_ms after it has begun. It does not end before, and is in the kernel then. */
static void kill_within(const char *name, const struct uwind_table_create *call, double after_ms)
{
	pid_t pid = begin(call);
	char rule[96], detail[64];
	struct rusage usage;
	double start, took;
	int status;

	usleep((useconds_t)(after_ms * 1000));
	start = now_ms();
	kill(pid, SIGKILL);
	wait4(pid, &status, 0, &usage);
	took = now_ms() - start;
	snprintf(rule, sizeof(rule), "%s: the caller is killed in its midst", name);
	snprintf(detail, sizeof(detail), "status %#x, %ld us in the kernel", status,
		 usage.ru_stime.tv_sec * 1000000 + usage.ru_stime.tv_usec);
	check(rule,
	      WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL && (usage.ru_stime.tv_sec || usage.ru_stime.tv_usec),
	      detail);
	snprintf(rule, sizeof(rule), "%s: whoever is killed goes", name);
	snprintf(detail, sizeof(detail), "it takes %.0f ms", took);
	check(rule, took < limit_ms, detail);
	printf("     killed after %.0f ms, gone after %.0f ms more\n", after_ms, took);
}

static void check_call(const char *name, const struct uwind_table_create *call)
{
	double took = make_whole(name, call);

	printf("     to the end it takes %.0f ms\n", took);
	kill_within(name, call, took / 3);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	if (argc > 1)
		bytes = strtoull(argv[1], NULL, 10) << 20;
	if (argc > 2)
		limit_ms = strtod(argv[2], NULL);
	control = open(UWIND_DEVICE, O_RDWR | O_CLOEXEC);
	if (control < 0) {
		perror(UWIND_DEVICE);
		return 1;
	}
	make_section();
	check_call("a section", &section_call);
	munmap((void *)(uintptr_t)section_call.data, bytes);
	make_rows();
	check_call("rows", &rows_call);
	return check_failures != 0;
}

// SPDX-License-Identifier: GPL-2.0
// What happens in windows that a test build of the module holds open (kmod/stall.h): prints "ok RULE" or "FAIL RULE".
//
// Usage: windows_check attach   as root, while calls with /dev/uwind are held: a message to its family waits for none
//        windows_check fork     while one who forks is held: the child inherits what another thread does not touch
//        windows_check timer    a program with a timer of 1 kHz registers a large section; needs no test build
//        windows_check born     registers, forks, and prints the child's number; both stay
//        windows_check end      registers, and ends
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "clock.h"
#include "genl.h"
#include "uwind.h"

#define HEADER_BYTES   28u
#define FUNCTION_BYTES 16u /* of text */
#define NR_SMALL       64u
#define NR_LARGE       50000u
#define TIMER_US       1000
#define LIMIT_S        120 /* for what takes less than one */
#define SOON_MS        100 /* fork() has begun by then */
#define FORKS          5
#define TRIES          10 /* a host that stalls may let a call's delay pass before the message is sent */

#ifdef __aarch64__
#define ARCH_WORD 0x00000002u
#else
#define ARCH_WORD 0x00f80003u
#endif

/* SFrame version 2, as it lies in a section. */
struct function {
	int32_t start;
	uint32_t bytes, rows_offset, nr_rows;
	uint8_t info, block_bytes;
	uint16_t padding;
} __attribute__((packed));

static int device;

/* A section of functions without rows, for text that follows it in memory. */
static struct uwind_self_add make_section(uint32_t nr)
{
	uint32_t header[] = { 0x0002dee2, ARCH_WORD, nr, 0, 0, 0, nr * sizeof(struct function) };
	size_t bytes = HEADER_BYTES + nr * sizeof(struct function), text = (bytes + 0xffff) & ~0xfffful;
	size_t text_bytes = (nr * FUNCTION_BYTES + 0xffff) & ~0xfffful;
	char *memory = mmap(NULL, text + text_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct function *functions = (void *)(memory + HEADER_BYTES);
	uint64_t start = (uintptr_t)memory;

	if (memory == MAP_FAILED)
		exit(1);
	memcpy(memory, header, sizeof(header));
	for (uint32_t i = 0; i < nr; i++)
		functions[i] = (struct function){ .start = text + i * FUNCTION_BYTES, .bytes = FUNCTION_BYTES };
	mprotect(memory + text, text_bytes, PROT_READ | PROT_EXEC);
	return (struct uwind_self_add){
		.size = sizeof(struct uwind_self_add),
		.sframe_start = start,
		.sframe_end = start + bytes,
		.text_start = start + text,
		.text_end = start + text + nr * FUNCTION_BYTES,
	};
}

static int add(struct uwind_self_add *section)
{
	return ioctl(device, UWIND_IOC_SELF_ADD, section);
}

static void register_small(void)
{
	struct uwind_self_add section = make_section(NR_SMALL);

	if (add(&section)) {
		perror("a section");
		exit(1);
	}
}

static int count_ranges(void)
{
	struct uwind_self_next next = { .size = sizeof(next) };
	int n = 0;

	for (; ioctl(device, UWIND_IOC_SELF_NEXT, &next) == 0 && next.found; n++)
		next.after = next.text_start;
	return n;
}

static void tick(int signal)
{
	(void)signal;
}

/* In a child, which is killed if it does not come to an end. */
static void check_timer(void)
{
	const struct itimerval often = { { 0, TIMER_US }, { 0, TIMER_US } };
	struct sigaction action = { .sa_handler = tick, .sa_flags = SA_RESTART };
	long begin = now_ms();
	int status = -1;
	pid_t pid = fork();

	if (pid == 0) {
		struct uwind_self_add section = make_section(NR_LARGE);

		sigaction(SIGALRM, &action, NULL);
		setitimer(ITIMER_REAL, &often, NULL);
		_exit(add(&section) ? errno : 0);
	}
	while (waitpid(pid, &status, WNOHANG) == 0 && now_ms() < begin + LIMIT_S * 1000)
		usleep(10000);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	printf("     after %ld ms\n", now_ms() - begin);
	check("a program with a timer registers a large section", WIFEXITED(status) && WEXITSTATUS(status) == 0,
	      WIFEXITED(status) ? strerror(WEXITSTATUS(status)) : "it comes to no end");
}

/* A thread that calls the device, and the call. */
struct held_call {
	int control;
	volatile pid_t tid; /* 0: the thread has not begun, and has no file in /proc */
	volatile int returned;
};

static void *ask_statistics(void *data)
{
	struct uwind_session_stats stats = { .size = sizeof(stats) };
	struct held_call *call = data;

	call->tid = (pid_t)syscall(SYS_gettid);
	ioctl(call->control, UWIND_IOC_SESSION_STATS, &stats);
	call->returned = 1;
	return NULL;
}

/* Whether the call is under way and its thread sleeps in it. The kernel prints "running" for a thread that does not sleep. */
static int is_held(const struct held_call *call)
{
	char path[64];
	long number = -1;
	unsigned long control = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/self/task/%d/syscall", call->tid);
	file = fopen(path, "r");
	if (!file)
		return 0;
	if (fscanf(file, "%ld %lx", &number, &control) < 2)
		number = -1;
	fclose(file);
	return number == SYS_ioctl && control == (unsigned long)call->control;
}

static int attach(int control, uint32_t number)
{
	int result, reader = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC);
	uint16_t family = genl_family();
	struct genl_message m;

	genl_attach_message(&m, family, control, number);
	result = send(reader, &m, m.header.nlmsg_len, 0) < 0 ? -errno : genl_acknowledged(reader, number);
	close(reader);
	return result;
}

/* Attach a reader while another thread's call is held. Returns whether that call is still held when the answer is there. */
static int attach_while_held(int *control, int *result)
{
	struct held_call call = { .control = open(UWIND_DEVICE, O_RDWR | O_CLOEXEC) };
	long end = now_ms() + LIMIT_S * 1000;
	pthread_t thread;
	int held;

	if (call.control < 0 || pthread_create(&thread, NULL, ask_statistics, &call))
		exit(1);
	while (!is_held(&call) && !call.returned && now_ms() < end)
		usleep(1000);
	*result = attach(call.control, 1);
	held = is_held(&call);
	pthread_join(thread, NULL);
	*control = call.control;
	return held;
}

static void check_attach(void)
{
	int control = -1, result, tries = 1;
	char detail[64];

	while (!attach_while_held(&control, &result) && tries++ < TRIES)
		close(control);
	snprintf(detail, sizeof(detail), "%d, in %d tries", result, tries);
	check("a message does not wait for a call with the same descriptor", result == -EBUSY && tries <= TRIES,
	      detail);
	result = attach(control, 2);
	check("and it works when that is over", result == 0, strerror(-result));
}

static void *add_soon(void *section)
{
	usleep(SOON_MS * 1000);
	add(section);
	return NULL;
}

/* The array of ranges that whoever forks has found is replaced before it has a reference. */
static void check_fork(void)
{
	int missed = 0;

	register_small();
	for (int i = 0; i < FORKS; i++) {
		struct uwind_self_add section = make_section(NR_SMALL);
		int status = -1, count = count_ranges();
		pthread_t thread;
		pid_t pid;

		if (pthread_create(&thread, NULL, add_soon, &section))
			exit(1);
		usleep((SOON_MS - 30) * 1000);
		pid = fork();
		if (pid == 0)
			_exit(count_ranges() < count);
		waitpid(pid, &status, 0);
		pthread_join(thread, NULL);
		missed += !WIFEXITED(status) || WEXITSTATUS(status);
	}
	printf("     %d of %d children lack something\n", missed, FORKS);
	check("a child inherits what its parent had, though another thread registers meanwhile", missed == 0,
	      "some do not");
}

static void be_born(void)
{
	pid_t pid;

	register_small();
	pid = fork();
	if (pid == 0)
		for (;;)
			;
	printf("%d\n", pid);
	fflush(stdout);
	pause();
}

int main(int argc, char **argv)
{
	const char *mode = argc == 2 ? argv[1] : "";

	device = open(UWIND_SELF_DEVICE, O_RDWR | O_CLOEXEC);
	if (!strcmp(mode, "attach"))
		check_attach();
	else if (!strcmp(mode, "fork"))
		check_fork();
	else if (!strcmp(mode, "timer"))
		check_timer();
	else if (!strcmp(mode, "born"))
		be_born();
	else if (!strcmp(mode, "end"))
		register_small();
	else
		return 64;
	return check_failures != 0;
}

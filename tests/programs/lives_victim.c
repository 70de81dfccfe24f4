// SPDX-License-Identifier: GPL-2.0
// Lives that are hard on a sampler, one per verb, each until killed.
//
// Usage: lives_victim VERB
//   bomb      a thousand processes at a time, each of which works a little and ends
//   killed    children that are killed while they work at the end of a long stack
//   shares    processes that share the memory of one that has moved on: clone(CLONE_VM), vfork and exec
//   moves     code that is mapped, run, moved, run again and unmapped
//   files     code in a thousand files, all mapped
//   loads     plugin.so (beside it), loaded and unloaded, a line for every thousand times
//   withheld  spins below stack pages that a userfaultfd never delivers
//   vvar      spins with its stack pointer in the kernel's data page of the vDSO
//   device    spins with its stack pointer in memory of a device (/dev/mem)
//   eats      takes all memory there is
#include <dlfcn.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <linux/userfaultfd.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "work.h"

#define NR_PROCESSES 1000
#define STACK_BYTES  (256 << 10)

static void die(const char *what)
{
	fprintf(stderr, "lives_victim: ");
	perror(what);
	exit(1);
}

static void bomb(void)
{
	for (int i = 0; i < NR_PROCESSES; i++) {
		pid_t pid = fork();

		if (pid < 0)
			break;
		if (pid == 0) {
			work_sink += work_recurse(20, i);
			_exit(0);
		}
	}
	while (wait(NULL) > 0)
		;
}

/* Frames of a page each: a walk takes long, and is often hit. */
static __attribute__((noinline)) uint64_t descend(int depth)
{
	volatile char room[4096];

	room[depth & 4095] = depth;
	while (depth == 0 && room[0] == 0)
		work_sink += work_recurse(10, 1);
	return depth ? descend(depth - 1) + room[depth & 4095] : 0;
}

static void killed(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		_exit(descend(400));
	}
	usleep(1000 + work_sink++ * 7919 % 20000);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static int shared_child(void *unused)
{
	(void)unused;
	work_sink += work_recurse(20, 1);
	return 0;
}

static void shares(void)
{
	static char stacks[4][STACK_BYTES] __attribute__((aligned(16)));

	for (int i = 0; i < 4; i++)
		if (clone(shared_child, stacks[i] + STACK_BYTES, CLONE_VM | SIGCHLD, NULL) < 0)
			die("clone");
	if (vfork() == 0) {
		execl("/proc/self/exe", "lives_victim", "nothing", (char *)NULL);
		_exit(1);
	}
	if (vfork() == 0)
		_exit(0);
	while (wait(NULL) > 0)
		;
}

/* A loop that counts its argument down and returns. */
#if defined(__x86_64__)
static const uint8_t code[] = { 0x48, 0xff, 0xcf, 0x75, 0xfb, 0xc3 };
#else
static const uint8_t code[] = { 0x00, 0x04, 0x00, 0xf1, 0xe1, 0xff, 0xff, 0x54, 0xc0, 0x03, 0x5f, 0xd6 };
#endif

typedef void (*count_down_fn)(uint64_t);

static __attribute__((noinline)) void run_code(char *at)
{
	((count_down_fn)(void *)at)(200000);
	work_sink++;
}

static void moves(void)
{
	long page = sysconf(_SC_PAGESIZE);
	char *from = mmap(NULL, page, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *to = mmap(NULL, page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (from == MAP_FAILED || to == MAP_FAILED)
		die("mmap");
	memcpy(from, code, sizeof(code));
	__builtin___clear_cache(from, from + sizeof(code));
	run_code(from);
	if (mremap(from, page, page, MREMAP_MAYMOVE | MREMAP_FIXED, to) != to)
		die("mremap");
	run_code(to);
	munmap(to, page);
}

static char *map_file(long page)
{
	int fd = memfd_create("code", MFD_CLOEXEC);
	char *text;

	if (fd < 0 || write(fd, code, sizeof(code)) != sizeof(code) || ftruncate(fd, page) != 0)
		die("memfd_create");
	text = mmap(NULL, page, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	close(fd);
	return text == MAP_FAILED ? NULL : text;
}

static void files(void)
{
	static char *texts[1000];

	for (int i = 0; i < 1000; i++)
		if (!texts[i] && !(texts[i] = map_file(sysconf(_SC_PAGESIZE))))
			die("mmap");
	for (int i = 0; i < 1000; i++)
		run_code(texts[i]);
}

/* A good part of what is between loading and unloading, so that samples meet it. */
static __attribute__((noinline)) uint64_t called_back(uint64_t x)
{
	for (int i = 0; i < 100; i++)
		x = work_recurse(10, x) + 1;
	return x;
}

static void loads(void)
{
	char self[PATH_MAX] = "", path[PATH_MAX + 16];
	void *library;

	if (readlink("/proc/self/exe", self, sizeof(self) - 1) < 0)
		die("readlink");
	snprintf(path, sizeof(path), "%s/plugin.so", dirname(self));
	for (int i = 0; i < 1000; i++) {
		library = dlopen(path, RTLD_NOW);
		if (!library)
			die(dlerror());
		((uint64_t(*)(unsigned int, uint64_t (*)(uint64_t)))dlsym(library, "plugin_work"))(1, called_back);
		dlclose(library);
	}
	printf("loaded 1000 times\n");
	fflush(stdout);
}

static void nothing(void)
{
	exit(0);
}

/* --- stacks that cannot be read -------------------------------------------------------------- */

static char *withheld_stack;

static void withhold(void)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register reg = {
		.range = { (uintptr_t)withheld_stack + STACK_BYTES / 2, STACK_BYTES / 2 },
		.mode = UFFDIO_REGISTER_MODE_MISSING,
	};
	int fd = syscall(SYS_userfaultfd, O_CLOEXEC);

	if (fd < 0 || ioctl(fd, UFFDIO_API, &api) != 0 || ioctl(fd, UFFDIO_REGISTER, &reg) != 0)
		die("userfaultfd");
	if (madvise(withheld_stack + STACK_BYTES / 2, STACK_BYTES / 2, MADV_DONTNEED) != 0)
		die("madvise");
}

/* Reaches from the upper half of the stack into the lower one, and stays there. */
static __attribute__((noinline)) uint64_t sink_in(char *until)
{
	volatile char room[1024];

	room[0] = 1;
	if ((char *)__builtin_frame_address(0) > until)
		return sink_in(until) + room[0];
	withhold();
	while (room[0] == 1)
		work_sink += work_recurse(5, 1);
	return 0;
}

static int withheld_child(void *unused)
{
	(void)unused;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	return sink_in(withheld_stack + STACK_BYTES / 4);
}

static void withheld(void)
{
	withheld_stack = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (withheld_stack == MAP_FAILED ||
	    clone(withheld_child, withheld_stack + STACK_BYTES, CLONE_VM | SIGCHLD, NULL) < 0)
		die("clone");
	while (wait(NULL) > 0)
		;
}

static __attribute__((noreturn)) void spin_on(char *stack)
{
#if defined(__x86_64__)
	__asm__ volatile("movq %0, %%rsp\n\tmovq %0, %%rbp\n1:\tpause\n\tjmp 1b" : : "r"(stack) : "memory");
#else
	__asm__ volatile("mov sp, %0\n\tmov x29, %0\n1:\tyield\n\tb 1b" : : "r"(stack) : "memory");
#endif
	__builtin_unreachable();
}

static void vvar(void)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[512];
	unsigned long start;

	while (maps && fgets(line, sizeof(line), maps))
		if (strstr(line, "[vvar]") && sscanf(line, "%lx", &start) == 1)
			spin_on((char *)start + 1024);
	die("[vvar]");
}

/* Where QEMU's machines have neither memory nor a device. */
#if defined(__x86_64__)
#define HOLE 0xa0000000
#else
#define HOLE 0x0e000000
#endif

static void device(void)
{
	int fd = open("/dev/mem", O_RDWR | O_SYNC);
	void *memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, HOLE);

	if (fd < 0 || memory == MAP_FAILED)
		die("/dev/mem");
	spin_on((char *)memory + 1024);
}

static void eats(void)
{
	long bytes = 64 << 20;
	char *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		die("mmap");
	madvise(memory, bytes, MADV_HUGEPAGE);
	for (long i = 0; i < bytes; i += 4096)
		memory[i] = 1;
}

static const struct {
	const char *verb;
	void (*live)(void);
} lives[] = {
	{ "bomb", bomb },     { "killed", killed }, { "shares", shares },     { "moves", moves },
	{ "files", files },   { "loads", loads },   { "withheld", withheld }, { "vvar", vvar },
	{ "device", device }, { "eats", eats },     { "nothing", nothing },
};

int main(int argc, char **argv)
{
	for (size_t i = 0; argc == 2 && i < sizeof(lives) / sizeof(lives[0]); i++)
		while (strcmp(argv[1], lives[i].verb) == 0)
			lives[i].live();
	fprintf(stderr, "usage: lives_victim VERB\n");
	return 64;
}

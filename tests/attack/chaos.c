// SPDX-License-Identifier: GPL-2.0
// What comes and goes while calls name it: memory, text, descriptors, processes. One thread changes it all the time,
// another delivers the pages that a userfaultfd withholds, late.
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "attack.h"

#ifndef UFFD_USER_MODE_ONLY
#define UFFD_USER_MODE_ONLY 1
#endif

#define NR_SLOTS   6
#define NR_VICTIMS 6
#define NR_PAGES   8
#define ROOM       16384

static long page;
static char *shifting; /* pages that are unmapped, mapped and protected */
static char *withheld; /* pages that a userfaultfd delivers */
static char *edge;     /* two pages, and nothing behind them */
static char *closed;   /* a page that nobody may read or write */
static char *readable; /* and one that nobody may write */
static char *texts[NR_SLOTS];
static int fault_fd = -1;

static int controls[NR_SLOTS], selves[NR_SLOTS], sockets[NR_SLOTS], files[NR_SLOTS];
static struct {
	pid_t pid;
	int pidfd;
} victims[NR_VICTIMS];
static int own_pidfd, dead_pidfd, pipe_fd;

/* --- pointers -------------------------------------------------------------------------------- */

/* Four rooms in turn: a call has at most four pointers. */
static void *good_pointer(const void *bytes, size_t nr)
{
	static __thread char rooms[4][ROOM];
	static __thread unsigned int turn;
	char *room = rooms[turn++ & 3];

	memcpy(room, bytes, nr < ROOM ? nr : ROOM);
	return room;
}

/* Memory that may vanish is not written by an instruction of ours. */
static void *write_there(char *to, const void *bytes, size_t nr)
{
	struct iovec from = { (void *)bytes, nr < (size_t)page ? nr : (size_t)page }, into = { to, from.iov_len };

	if (process_vm_writev(getpid(), &from, 1, &into, 1, 0) < 0)
		return to;
	return to;
}

static void *at_the_edge(struct dice *dice, const void *bytes, size_t nr)
{
	size_t cut = rarely(dice, 2) ? 0 : pick(dice, nr + 1);
	size_t there = nr - cut < (size_t)page ? nr - cut : (size_t)page;

	return write_there(edge + 2 * page - there, bytes, there);
}

/* In one of the region's pages, or across the end of it. */
static char *in_region(struct dice *dice, char *region, size_t nr)
{
	size_t half = (nr < (size_t)page ? nr : (size_t)page) / 2;

	return region + pick(dice, NR_PAGES) * page + (rarely(dice, 2) ? page - half : 0);
}

static void *wild_pointer(struct dice *dice)
{
	const uint64_t wild[] = { 0,
				  1,
				  8,
				  4096,
				  ~0ull,
				  ~0ull - 4095,
				  1ull << 47,
				  (1ull << 47) - 4,
				  (1ull << 48) - 8,
				  1ull << 52,
				  0x8000000000000000ull,
				  0xffff800000000000ull,
				  0xffffffff81000000ull,
				  0xffff800008000000ull,
				  roll(dice) };

	return (void *)(uintptr_t)wild[pick(dice, sizeof(wild) / sizeof(wild[0]))];
}

void *any_pointer(struct dice *dice, const void *bytes, size_t nr)
{
	switch (pick(dice, 64)) {
	case 0:
		return at_the_edge(dice, bytes, nr);
	case 1:
		return closed + pick(dice, page);
	case 2:
		return readable + pick(dice, page);
	case 3:
	case 4:
		return write_there(in_region(dice, shifting, nr), bytes, nr);
	case 5:
		return in_region(dice, withheld, nr);
	case 6:
		return wild_pointer(dice);
	}
	return good_pointer(bytes, nr);
}

uint64_t any_text(struct dice *dice)
{
	if (rarely(dice, 32))
		return (uintptr_t)wild_pointer(dice);
	return (uintptr_t)texts[pick(dice, NR_SLOTS)] + 64 * pick(dice, 4);
}

/* --- descriptors and processes ---------------------------------------------------------------- */

int any_fd(struct dice *dice)
{
	const int fds[] = { -1, -2, INT_MAX, own_pidfd, dead_pidfd, pipe_fd, fault_fd, (int)pick(dice, 128) };

	return fds[pick(dice, sizeof(fds) / sizeof(fds[0]))];
}

static int any_of(struct dice *dice, const int *slots)
{
	return rarely(dice, 64) ? any_fd(dice) : slots[pick(dice, NR_SLOTS)];
}

int any_control(struct dice *dice)
{
	return ordinary && !rarely(dice, 4) ? inherited_control : any_of(dice, controls);
}
int any_self(struct dice *dice)
{
	return any_of(dice, selves);
}
int any_socket(struct dice *dice)
{
	return any_of(dice, sockets);
}
int any_file(struct dice *dice)
{
	return any_of(dice, files);
}

int any_pidfd(struct dice *dice)
{
	if (rarely(dice, 16))
		return any_fd(dice);
	return rarely(dice, 3) ? own_pidfd : victims[pick(dice, NR_VICTIMS)].pidfd;
}

pid_t any_pid(struct dice *dice)
{
	const pid_t pids[] = { 0, -1, 1, 2, INT_MAX, getpid(), getppid(), (pid_t)pick(dice, 4096) };

	return rarely(dice, 4) ? pids[pick(dice, sizeof(pids) / sizeof(pids[0]))] : victims[pick(dice, NR_VICTIMS)].pid;
}

/* --- changes ----------------------------------------------------------------------------------- */

static void renew_memory(struct dice *dice)
{
	char *at = shifting + pick(dice, NR_PAGES) * page;

	switch (pick(dice, 4)) {
	case 0:
		munmap(at, page);
		break;
	case 1:
		mprotect(at, page, pick(dice, 4));
		break;
	default:
		mmap(at, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
		break;
	}
}

static void withhold_again(struct dice *dice)
{
	madvise(withheld + pick(dice, NR_PAGES) * page, page, MADV_DONTNEED);
}

static void renew_text(struct dice *dice)
{
	uint32_t slot = pick(dice, NR_SLOTS);

	switch (pick(dice, 4)) {
	case 0:
		munmap(texts[slot], page);
		break;
	case 1:
		mremap(texts[slot], page, page, MREMAP_MAYMOVE | MREMAP_FIXED, texts[pick(dice, NR_SLOTS)]);
		break;
	default:
		mmap(texts[slot], page, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
		break;
	}
}

static void renew_slot(int *slot, int fresh)
{
	int old = *slot;

	*slot = fresh;
	if (old >= 0)
		close(old);
}

static int new_file(struct dice *dice)
{
	char name[] = "attack.XXXXXX";
	int fd = rarely(dice, 4) ? open("/proc/self/exe", O_RDONLY | O_CLOEXEC) : mkostemp(name, O_CLOEXEC);

	unlink(name);
	return fd;
}

static void renew_descriptor(struct dice *dice)
{
	uint32_t slot = pick(dice, NR_SLOTS);

	switch (pick(dice, 4)) {
	case 0:
		renew_slot(&controls[slot], open(UWIND_DEVICE, O_RDWR | O_CLOEXEC));
		break;
	case 1:
		renew_slot(&selves[slot], open(UWIND_SELF_DEVICE, O_RDWR | O_CLOEXEC));
		break;
	case 2:
		renew_slot(&sockets[slot], open_socket(dice));
		break;
	case 3:
		renew_slot(&files[slot], new_file(dice));
		break;
	}
}

/* Works in user space, sleeps, registers its own section, forks, ends: until killed. */
static void be_victim(struct dice *dice)
{
	const struct section *own = own_section();
	struct uwind_self_add add = {
		.size = sizeof(add),
		.sframe_start = own->address,
		.sframe_end = own->address + own->nr_bytes,
		.text_start = own->text_start,
		.text_end = own->text_end,
	};

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (rarely(dice, 2))
		ioctl(open(UWIND_SELF_DEVICE, O_RDWR), UWIND_IOC_SELF_ADD, &add);
	while (!rarely(dice, 64)) {
		for (uint32_t i = pick(dice, 100000); i; i--)
			roll(dice);
		if (rarely(dice, 8) && fork() == 0)
			_exit(0);
		usleep(pick(dice, 2000));
	}
	_exit(0);
}

static void renew_victim(struct dice *dice)
{
	uint32_t slot = pick(dice, NR_VICTIMS);
	pid_t pid = victims[slot].pid;

	if (pid > 0 && rarely(dice, 2)) {
		kill(pid, rarely(dice, 2) ? SIGSTOP : SIGCONT);
		return;
	}
	if (pid > 0) {
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
	}
	pid = fork();
	if (pid == 0)
		be_victim(dice);
	victims[slot].pid = pid;
	renew_slot(&victims[slot].pidfd, syscall(SYS_pidfd_open, pid, 0));
}

static void *change(void *seed)
{
	struct dice dice = { (uint64_t)(uintptr_t)seed };

	while (!attack_is_over()) {
		switch (pick(&dice, 16)) {
		case 0:
			renew_victim(&dice);
			break;
		case 1:
		case 2:
			renew_descriptor(&dice);
			break;
		case 3:
			renew_text(&dice);
			break;
		case 4:
		case 5:
			withhold_again(&dice);
			break;
		default:
			renew_memory(&dice);
			break;
		}
		usleep(pick(&dice, 300));
	}
	return NULL;
}

static void *deliver(void *seed)
{
	struct dice dice = { (uint64_t)(uintptr_t)seed };
	struct pollfd ready = { .fd = fault_fd, .events = POLLIN };
	struct uffd_msg fault;

	for (;;) {
		struct uffdio_zeropage zero;

		if (poll(&ready, 1, -1) < 0 || read(fault_fd, &fault, sizeof(fault)) != sizeof(fault))
			continue;
		usleep(pick(&dice, 1000));
		zero = (struct uffdio_zeropage){ .range = { fault.arg.pagefault.address & -page, page } };
		ioctl(fault_fd, UFFDIO_ZEROPAGE, &zero);
	}
	return NULL;
}

/* --- beginning --------------------------------------------------------------------------------- */

static char *pages(int nr, int protection)
{
	char *memory = mmap(NULL, nr * page, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return memory == MAP_FAILED ? NULL : memory;
}

static int withhold(void)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register reg = { .range = { (uintptr_t)withheld, NR_PAGES * page },
				       .mode = UFFDIO_REGISTER_MODE_MISSING };

	fault_fd = syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK | (geteuid() ? UFFD_USER_MODE_ONLY : 0));
	if (fault_fd < 0 || ioctl(fault_fd, UFFDIO_API, &api) != 0 || ioctl(fault_fd, UFFDIO_REGISTER, &reg) != 0)
		return -1;
	return 0;
}

static int make_memory(void)
{
	page = sysconf(_SC_PAGESIZE);
	shifting = pages(NR_PAGES + 1, PROT_READ | PROT_WRITE);
	withheld = pages(NR_PAGES + 1, PROT_READ | PROT_WRITE);
	edge = pages(3, PROT_READ | PROT_WRITE);
	closed = pages(2, PROT_NONE);
	readable = pages(2, PROT_READ);
	for (int i = 0; i < NR_SLOTS; i++)
		if (!(texts[i] = pages(1, PROT_READ | PROT_EXEC)))
			return -1;
	if (!shifting || !withheld || !edge || !closed || !readable)
		return -1;
	return munmap(edge + 2 * page, page) || withhold() ? -1 : 0;
}

static int make_descriptors(struct dice *dice)
{
	int fds[2];
	pid_t pid = fork();

	if (pid == 0)
		_exit(0);
	own_pidfd = syscall(SYS_pidfd_open, getpid(), 0);
	dead_pidfd = syscall(SYS_pidfd_open, pid, 0);
	waitpid(pid, NULL, 0);
	if (pipe2(fds, O_CLOEXEC | O_NONBLOCK) != 0)
		return -1;
	pipe_fd = fds[0];
	for (int i = 0; i < NR_SLOTS; i++) {
		controls[i] = open(UWIND_DEVICE, O_RDWR | O_CLOEXEC);
		selves[i] = open(UWIND_SELF_DEVICE, O_RDWR | O_CLOEXEC);
		sockets[i] = open_socket(dice);
		files[i] = new_file(dice);
	}
	for (int i = 0; i < NR_VICTIMS; i++)
		victims[i].pidfd = -1;
	return selves[0] < 0 || sockets[0] < 0 || own_pidfd < 0 ? -1 : 0;
}

int chaos_start(uint64_t seed)
{
	struct dice dice = { seed * 7 };
	pthread_t thread;

	if (make_memory() != 0 || make_descriptors(&dice) != 0) {
		perror("attack: what it needs cannot be made");
		return -1;
	}
	if (pthread_create(&thread, NULL, deliver, (void *)(uintptr_t)(seed * 11)) ||
	    pthread_create(&thread, NULL, change, (void *)(uintptr_t)(seed * 13)))
		return -1;
	return 0;
}

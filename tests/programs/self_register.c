// SPDX-License-Identifier: GPL-2.0
// Registers its own .sframe section with /dev/uwind-self, as a program may that is nobody special.
//
// Usage: self_register work [SECONDS]   register every object that has a section, then work
//        self_register check            one line "ok NAME" or "FAIL NAME" per rule of the device
//        self_register fill [SECONDS]   register copies of the own section until one is refused, and say why
//        self_register broken FILE      register FILE, which is no section, as one
//        self_register list             print the ranges this process has, then end
//        self_register crowded          register, take many mappings, and fork: what the child has, then end
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "uwind.h"
#include "work.h"

#ifndef PT_GNU_SFRAME
#define PT_GNU_SFRAME 0x6474e554
#endif

static int device = -1;

/* The program's own section and text, found while registering. */
static struct uwind_self_add mine;

static int add(struct uwind_self_add *add)
{
	add->size = sizeof(*add);
	return ioctl(device, UWIND_IOC_SELF_ADD, add);
}

static int remove_section(uint64_t sframe_start)
{
	struct uwind_self_remove remove = { .size = sizeof(remove), .sframe_start = sframe_start };

	return ioctl(device, UWIND_IOC_SELF_REMOVE, &remove);
}

static int count_ranges(int fd, int print)
{
	struct uwind_self_next next = { .size = sizeof(next) };
	int n = 0;

	while (ioctl(fd, UWIND_IOC_SELF_NEXT, &next) == 0 && next.found) {
		if (print)
			printf("%llx-%llx\n", (unsigned long long)next.text_start, (unsigned long long)next.text_end);
		next.after = next.text_start;
		n++;
	}
	return n;
}

static const ElfW(Phdr) *section_of(const struct dl_phdr_info *info)
{
	for (int i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_GNU_SFRAME)
			return &info->dlpi_phdr[i];
	return NULL;
}

static int register_object(struct dl_phdr_info *info, size_t size, void *count)
{
	const ElfW(Phdr) *section = section_of(info);

	(void)size;
	for (int i = 0; section && i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		struct uwind_self_add a = {
			.sframe_start = info->dlpi_addr + section->p_vaddr,
			.sframe_end = info->dlpi_addr + section->p_vaddr + section->p_memsz,
			.text_start = info->dlpi_addr + p->p_vaddr,
			.text_end = info->dlpi_addr + p->p_vaddr + p->p_memsz,
		};

		if (p->p_type != PT_LOAD || !(p->p_flags & PF_X))
			continue;
		mine = a;
		if (add(&a) != 0) {
			fprintf(stderr, "self_register: %s: %s (%s)\n", info->dlpi_name, strerror(errno), a.bad_why);
			return 1;
		}
		++*(int *)count;
	}
	return 0;
}

static int register_all(void)
{
	int count = 0;

	return dl_iterate_phdr(register_object, &count) == 0 ? count : -1;
}

static int work(int argc, char **argv)
{
	double end = work_clock(CLOCK_BOOTTIME) + work_seconds(argc - 1, argv + 1);

	if (register_all() < 1)
		return 1;
	WORK_UNTIL(CLOCK_BOOTTIME, end)
		work_sink += work_recurse(25, 1);
	return 0;
}

static size_t image_bytes; /* of each copy */

static void free_image(char *image)
{
	munmap(image, image_bytes);
}

/* A second copy of this program's text and section, at the same distance from each other; NULL: no memory. */
static char *copy_of_image(struct uwind_self_add *copy, int protection)
{
	uint64_t low = mine.text_start < mine.sframe_start ? mine.text_start : mine.sframe_start;
	uint64_t high = mine.text_end > mine.sframe_end ? mine.text_end : mine.sframe_end;
	long page = sysconf(_SC_PAGESIZE);
	char *image;

	low &= ~(uint64_t)(page - 1);
	image = mmap(NULL, high - low, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (image == MAP_FAILED)
		return NULL;
	memcpy(image + (mine.text_start - low), (void *)mine.text_start, mine.text_end - mine.text_start);
	memcpy(image + (mine.sframe_start - low), (void *)mine.sframe_start, mine.sframe_end - mine.sframe_start);
	mprotect(image, high - low, protection);
	image_bytes = high - low;
	*copy = mine;
	copy->text_start = (uint64_t)image + (mine.text_start - low);
	copy->text_end = copy->text_start + (mine.text_end - mine.text_start);
	copy->sframe_start = (uint64_t)image + (mine.sframe_start - low);
	copy->sframe_end = copy->sframe_start + (mine.sframe_end - mine.sframe_start);
	return image;
}

static void check_corrupt(void)
{
	struct uwind_self_add copy;

	if (!copy_of_image(&copy, PROT_READ | PROT_WRITE | PROT_EXEC)) {
		check("no memory for a copy", 0, "mmap");
		return;
	}
	*(char *)copy.sframe_start ^= 0xff;
	check_errno("a broken section is refused", add(&copy), EBADMSG);
	check("the refusal says why", copy.bad_why[0] != 0, "bad_why is empty");
}

static void check_text(void)
{
	struct uwind_self_add copy;

	if (copy_of_image(&copy, PROT_READ | PROT_WRITE))
		check_errno("text that is not executable is refused", add(&copy), EFAULT);
	munmap((void *)(copy.text_start & ~(sysconf(_SC_PAGESIZE) - 1ul)), copy.text_end - copy.text_start);
	check_errno("text that is not mapped is refused", add(&copy), EFAULT);
}

static int child_status(int (*child)(void))
{
	int status = -1;
	pid_t pid = fork();

	if (pid == 0)
		_exit(child());
	return waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int child_count(void)
{
	return count_ranges(device, 0);
}

#define FORKS 200

/* The parent unmaps or removes what it has registered as soon as it has forked: the child's is its own. */
static void check_fork_race(void)
{
	int missed = 0, count = count_ranges(device, 0);

	for (int i = 0; i < FORKS; i++) {
		struct uwind_self_add copy;
		char *image = copy_of_image(&copy, PROT_READ | PROT_EXEC);
		int status = -1;
		pid_t pid;

		if (!image || add(&copy) != 0)
			break;
		pid = fork();
		if (pid == 0)
			_exit(child_count());
		if (i % 2)
			munmap((void *)(copy.text_start & ~(sysconf(_SC_PAGESIZE) - 1ul)),
			       copy.text_end - copy.text_start);
		else
			remove_section(copy.sframe_start);
		waitpid(pid, &status, 0);
		missed += !WIFEXITED(status) || WEXITSTATUS(status) != count + 1;
		free_image(image);
	}
	printf("     %d of %d children missed it\n", missed, FORKS);
	check("a child keeps what its parent ends right after fork()", missed == 0 && count_ranges(device, 0) == count,
	      "some missed it");
}

/* The child of a traced process is born with a stop pending. */
static int traced_parent(void)
{
	raise(SIGSTOP);
	return child_status(child_count);
}

static int trace(pid_t pid, int seize)
{
	int status = -1, result = -1;

	waitpid(pid, &status, WUNTRACED);
	if (ptrace(seize ? PTRACE_SEIZE : PTRACE_ATTACH, pid, NULL, seize ? PTRACE_O_TRACEFORK : 0) != 0)
		return -1;
	kill(pid, SIGCONT);
	for (pid_t one; (one = waitpid(-1, &status, __WALL)) > 0;) {
		if (WIFSTOPPED(status)) {
			if (!seize && one == pid)
				ptrace(PTRACE_SETOPTIONS, pid, NULL, PTRACE_O_TRACEFORK);
			ptrace(PTRACE_CONT, one, NULL, 0);
		} else if (one == pid) {
			result = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
		}
	}
	return result;
}

static void check_traced(int seize)
{
	int count = count_ranges(device, 0);
	pid_t pid = fork();

	if (pid == 0)
		_exit(traced_parent());
	check(seize ? "a child that is seized at birth inherits the ranges" :
		      "a child that is stopped at birth inherits the ranges",
	      trace(pid, seize) == count, "another number of ranges");
}

/* Each page differs from its neighbours. */
static void crowd(int number)
{
	long page = sysconf(_SC_PAGESIZE);

	for (int i = 0; i < number; i++)
		mmap(NULL, page, i % 2 ? PROT_READ : PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static int child_crowded(void)
{
	crowd(1100);
	return add(&mine) == 0 ? 0 : errno;
}

/* What was registered before is kept. */
static int crowded(void)
{
	int count = register_all();

	crowd(1100);
	printf("%d of %d, the child %d\n", count_ranges(device, 0), count, child_status(child_count));
	return count < 1;
}

static void check_quota(void)
{
	struct uwind_self_add copy;
	int result = 0, n;

	for (n = 0; n < 100000 && result == 0; n++) {
		if (!copy_of_image(&copy, PROT_READ | PROT_EXEC))
			break;
		result = add(&copy);
	}
	check_errno("sections end at the user's quota", result, EDQUOT);
	printf("     after %d sections\n", n);
}

static int fill(int argc, char **argv)
{
	struct uwind_self_add copy;
	int n = 0;

	if (register_all() < 1)
		return 1;
	while (copy_of_image(&copy, PROT_READ | PROT_EXEC) && add(&copy) == 0)
		n++;
	printf("%d sections, then %s\n", n, strerror(errno));
	fflush(stdout);
	sleep(work_seconds(argc - 1, argv + 1));
	return 0;
}

static int broken(const char *path)
{
	long page = sysconf(_SC_PAGESIZE);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	char *bytes = mmap(NULL, page, PROT_READ, MAP_PRIVATE, fd, 0);
	struct uwind_self_add a = {
		.sframe_start = (uint64_t)bytes,
		.sframe_end = (uint64_t)bytes + 64,
		.text_start = (uint64_t)bytes,
		.text_end = (uint64_t)bytes + 64,
	};

	if (bytes == MAP_FAILED)
		return 2;
	return add(&a) != 0 && errno == EBADMSG ? 0 : 1;
}

static int child_exec(void)
{
	dup2(open("/dev/null", O_WRONLY), 1);
	execl("/proc/self/exe", "self_register", "list", (char *)NULL);
	return 100;
}

static int child_removes(void)
{
	return remove_section(mine.sframe_start) != 0;
}

static int list(void)
{
	device = open(UWIND_SELF_DEVICE, O_RDWR | O_CLOEXEC);
	return device < 0 ? 101 : count_ranges(device, 1);
}

static int check_all(void)
{
	int count = register_all();
	struct uwind_self_add bad;

	check("the own section is accepted", count > 0, "none was");
	check("the own ranges are listed", count_ranges(device, 0) == count, "another number of ranges");
	bad = mine;
	check_errno("a range that is bound already is refused", add(&bad), EEXIST);
	bad = mine;
	bad.text_end = (bad.text_end | (sysconf(_SC_PAGESIZE) - 1)) + 1;
	check_errno("a range that overlaps a bound one is refused", add(&bad), EEXIST);
	check("a child inherits the ranges", child_status(child_count) == count, "another number of ranges");
	check_fork_race();
	check_traced(0);
	check_traced(1);
	check("exec drops the ranges", child_status(child_exec) == 0, "some are left");
	check("a child may remove its own", child_status(child_removes) == 0, strerror(errno));
	check("and the parent keeps its own", count_ranges(device, 0) == count, "another number of ranges");
	check_corrupt();
	check_text();
	check_errno("a section can be removed", remove_section(mine.sframe_start), 0);
	check_errno("a section that is gone cannot be removed", remove_section(mine.sframe_start), ENOENT);
	check("nothing is listed after removal", count_ranges(device, 0) == 0, "some are left");
	check("a process of many mappings is refused", child_status(child_crowded) == EFBIG,
	      "it was not, or not for that");
	check("the section can be added again", register_all() == count, "it was refused");
	check_quota();
	if (geteuid() != 0)
		check("the privileged device stays closed", open(UWIND_DEVICE, O_RDWR) < 0, "it opened");
	return check_failures != 0;
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";

	if (strcmp(mode, "list") == 0)
		return list();
	device = open(UWIND_SELF_DEVICE, O_RDWR | O_CLOEXEC);
	if (device < 0) {
		perror(UWIND_SELF_DEVICE);
		return 1;
	}
	if (strcmp(mode, "work") == 0)
		return work(argc, argv);
	if (strcmp(mode, "fill") == 0)
		return fill(argc, argv);
	if (strcmp(mode, "broken") == 0 && argc > 2)
		return broken(argv[2]);
	if (strcmp(mode, "crowded") == 0)
		return crowded();
	if (strcmp(mode, "check") == 0)
		return check_all();
	fprintf(stderr,
		"usage: self_register work [SECONDS] | fill [SECONDS] | broken FILE | crowded | check | list\n");
	return 64;
}

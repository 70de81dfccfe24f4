// SPDX-License-Identifier: GPL-2.0
// Has a child's section read while the child becomes a program with set-user-ID: its memory is then nobody's to read.
//
// Usage: exec_race PROGRAM [ROUNDS]   PROGRAM is a copy of this one that belongs to root and has set-user-ID
//        exec_race wait               what the child becomes
//
// As a user who may open /dev/uwind without privilege, while the module holds whoever reads a section (kmod/stall.h).
// Linked to a fixed address, so that the same address means something in both images: a section of a version that there
// is not yet, which the child overwrites before it executes PROGRAM. Prints how often which of them was read.
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "uwind.h"

#define AFTER_MS 10 /* the reader is held by then */

static volatile uint8_t secret[64] = { 0xe2, 0xde, 99 };

static void become(const char *program, int ready, int go)
{
	char byte;

	for (size_t i = 0; i < sizeof(secret); i++)
		secret[i] = 0;
	if (write(ready, "", 1) != 1 || read(go, &byte, 1) != 1)
		_exit(1);
	usleep(AFTER_MS * 1000);
	execl(program, program, "wait", (char *)NULL);
	_exit(1);
}

/* The errno of reading a process's section. */
static int read_section(int control, int pidfd)
{
	const struct uwind_segment segment = { 0x1000, 0x1000, 0x1000 };
	struct uwind_table_create create = {
		.size = sizeof(create),
		.source = UWIND_SOURCE_SFRAME_REMOTE,
		.data = (uintptr_t)secret,
		.data_bytes = sizeof(secret),
		.pidfd = pidfd,
		.segments = (uintptr_t)&segment,
		.nr_segments = 1,
	};

	return ioctl(control, UWIND_IOC_TABLE_CREATE, &create) ? errno : 0;
}

static int play(int control, const char *program, int *later)
{
	int ready[2], go[2], result, pidfd;
	char byte;
	pid_t pid;

	if (pipe(ready) || pipe(go))
		exit(1);
	pid = fork();
	if (pid == 0)
		become(program, ready[1], go[0]);
	pidfd = syscall(SYS_pidfd_open, pid, 0);
	if (read(ready[0], &byte, 1) != 1 || write(go[1], "", 1) != 1)
		exit(1);
	result = read_section(control, pidfd);
	usleep(200000); /* it has executed by now, however busy the machine is, mostly */
	*later = read_section(control, pidfd);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	close(pidfd);
	close(ready[0]), close(ready[1]);
	close(go[0]), close(go[1]);
	return result;
}

int main(int argc, char **argv)
{
	int rounds = argc > 2 ? atoi(argv[2]) : 20, own = 0, others = 0, refused = 0;
	int control = open(UWIND_DEVICE, O_RDWR | O_CLOEXEC);

	if (argc > 1 && !strcmp(argv[1], "wait")) {
		sleep(10);
		return 0;
	}
	if (argc < 2 || control < 0) {
		perror("exec_race");
		return 64;
	}
	for (int i = 0; i < rounds; i++) {
		int later, result = play(control, argv[1], &later);

		own += result == EBADMSG;
		others += result == EPROTONOSUPPORT;
		refused += later == EACCES;
	}
	printf("     the own memory %d times, the other's %d times; later refused %d times\n", own, others, refused);
	check("a program with set-user-ID is not read", others == 0, "it is");
	check("the child's own memory is", own > 0, "it is not");
	check("and later nothing is", refused > 0, "it is");
	return check_failures != 0;
}

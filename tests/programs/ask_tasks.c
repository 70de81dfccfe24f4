// SPDX-License-Identifier: GPL-2.0
// Asks for the stacks of threads and goes away without the answers: each that does not return to user space keeps what is
// queued for it.
//
// Usage: ask_tasks TIMES PROCESS...: prints how often that could be asked of all of their threads
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "genl.h"
#include "uwind.h"

static int open_session(void)
{
	struct uwind_session_start session = {
		.size = sizeof(session),
		.flags = UWIND_SESSION_ALL,
		.event = UWIND_EVENT_REQUESTS,
	};
	int control = open(UWIND_DEVICE, O_RDWR | O_CLOEXEC);
	int reader = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC);
	struct genl_message m;

	genl_attach_message(&m, genl_family(), (uint32_t)control, 1);
	if (send(reader, &m, m.header.nlmsg_len, 0) < 0 || genl_acknowledged(reader, 1) ||
	    ioctl(control, UWIND_IOC_SESSION_START, &session) < 0)
		return -1;
	return control;
}

static long ask(int control, int tid, int times)
{
	long asked = 0;

	while (times--) {
		struct uwind_session_ask call = { .size = sizeof(call), .tid = tid };

		asked += ioctl(control, UWIND_IOC_SESSION_ASK, &call) == 0;
	}
	return asked;
}

static long ask_threads(int control, const char *process, int times)
{
	struct dirent *entry;
	char path[64];
	long asked = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%s/task", process);
	dir = opendir(path);
	while (dir && (entry = readdir(dir)))
		if (entry->d_name[0] != '.')
			asked += ask(control, atoi(entry->d_name), times);
	if (dir)
		closedir(dir);
	return asked;
}

int main(int argc, char **argv)
{
	int control = open_session();
	long asked = 0;

	if (control < 0 || argc < 3) {
		perror("usage: ask_tasks TIMES PROCESS...: the session");
		return 1;
	}
	for (int i = 2; i < argc; i++)
		asked += ask_threads(control, argv[i], atoi(argv[1]));
	printf("%ld\n", asked);
	return 0;
}

/* SPDX-License-Identifier: GPL-2.0 */
/* A control group that has a hundredth of a processor: whoever holds a lock in it holds it for long. As root, of cgroup2. */
#ifndef SLOW_CGROUP_H
#define SLOW_CGROUP_H

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define CGROUPS     "/sys/fs/cgroup/"
#define SLOW_CGROUP CGROUPS "slow"

static inline void write_to(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0 || write(fd, text, strlen(text)) < 0) {
		perror(path);
		exit(1);
	}
	close(fd);
}

/* For threads, whose processes stay outside of it, in the root, whose threads may be in it; or threads is 0. */
static inline void slow_cgroup_make(int threads)
{
	if (threads)
		write_to(CGROUPS "cgroup.procs", "0");
	write_to(CGROUPS "cgroup.subtree_control", "+cpu");
	if (mkdir(SLOW_CGROUP, 0755)) {
		perror(SLOW_CGROUP);
		exit(1);
	}
	if (threads)
		write_to(SLOW_CGROUP "/cgroup.type", "threaded");
	write_to(SLOW_CGROUP "/cpu.max", "10000 1000000");
}

static inline void slow_cgroup_enter(int thread)
{
	write_to(thread ? SLOW_CGROUP "/cgroup.threads" : SLOW_CGROUP "/cgroup.procs", "0");
}

/* Who is in it may end as quickly as others. */
static inline void slow_cgroup_let_go(void)
{
	write_to(SLOW_CGROUP "/cpu.max", "max");
}

#endif

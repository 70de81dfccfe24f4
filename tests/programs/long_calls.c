// SPDX-License-Identifier: GPL-2.0
// Is in the kernel nearly all the time, in system calls that take seconds, and never sleeps there: what anyone may do.
//
// Usage: long_calls FILE [MIB]: reads so much of it in each call, 2,047 if not given, all into the same buffer
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/uio.h>
#include <unistd.h>

#define MIB        (1u << 20)
#define MOST_PARTS 1024 /* of one readv() */

static char buffer[2 * MIB];

int main(int argc, char **argv)
{
	unsigned int mib = argc > 2 ? (unsigned int)atoi(argv[2]) : 2047, nr;
	int fd = argc > 1 ? open(argv[1], O_RDONLY) : -1;
	struct iovec parts[MOST_PARTS];

	if (fd < 0 || !mib) {
		fputs("usage: long_calls FILE [MIB]\n", stderr);
		return 1;
	}
	for (nr = 0; nr < MOST_PARTS && nr * 2 < mib; nr++)
		parts[nr] = (struct iovec){ buffer, nr * 2 + 1 < mib ? 2 * MIB : MIB };
	for (;;)
		if (preadv(fd, parts, (int)nr, 0) < 0 && readv(fd, parts, (int)nr) < 0)
			return 1;
}

/* SPDX-License-Identifier: GPL-2.0 */
/* One line per check, and an exit status, for programs that test the module from inside a guest. */
#ifndef CHECK_H
#define CHECK_H

#include <errno.h>
#include <stdio.h>
#include <string.h>

static int check_failures;

static inline void check(const char *name, int good, const char *detail)
{
	printf("%-4s %s%s%s\n", good ? "ok" : "FAIL", name, good ? "" : ": ", good ? "" : detail);
	fflush(stdout);
	check_failures += !good;
}

/* result and errno of a call that must succeed (wanted 0) or fail with errno wanted. */
static inline void check_errno(const char *name, int result, int wanted)
{
	int got = result < 0 ? errno : 0;
	char detail[128];

	snprintf(detail, sizeof(detail), "errno %d (%s), not %d (%s)", got, strerror(got), wanted, strerror(wanted));
	check(name, got == wanted, detail);
}

#endif

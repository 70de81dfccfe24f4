// SPDX-License-Identifier: GPL-2.0
// What users do who may open /dev/uwind without privilege.
//
// Usage: member busy SECONDS                works
//        member hide SECONDS                the same, having made itself undumpable
//        member become SECONDS PROGRAM ARG… works, then executes a program
//        member spoil FILE                  ties a table to FILE that ends every walk at once, and says so; until killed
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "uwind.h"
#include "work.h"

static int spoil(const char *file)
{
	const struct uwind_row row = { 0, 0 };
	const struct uwind_rule rule = { .kind = UWIND_RULE_OUTERMOST };
	int device = open(UWIND_DEVICE, O_RDWR);
	struct uwind_table_create create = {
		.size = sizeof(create),
		.source = UWIND_SOURCE_ROWS,
		.method = UWIND_METHOD_SYNTH,
		.pidfd = -1,
		.data = (uintptr_t)&row,
		.data_bytes = sizeof(row),
		.rules = (uintptr_t)&rule,
		.nr_rules = 1,
	};
	struct uwind_table_tie tie = { .size = sizeof(tie), .fd = open(file, O_RDONLY) };

	if (ioctl(device, UWIND_IOC_TABLE_CREATE, &create) < 0) {
		perror("UWIND_IOC_TABLE_CREATE");
		return 1;
	}
	tie.table = create.table;
	if (ioctl(device, UWIND_IOC_TABLE_TIE, &tie) < 0) {
		perror("UWIND_IOC_TABLE_TIE");
		return 1;
	}
	puts("tied");
	fflush(stdout);
	for (;;)
		pause();
}

static void work(double seconds)
{
	double end = work_clock(CLOCK_BOOTTIME) + seconds;

	WORK_UNTIL(CLOCK_BOOTTIME, end)
		work_sink += work_recurse(20, 1);
}

int main(int argc, char **argv)
{
	const char *what = argc > 2 ? argv[1] : "";

	if (!strcmp(what, "spoil"))
		return spoil(argv[2]);
	if (!strcmp(what, "hide"))
		prctl(PR_SET_DUMPABLE, 0);
	else if (strcmp(what, "busy") && (strcmp(what, "become") || argc < 5)) {
		fprintf(stderr,
			"usage: member busy SECONDS | hide SECONDS | become SECONDS PROGRAM ARG… | spoil FILE\n");
		return 64;
	}
	work(atof(argv[2]));
	if (!strcmp(what, "become"))
		execv(argv[3], argv + 3);
	return 0;
}

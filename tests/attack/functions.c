// SPDX-License-Identifier: GPL-2.0
// Functions of the kernel that calls name, and whether its code may be changed here at all.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "attack.h"

/* Some that are always busy. */
static const char *const names[] = { "vfs_read",        "vfs_write",       "do_filp_open",
				     "handle_mm_fault", "wake_up_process", "kmem_cache_free" };
static uint64_t addresses[sizeof(names) / sizeof(names[0])];

void find_functions(void)
{
	FILE *file = fopen("/proc/kallsyms", "re");
	char line[512], name[256];
	unsigned long long address;

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "%llx %*c %255s", &address, name) == 2)
			for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
				if (!strcmp(name, names[i]))
					addresses[i] = address;
	if (file)
		fclose(file);
}

uint64_t any_function(struct dice *dice)
{
	uint64_t address = addresses[pick(dice, sizeof(names) / sizeof(names[0]))];

	return rarely(dice, 32) ? address + pick(dice, 64) : address;
}

/*
 * An emulator's processors may execute what another one has replaced (qemu/cases/README.md): one processor, or an
 * emulator that is known to be good for more.
 */
bool code_may_change(void)
{
	const char *processors = getenv("PROCESSORS");

	return sysconf(_SC_NPROCESSORS_ONLN) == 1 || (processors && strcmp(processors, "1") != 0);
}

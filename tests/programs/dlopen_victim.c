// SPDX-License-Identifier: GPL-2.0
// Works, loads plugin.so (beside it) and works in there, unloads it, and begins again.
//
// Usage: dlopen_victim [SECONDS [PERIOD]]: PERIOD seconds of processor time from one dlopen() to the next, 8 if not given.
#include <dlfcn.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "work.h"

typedef uint64_t (*plugin_fn)(unsigned int, uint64_t (*)(uint64_t));

static __attribute__((noinline)) uint64_t called_back(uint64_t x)
{
	return work_recurse(8, x) + 1;
}

static double cpu(void)
{
	return work_clock(CLOCK_PROCESS_CPUTIME_ID);
}

static __attribute__((noinline)) void work_here(double until)
{
	WORK_UNTIL(CLOCK_PROCESS_CPUTIME_ID, until)
		work_sink += called_back(1);
}

static __attribute__((noinline)) void work_there(plugin_fn plugin, double until)
{
	WORK_UNTIL(CLOCK_PROCESS_CPUTIME_ID, until)
		work_sink += plugin(12, called_back);
}

static void plugin_path(char *path, size_t bytes)
{
	char self[PATH_MAX] = "";

	if (readlink("/proc/self/exe", self, sizeof(self) - 1) < 0)
		exit(1);
	snprintf(path, bytes, "%.*s/plugin.so", PATH_MAX - 16, dirname(self));
}

static void one_period(const char *path, double seconds)
{
	double start = cpu();
	void *library;
	plugin_fn plugin;

	work_here(start + seconds / 2);
	library = dlopen(path, RTLD_NOW);
	plugin = library ? (plugin_fn)dlsym(library, "plugin_work") : NULL;
	if (!plugin) {
		fprintf(stderr, "dlopen_victim: %s\n", dlerror());
		exit(1);
	}
	work_there(plugin, start + seconds);
	dlclose(library);
}

int main(int argc, char **argv)
{
	double end = work_clock(CLOCK_BOOTTIME) + work_seconds(argc, argv);
	double period = argc > 2 ? atof(argv[2]) : 8;
	char path[PATH_MAX];

	plugin_path(path, sizeof(path));
	while (work_clock(CLOCK_BOOTTIME) < end)
		one_period(path, period);
	return 0;
}

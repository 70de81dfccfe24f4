// SPDX-License-Identifier: GPL-2.0
// Maps the text of one file or another to the same addresses, again and again, and works there: with MAP_FIXED over the
// old mapping, with munmap() before, and by moving a mapping there with mremap(). Both files have one function, at the same place.
//
// Usage: remap_victim [SECONDS]
#include <dlfcn.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "work.h"

typedef uint64_t (*text_fn)(uint64_t);

struct text {
	int fd;
	size_t bytes;  /* of the segment */
	off_t offset;  /* in the file */
	size_t inside; /* of the function, from the segment's first page */
};

static struct text first, second;
static char *place;

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

/* The segment that holds the function, in the object that is loaded. */
static int find_segment(struct dl_phdr_info *info, size_t size, void *context)
{
	struct text *text = context;
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		size_t start = info->dlpi_addr + p->p_vaddr;

		if (p->p_type != PT_LOAD || text->inside - start >= p->p_memsz)
			continue;
		text->offset = (off_t)(p->p_offset & ~(page - 1));
		text->bytes = ((p->p_offset & (page - 1)) + p->p_filesz + page - 1) & ~(page - 1);
		text->inside -= start & ~(page - 1);
		return 1;
	}
	return 0;
}

static void open_text(struct text *text, const char *name, const char *function)
{
	char self[PATH_MAX] = "", path[PATH_MAX + 32];
	void *library;

	if (readlink("/proc/self/exe", self, sizeof(self) - 1) < 0)
		fail("/proc/self/exe");
	snprintf(path, sizeof(path), "%s/%s", dirname(self), name);
	text->fd = open(path, O_RDONLY | O_CLOEXEC);
	library = dlopen(path, RTLD_NOW);
	text->inside = library ? (size_t)dlsym(library, function) : 0;
	if (text->fd < 0 || !text->inside || !dl_iterate_phdr(find_segment, text))
		fail(path);
	dlclose(library);
}

static void *map_at(const struct text *text, void *address, int flags)
{
	void *mapped = mmap(address, text->bytes, PROT_READ | PROT_EXEC, MAP_PRIVATE | flags, text->fd, text->offset);

	if (mapped == MAP_FAILED)
		fail("mmap");
	return mapped;
}

static void put(const struct text *text, int way)
{
	if (way == 0) {
		map_at(text, place, MAP_FIXED);
	} else if (way == 1) {
		munmap(place, text->bytes);
		map_at(text, place, MAP_FIXED);
	} else if (mremap(map_at(text, NULL, 0), text->bytes, text->bytes, MREMAP_MAYMOVE | MREMAP_FIXED, place) !=
		   place) {
		fail("mremap");
	}
}

static uint64_t call(const struct text *text)
{
	text_fn function;
	void *address = place + text->inside;

	memcpy(&function, &address, sizeof(function));
	return function(work_sink);
}

static __attribute__((noinline)) void calls_first(double end)
{
	WORK_UNTIL(CLOCK_PROCESS_CPUTIME_ID, end)
		work_sink += call(&first);
}

static __attribute__((noinline)) void calls_second(double end)
{
	WORK_UNTIL(CLOCK_PROCESS_CPUTIME_ID, end)
		work_sink += call(&second);
}

int main(int argc, char **argv)
{
	double end = work_clock(CLOCK_BOOTTIME) + work_seconds(argc, argv);

	open_text(&first, "remap_first.so", "work_first");
	open_text(&second, "remap_second.so", "work_second");
	place = mmap(NULL, first.bytes + second.bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (place == MAP_FAILED || first.inside != second.inside)
		fail("remap_victim: a place for both");
	for (int way = 0; work_clock(CLOCK_BOOTTIME) < end; way = (way + 1) % 3) {
		put(&first, way);
		calls_first(work_clock(CLOCK_PROCESS_CPUTIME_ID) + 0.02);
		put(&second, way);
		calls_second(work_clock(CLOCK_PROCESS_CPUTIME_ID) + 0.02);
	}
	return 0;
}

/* SPDX-License-Identifier: GPL-2.0 */
/* The smallest .sframe section, version 2: one function of one row. And how a process registers it. */
#ifndef SECTION_H
#define SECTION_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "uwind.h"

struct section {
	uint16_t magic;
	uint8_t version, flags, arch;
	int8_t fixed_fp, fixed_ra;
	uint8_t aux_bytes;
	uint32_t nr_functions, nr_rows, rows_bytes, functions_offset, rows_offset;
	int32_t start;
	uint32_t bytes, first_row, function_rows;
	uint8_t info, block_bytes;
	uint16_t padding;
	uint8_t row[3];
} __attribute__((packed));

#ifdef __aarch64__
#define SECTION_ARCH     2
#define SECTION_FIXED_RA 0
#else
#define SECTION_ARCH     3
#define SECTION_FIXED_RA (-8)
#endif

/*
 * Registers one for text_bytes of new memory; repeated: it asks for a row for each of them. Returns where: a page with the section,
 * and the text; MAP_FAILED with errno: it was refused, and the memory is given back.
 */
static inline uint8_t *section_add(int device, size_t text_bytes, int repeated)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	uint8_t *memory =
		mmap(NULL, page + text_bytes, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct section section = {
		.magic = 0xdee2,
		.version = 2,
		.arch = SECTION_ARCH,
		.fixed_ra = SECTION_FIXED_RA,
		.nr_functions = 1,
		.nr_rows = 1,
		.rows_bytes = 3,
		.rows_offset = 20,
		.start = (int32_t)page,
		.bytes = (uint32_t)text_bytes,
		.function_rows = 1,
		.info = repeated ? 0x10 : 0,
		.block_bytes = (uint8_t)repeated,
		.row = { 0, 3, 8 },
	};
	struct uwind_self_add arg = {
		.size = sizeof(arg),
		.sframe_start = (uintptr_t)memory,
		.sframe_end = (uintptr_t)memory + sizeof(section),
		.text_start = (uintptr_t)memory + page,
		.text_end = (uintptr_t)memory + page + text_bytes,
	};
	int error;

	if (memory == MAP_FAILED)
		return MAP_FAILED;
	memcpy(memory, &section, sizeof(section));
	if (ioctl(device, UWIND_IOC_SELF_ADD, &arg) == 0)
		return memory;
	error = errno;
	munmap(memory, page + text_bytes);
	errno = error;
	return MAP_FAILED;
}

#endif

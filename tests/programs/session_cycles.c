// SPDX-License-Identifier: GPL-2.0
// Sessions and sections of its own, one after the other; none is left.
//
// Usage: session_cycles NUMBER          as root, with the module loaded
#include "reader.h"
#include "section.h"

#define TEXT_BYTES 64
#define RATE_HZ    99

static void use_section(void)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	int device = open(UWIND_SELF_DEVICE, O_RDWR | O_CLOEXEC);
	uint8_t *memory = section_add(device, TEXT_BYTES, 0);

	if (memory == MAP_FAILED) {
		perror("a section");
		exit(1);
	}
	munmap(memory, page + TEXT_BYTES);
	close(device);
}

int main(int argc, char **argv)
{
	int number = argc == 2 ? atoi(argv[1]) : 0;
	struct session session;

	if (number < 1)
		return fprintf(stderr, "usage: session_cycles NUMBER\n"), 64;
	while (number--) {
		session_begin(&session,
			      (struct uwind_session_start){ .flags = UWIND_SESSION_ALL | UWIND_SESSION_FREQUENCY,
							    .rate = RATE_HZ });
		use_section();
		session_stop(&session);
		session_close(&session);
	}
	return 0;
}

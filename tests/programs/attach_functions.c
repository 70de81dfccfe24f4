// SPDX-License-Identifier: GPL-2.0
// Sessions that trace functions of the kernel, one after the other, and end at once.
//
// Usage: attach_functions TIMES SEED FUNCTION...
//
// As root. Each session traces one function to four, chosen at random, their calls or their returns, while this program makes system
// calls; it ends by the ioctl, or as its descriptors are closed. A function may be a module's that is gone, or loaded elsewhere by
// now: the session is refused then. Prints how many sessions were made, how many were refused, and how many events they noted.
#include <stdint.h>
#include <stdlib.h>

#include "reader.h"

#define MOST_FUNCTIONS 32
#define MOST_AT_ONCE   4
#define CALLS          20

static uint64_t addresses[MOST_FUNCTIONS];
static unsigned int nr_addresses;
static unsigned long made, refused, events;

static void look_up(char **names, int nr)
{
	FILE *file = fopen("/proc/kallsyms", "r");
	unsigned long long address;
	char name[512], type;

	while (file && fscanf(file, "%llx %c %511s%*[^\n]", &address, &type, name) == 3)
		for (int i = 0; i < nr && nr_addresses < MOST_FUNCTIONS; i++)
			if (!strcmp(name, names[i]))
				addresses[nr_addresses++] = address;
	if (file)
		fclose(file);
}

static void no_record(const uint8_t *at, const struct uwind_record *record)
{
	(void)at;
	(void)record;
}

/* They go through functions that are traced; one is of a module that comes and goes. */
static void call(void)
{
	char text[16];
	int fd;

	for (int i = 0; i < CALLS; i++) {
		getppid();
		fd = open(i % 2 ? "/proc/self/comm" : "/dev/net/tun", O_RDONLY | O_CLOEXEC);
		if (fd >= 0 && read(fd, text, sizeof(text)) < 0 && errno != EBADFD)
			perror("read");
		close(fd);
	}
}

static void use(const struct session *session)
{
	struct uwind_session_stats stats;

	ioctl(session->control, UWIND_IOC_SESSION_ENABLE);
	call();
	stats = session_stats(session);
	events += stats.events + stats.events_lost;
	if (rand() % 2)
		session_end(session, no_record);
}

static void attach(uint16_t family)
{
	struct uwind_counter counter = { .size = sizeof(counter), .type = UWIND_TYPE_FUNCTION, .rate = 1 };
	struct uwind_session_start start = { .size = sizeof(start),
					     .flags = UWIND_SESSION_ALL | UWIND_SESSION_DISABLED,
					     .event = UWIND_EVENT_LISTED,
					     .counters = (uintptr_t)&counter,
					     .nr_counters = 1 };
	struct session session = { open(UWIND_DEVICE, O_RDWR | O_CLOEXEC),
				   socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC) };
	uint64_t chosen[MOST_AT_ONCE];
	struct genl_message m;

	for (unsigned int i = 0; i < MOST_AT_ONCE; i++)
		chosen[i] = addresses[rand() % nr_addresses];
	counter.config = rand() % 2 ? UWIND_CALL_RETURN : 0;
	counter.config1 = (uintptr_t)chosen;
	counter.config2 = counter.config ? 1 : 1 + rand() % MOST_AT_ONCE; /* a return is probed once */
	counter.flags = rand() % 2 ? UWIND_COUNTER_KERNEL_STACK : 0;
	genl_attach_message(&m, family, session.control, 1);
	if (send(session.socket_fd, &m, m.header.nlmsg_len, 0) < 0 || genl_acknowledged(session.socket_fd, 1)) {
		perror("attach");
		exit(1);
	}
	if (!ioctl(session.control, UWIND_IOC_SESSION_START, &start)) {
		made++;
		use(&session);
	} else if (errno == EINVAL) {
		refused++;
	} else {
		perror("a session");
		exit(1);
	}
	close(session.control);
	close(session.socket_fd);
}

int main(int argc, char **argv)
{
	uint16_t family = genl_family();

	if (argc < 4 || !family)
		return 1;
	srand(atoi(argv[2]));
	look_up(argv + 3, argc - 3);
	for (long i = 0; nr_addresses && i < atol(argv[1]); i++)
		attach(family);
	printf("%lu sessions, %lu refused, %lu events\n", made, refused, events);
	return made ? 0 : 1;
}

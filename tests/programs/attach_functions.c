// SPDX-License-Identifier: GPL-2.0
// Sessions that trace functions of the kernel, one after the other, and end at once.
//
// Usage: attach_functions TIMES SEED FUNCTION...
//
// As root. Each session traces one function to four, chosen at random, their calls or their returns, while this program makes system
// calls; it ends by the ioctl, or as its descriptors are closed. A function may be a module's that is gone, or loaded elsewhere by
// now: the session is refused then. First, errors are as the contract says. Prints how many sessions were made, how many were refused, and how many events they noted.
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
	if (rand() % 2) {
		ioctl(session->control, UWIND_IOC_SESSION_STOP, &stats);
		session_read(session, 0, no_record);
	}
}

/* A session that is not enabled yet. Returns 0 or the errno. */
static int attach(struct session *session, uint16_t family, struct uwind_counter *counter)
{
	struct uwind_session_start start = { .size = sizeof(start),
					     .flags = UWIND_SESSION_ALL | UWIND_SESSION_DISABLED,
					     .event = UWIND_EVENT_LISTED,
					     .counters = (uintptr_t)counter,
					     .nr_counters = 1 };
	struct genl_message m;

	session->control = open(UWIND_DEVICE, O_RDWR | O_CLOEXEC);
	session->socket_fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC);
	genl_attach_message(&m, family, session->control, 1);
	if (send(session->socket_fd, &m, m.header.nlmsg_len, 0) < 0 || genl_acknowledged(session->socket_fd, 1))
		return EIO;
	return ioctl(session->control, UWIND_IOC_SESSION_START, &start) ? errno : 0;
}

static void detach(const struct session *session)
{
	close(session->control);
	close(session->socket_fd);
}

static void must_fail(uint16_t family, uint64_t config, uint64_t address, const uint64_t *list, int wanted)
{
	struct uwind_counter counter = { .size = sizeof(counter),
					 .type = UWIND_TYPE_FUNCTION,
					 .rate = 1,
					 .config = config,
					 .config1 = (uintptr_t)(list ?: &address),
					 .config2 = 1 };
	struct session session;
	int err = attach(&session, family, &counter);

	detach(&session);
	if (err == wanted)
		return;
	printf("%s instead of %s\n", strerror(err), strerror(wanted));
	exit(1);
}

static void check_errors(uint16_t family)
{
	static const uint64_t *const nowhere = (const uint64_t *)8;

	for (uint64_t config = 0; config <= UWIND_CALL_RETURN; config++) {
		must_fail(family, config, 1, NULL, EINVAL);
		must_fail(family, config, addresses[0] + 64 * 1024 * 1024 * 1024ull, NULL, EINVAL);
		must_fail(family, config, 0, nowhere, EFAULT);
	}
}

static void attach_some(uint16_t family)
{
	struct uwind_counter counter = { .size = sizeof(counter), .type = UWIND_TYPE_FUNCTION, .rate = 1 };
	uint64_t chosen[MOST_AT_ONCE];
	struct session session;
	int err;

	for (unsigned int i = 0; i < MOST_AT_ONCE; i++)
		chosen[i] = addresses[rand() % nr_addresses];
	counter.config = rand() % 2 ? UWIND_CALL_RETURN : 0;
	counter.config1 = (uintptr_t)chosen;
	counter.config2 = counter.config ? 1 : 1 + rand() % MOST_AT_ONCE; /* a return is probed once */
	counter.flags = rand() % 2 ? UWIND_COUNTER_KERNEL_STACK : 0;
	err = attach(&session, family, &counter);
	if (!err) {
		made++;
		use(&session);
	} else if (err == EINVAL) {
		refused++;
	} else {
		printf("a session: %s\n", strerror(err));
		exit(1);
	}
	detach(&session);
}

int main(int argc, char **argv)
{
	uint16_t family = genl_family();

	if (argc < 4 || !family)
		return 1;
	srand(atoi(argv[2]));
	look_up(argv + 3, argc - 3);
	check_errors(family);
	for (long i = 0; nr_addresses && i < atol(argv[1]); i++)
		attach_some(family);
	printf("%lu sessions, %lu refused, %lu events\n", made, refused, events);
	return made ? 0 : 1;
}

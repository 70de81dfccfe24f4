// SPDX-License-Identifier: GPL-2.0
// One random netlink message, or a look at what has arrived; many sockets are never read.
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../programs/genl.h"
#include "attack.h"

int open_socket(struct dice *dice)
{
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_GENERIC);
	int bytes = rarely(dice, 2) ? 2048 : 1 << 20;

	if (fd >= 0)
		setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof(bytes));
	return fd;
}

static void attach(struct dice *dice)
{
	int fd = any_socket(dice), error;
	uint32_t control = rarely(dice, 8) ? (uint32_t)any_fd(dice) : (uint32_t)any_control(dice);
	struct genl_message m;

	genl_attach_message(&m, tally->family, control, roll(dice) | 1);
	if (send(fd, any_pointer(dice, &m, m.header.nlmsg_len), m.header.nlmsg_len, 0) < 0) {
		count(CALL_ATTACH, -1);
		return;
	}
	error = genl_acknowledged(fd, m.header.nlmsg_seq);
	errno = -error;
	count(CALL_ATTACH, error);
}

/* Anything but a sound attach: lengths, types, flags and contents at random. */
static void message(struct dice *dice)
{
	size_t bytes = 0;
	struct genl_message m;

	memset(m.attributes, 0, sizeof(m.attributes));
	for (uint32_t i = pick(dice, 5); i; i--) {
		uint64_t value = roll(dice);

		bytes += genl_put(m.attributes + bytes, pick(dice, 10) | (rarely(dice, 4) ? NLA_F_NESTED : 0), &value,
				  pick(dice, 9));
	}
	genl_finish(&m, rarely(dice, 16) ? pick(dice, 64) : tally->family, 2 + pick(dice, 6), bytes);
	m.header.nlmsg_flags |= pick(dice, 8) ? NLM_F_ACK : NLM_F_DUMP;
	m.genl.version = pick(dice, 4);
	if (rarely(dice, 4))
		m.header.nlmsg_len = pick(dice, 256);
	if (rarely(dice, 4))
		m.attributes[pick(dice, 4)] = roll(dice);
	count(CALL_MESSAGE, send(any_socket(dice), any_pointer(dice, &m, sizeof(m)), pick(dice, 200), 0));
}

static void receive(struct dice *dice)
{
	static __thread uint8_t bytes[65536];
	bool elsewhere = rarely(dice, 4);
	void *to = elsewhere ? any_pointer(dice, bytes, 4096) : bytes;

	/* No more than there is room for: what lies behind is somebody's. */
	count(CALL_READ, recv(any_socket(dice), to, pick(dice, elsewhere ? 4096 : sizeof(bytes)), MSG_DONTWAIT));
}

void any_message(struct dice *dice)
{
	switch (pick(dice, 4)) {
	case 0:
	case 1:
		attach(dice);
		break;
	case 2:
		message(dice);
		break;
	case 3:
		receive(dice);
		break;
	}
}

// SPDX-License-Identifier: GPL-2.0
// One random netlink message, or a look at what has arrived; many sockets are never read.
#include <errno.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "attack.h"

#define ROOM 512

struct message {
	struct nlmsghdr header;
	struct genlmsghdr genl;
	uint8_t attributes[ROOM];
};

static size_t put_attribute(uint8_t *at, uint16_t type, const void *data, uint16_t bytes)
{
	struct nlattr attribute = { .nla_len = NLA_HDRLEN + bytes, .nla_type = type };

	memcpy(at, &attribute, sizeof(attribute));
	memcpy(at + NLA_HDRLEN, data, bytes);
	return NLA_ALIGN(NLA_HDRLEN + bytes);
}

static void finish(struct message *m, uint16_t family, uint8_t command, size_t bytes)
{
	m->header = (struct nlmsghdr){ .nlmsg_len = NLMSG_LENGTH(GENL_HDRLEN) + bytes, .nlmsg_type = family, .nlmsg_flags = NLM_F_REQUEST };
	m->genl = (struct genlmsghdr){ .cmd = command, .version = UWIND_GENL_VERSION };
}

int open_socket(struct dice *dice)
{
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_GENERIC);
	int bytes = rarely(dice, 2) ? 2048 : 1 << 20;

	if (fd >= 0)
		setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof(bytes));
	return fd;
}

/* The u16 attribute FAMILY_ID of the controller's answer. */
static uint32_t family_in(const uint8_t *bytes, ssize_t nr)
{
	size_t at = NLMSG_LENGTH(GENL_HDRLEN);

	while (nr > 0 && at + NLA_HDRLEN <= (size_t)nr) {
		struct nlattr attribute;

		memcpy(&attribute, bytes + at, sizeof(attribute));
		if (attribute.nla_len < NLA_HDRLEN)
			break;
		if (attribute.nla_type == CTRL_ATTR_FAMILY_ID) {
			uint16_t family;

			memcpy(&family, bytes + at + NLA_HDRLEN, sizeof(family));
			return family;
		}
		at += NLA_ALIGN(attribute.nla_len);
	}
	return 0;
}

uint32_t find_family(void)
{
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC);
	uint8_t answer[4096];
	struct message m;
	uint32_t family = 0;

	finish(&m, GENL_ID_CTRL, CTRL_CMD_GETFAMILY,
	       put_attribute(m.attributes, CTRL_ATTR_FAMILY_NAME, UWIND_GENL_NAME, sizeof(UWIND_GENL_NAME)));
	if (send(fd, &m, m.header.nlmsg_len, 0) > 0)
		family = family_in(answer, recv(fd, answer, sizeof(answer), 0));
	close(fd);
	return family;
}

/* How the kernel acknowledges the message: 0, or -errno; -ENODATA: another thread has read the answer, or there was no room. */
static int acknowledged(int fd, uint32_t number)
{
	struct {
		struct nlmsghdr header;
		struct nlmsgerr error;
		uint8_t rest[1024];
	} answer;

	while (recv(fd, &answer, sizeof(answer), MSG_DONTWAIT) >= (ssize_t)NLMSG_LENGTH(sizeof(answer.error)))
		if (answer.header.nlmsg_type == NLMSG_ERROR && answer.header.nlmsg_seq == number)
			return answer.error.error;
	return -ENODATA;
}

static void attach(struct dice *dice)
{
	int fd = any_socket(dice), error;
	uint32_t control = rarely(dice, 8) ? (uint32_t)any_fd(dice) : (uint32_t)any_control(dice);
	struct message m;

	finish(&m, tally->family, UWIND_CMD_ATTACH, put_attribute(m.attributes, UWIND_A_FD, &control, sizeof(control)));
	m.header.nlmsg_flags |= NLM_F_ACK;
	m.header.nlmsg_seq = roll(dice) | 1;
	if (send(fd, any_pointer(dice, &m, m.header.nlmsg_len), m.header.nlmsg_len, 0) < 0) {
		count(CALL_ATTACH, -1);
		return;
	}
	error = acknowledged(fd, m.header.nlmsg_seq);
	errno = -error;
	count(CALL_ATTACH, error);
}

/* Anything but a sound attach: lengths, types, flags and contents at random. */
static void message(struct dice *dice)
{
	size_t bytes = 0;
	struct message m;

	memset(m.attributes, 0, sizeof(m.attributes));
	for (uint32_t i = pick(dice, 5); i; i--) {
		uint64_t value = roll(dice);

		bytes += put_attribute(m.attributes + bytes, pick(dice, 10) | (rarely(dice, 4) ? NLA_F_NESTED : 0), &value, pick(dice, 9));
	}
	finish(&m, rarely(dice, 16) ? pick(dice, 64) : tally->family, 2 + pick(dice, 6), bytes);
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

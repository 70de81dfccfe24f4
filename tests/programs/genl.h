/* SPDX-License-Identifier: GPL-2.0 */
/* Generic netlink by hand, for programs that send what no library would. */
#ifndef GENL_H
#define GENL_H

#include <errno.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "uwind.h"

#define GENL_ROOM 512

struct genl_message {
	struct nlmsghdr header;
	struct genlmsghdr genl;
	uint8_t attributes[GENL_ROOM];
};

/* Returns the bytes that the attribute takes. */
static inline size_t genl_put(uint8_t *at, uint16_t type, const void *data, uint16_t bytes)
{
	struct nlattr attribute = { .nla_len = NLA_HDRLEN + bytes, .nla_type = type };

	memcpy(at, &attribute, sizeof(attribute));
	memcpy(at + NLA_HDRLEN, data, bytes);
	return NLA_ALIGN(NLA_HDRLEN + bytes);
}

/* bytes: of the attributes that were put. */
static inline void genl_finish(struct genl_message *m, uint16_t family, uint8_t command, size_t bytes)
{
	m->header = (struct nlmsghdr){ .nlmsg_len = NLMSG_LENGTH(GENL_HDRLEN) + bytes,
				       .nlmsg_type = family,
				       .nlmsg_flags = NLM_F_REQUEST };
	m->genl = (struct genlmsghdr){ .cmd = command, .version = UWIND_GENL_VERSION };
}

/* The u16 attribute FAMILY_ID of the controller's answer. */
static inline uint16_t genl_family_in(const uint8_t *bytes, ssize_t nr)
{
	size_t at = NLMSG_LENGTH(GENL_HDRLEN);

	while (nr > 0 && at + NLA_HDRLEN <= (size_t)nr) {
		struct nlattr attribute;
		uint16_t family;

		memcpy(&attribute, bytes + at, sizeof(attribute));
		memcpy(&family, bytes + at + NLA_HDRLEN, sizeof(family));
		if (attribute.nla_type == CTRL_ATTR_FAMILY_ID)
			return family;
		if (attribute.nla_len < NLA_HDRLEN)
			break;
		at += NLA_ALIGN(attribute.nla_len);
	}
	return 0;
}

/* The number of the module's family; 0: it is not loaded. */
static inline uint16_t genl_family(void)
{
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC);
	uint8_t answer[4096];
	struct genl_message m;
	uint16_t family = 0;

	genl_finish(&m, GENL_ID_CTRL, CTRL_CMD_GETFAMILY,
		    genl_put(m.attributes, CTRL_ATTR_FAMILY_NAME, UWIND_GENL_NAME, sizeof(UWIND_GENL_NAME)));
	if (send(fd, &m, m.header.nlmsg_len, 0) > 0)
		family = genl_family_in(answer, recv(fd, answer, sizeof(answer), 0));
	close(fd);
	return family;
}

/* The message by which a socket becomes the reader of an open /dev/uwind, with an acknowledgement of that number. */
static inline void genl_attach_message(struct genl_message *m, uint16_t family, uint32_t control, uint32_t number)
{
	genl_finish(m, family, UWIND_CMD_ATTACH, genl_put(m->attributes, UWIND_A_FD, &control, sizeof(control)));
	m->header.nlmsg_flags |= NLM_F_ACK;
	m->header.nlmsg_seq = number;
}

/* How the kernel acknowledges the message: 0, or -errno; -ENODATA: another thread has read the answer, or there was no room. */
static inline int genl_acknowledged(int fd, uint32_t number)
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

#endif

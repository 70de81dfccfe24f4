/* SPDX-License-Identifier: GPL-2.0 */
/* A session of /dev/uwind and its reader, and the records that it is sent. */
#ifndef READER_H
#define READER_H

#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>

#include "clock.h"
#include "genl.h"
#include "uwind.h"

struct session {
	int control, socket_fd;
};

typedef void (*take_record_fn)(const uint8_t *at, const struct uwind_record *record);

static inline void read_records(const uint8_t *at, const uint8_t *end, take_record_fn take)
{
	struct uwind_record record;

	for (; at + sizeof(record) <= end; at += record.bytes) {
		memcpy(&record, at, sizeof(record));
		if (record.bytes < sizeof(record) || record.bytes > end - at)
			break;
		take(at, &record);
	}
}

static inline void read_message(const uint8_t *message, size_t size, take_record_fn take)
{
	const uint8_t *at = message + NLMSG_LENGTH(GENL_HDRLEN), *end = message + size;
	struct nlattr attribute;

	for (; at + NLA_HDRLEN <= end; at += NLA_ALIGN(attribute.nla_len)) {
		memcpy(&attribute, at, sizeof(attribute));
		if (attribute.nla_len < NLA_HDRLEN || attribute.nla_len > end - at)
			break;
		if ((attribute.nla_type & NLA_TYPE_MASK) == UWIND_A_RECORDS)
			read_records(at + NLA_HDRLEN, at + attribute.nla_len, take);
	}
}

/* What there is, and what comes within that time. */
static inline void session_read(const struct session *session, long ms, take_record_fn take)
{
	static _Alignas(8) uint8_t message[1 << 18];
	struct pollfd poll_fd = { session->socket_fd, POLLIN, 0 };
	long end = now_ms() + ms;
	ssize_t got;

	do {
		poll(&poll_fd, 1, 10);
		while ((got = recv(session->socket_fd, message, sizeof(message), MSG_DONTWAIT)) > 0)
			read_message(message, got, take);
	} while (now_ms() < end);
}

static inline void session_begin(struct session *session, struct uwind_session_start arg)
{
	struct genl_message m;

	arg.size = sizeof(arg);
	session->control = open(UWIND_DEVICE, O_RDWR | O_CLOEXEC);
	session->socket_fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC);
	genl_attach_message(&m, genl_family(), session->control, 1);
	if (send(session->socket_fd, &m, m.header.nlmsg_len, 0) < 0 || genl_acknowledged(session->socket_fd, 1) ||
	    ioctl(session->control, UWIND_IOC_SESSION_START, &arg)) {
		perror("a session");
		exit(1);
	}
}

static inline void session_set_buffer(const struct session *session, int bytes)
{
	if (setsockopt(session->socket_fd, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof(bytes)))
		perror("SO_RCVBUFFORCE");
}

static inline struct uwind_session_stats session_stats(const struct session *session)
{
	struct uwind_session_stats stats = { .size = sizeof(stats) };

	if (ioctl(session->control, UWIND_IOC_SESSION_STATS, &stats))
		memset(&stats, 0, sizeof(stats));
	return stats;
}

/* What it came to. */
static inline struct uwind_session_stats session_stop(const struct session *session)
{
	struct uwind_session_stats stats = { .size = sizeof(stats) };

	ioctl(session->control, UWIND_IOC_SESSION_STOP, &stats);
	return stats;
}

static inline void session_close(const struct session *session)
{
	close(session->control);
	close(session->socket_fd);
}

/* The same as session_stop(), and what is still to come is read. */
static inline struct uwind_session_stats session_end(const struct session *session, take_record_fn take)
{
	struct uwind_session_stats stats = session_stop(session);

	session_read(session, 100, take);
	session_close(session);
	return stats;
}

#endif

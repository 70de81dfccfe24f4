/* SPDX-License-Identifier: GPL-2.0 */
/*
 * /dev/uwind.
 */
#ifndef UW_CONTROL_H
#define UW_CONTROL_H

#include <linux/types.h>

struct cred;
struct net;

/* Where a message came from. */
struct uw_socket {
	struct net *net;
	u32 portid;
	const struct cred *cred; /* of who opened it                              */
	bool privileged;         /* who opened it and who writes have CAP_PERFMON */
};

/* Make a socket the reader of the session of descriptor fd. -EBADF, -EBUSY, -EPERM. */
int uw_control_attach(int fd, const struct uw_socket *socket);

/* That socket is gone. */
void uw_control_detach(const struct net *net, u32 portid);

int uw_control_init(void);
void uw_control_exit(void);

#endif

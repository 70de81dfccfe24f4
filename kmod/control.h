/* SPDX-License-Identifier: GPL-2.0 */
/*
 * /dev/uwind.
 */
#ifndef UW_CONTROL_H
#define UW_CONTROL_H

#include <linux/types.h>

struct net;

/* Make a socket the reader of the session of descriptor fd. -EBADF, -EBUSY. */
int uw_control_attach(int fd, struct net *net, u32 portid);

/* That socket is gone. */
void uw_control_detach(const struct net *net, u32 portid);

int uw_control_init(void);
void uw_control_exit(void);

#endif

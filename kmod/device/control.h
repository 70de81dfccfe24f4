/* SPDX-License-Identifier: GPL-2.0 */
/*
 * /dev/uwind.
 */
#ifndef UW_CONTROL_H
#define UW_CONTROL_H

#include <linux/types.h>

struct uw_reader;

/*
 * Make a socket the reader of the session of descriptor fd; the one before it comes back.
 * privileged: its opener and the sender of the message have CAP_PERFMON. -EBADF, -EBUSY, -EPERM.
 */
int uw_control_attach(int fd, struct uw_reader *socket, bool privileged);

int uw_control_init(void);
void uw_control_exit(void);

#endif

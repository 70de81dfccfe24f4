/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The generic netlink family.
 */
#ifndef UW_NETLINK_H
#define UW_NETLINK_H

#include <net/genetlink.h>

extern struct genl_family uw_genl_family;

int uw_netlink_init(void);
void uw_netlink_exit(void);

#endif

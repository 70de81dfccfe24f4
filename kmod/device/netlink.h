/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The generic netlink family.
 */
#ifndef UW_NETLINK_H
#define UW_NETLINK_H

int uw_netlink_init(void);
void uw_netlink_exit(void);

#endif

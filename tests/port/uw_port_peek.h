/* SPDX-License-Identifier: GPL-2.0 */
/*
 * uw_port_peek() of the ports in user space, which have no memory to hold open.
 */
#ifndef UW_PORT_PEEK_H
#define UW_PORT_PEEK_H

#define uw_port_peek(port, address, word, failed)        \
	do {                                             \
		if (uw_port_word(port, address, word)) { \
			goto failed;                     \
		}                                        \
	} while (0)

#endif

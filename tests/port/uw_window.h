/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memory that a walk reads at once, of the ports in user space, which have nothing to hold open.
 */
#ifndef UW_WINDOW_H
#define UW_WINDOW_H

#include "uw_port.h"

/* All zero: none. */
struct uw_window {
	u64 start;
	u64 places; /* of a word in it */
	u64 absent; /* the word there cannot be read at once; 0: none */
	const u8 *data;
};

UW_PORT_INLINE bool uw_window_has(const struct uw_window *window, u64 address)
{
	return address - window->start < window->places;
}

UW_PORT_INLINE u64 uw_window_hold(const struct uw_window *window, u64 address)
{
	(void)window;
	return address;
}

#define uw_port_peek(window, address, word, failed)                                        \
	do {                                                                               \
		if (!uw_window_has(window, address) || (address) == (window)->absent)      \
			goto failed;                                                       \
		memcpy(word, (window)->data + ((address) - (window)->start), sizeof(u64)); \
	} while (0)

#endif
